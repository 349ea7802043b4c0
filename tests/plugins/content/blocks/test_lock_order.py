"""The locks of calls and their order: no deadlock occurs, and no call waits without a right."""

from functools import partial
from typing import Any

import pytest
from conftest import MakeService
from contract.templates import template
from contract.two_calls import meet, on_postgres
from contract.worlds import CALLERS, EDITOR, VIEWER, as_user, draft_html, row, stored, tree

ADD = "landing.landing.addByTemplate"
DELETE = "landing.landing.delete"
NEW = {"siteId": 7, "code": "promo", "fields": {"ADD_IN_MENU": "Y", "TITLE": "New"}}


@pytest.mark.rule("P10", "P12", f"{ADD} fields.ADD_IN_MENU")
@on_postgres
def test_P12_a_main_page_is_deleted_while_its_menu_gets_a_link(make_service: MakeService) -> None:
    """A new page has locked its site and waits for the menu's block, which the deletion must not
    hold.
    """
    service = make_service(world={**tree(), "templates": [template("promo", blocks=[])]})

    met = meet(
        service,
        partial(service.result, ADD, NEW),
        partial(service.result, DELETE, lid=10),
        after="INSERT INTO landing_page",
    )

    assert met.waited
    assert met.errors == []  # no deadlock, after which one of them would have run again
    assert row(service, met.first)["title"] == "New"
    assert met.second is True
    assert stored(service, "landing_page", id=10) == []
    assert stored(service, "landing_site", id=7)[0]["main_page_id"] is None


EDIT = {"lid": 10, "block": 100, "data": {".title": "New"}}
CALLS: dict[str, dict[str, Any]] = {
    "landing.block.updatenodes": EDIT,
    "landing.landing.update": {"lid": 10, "fields": {"TITLE": "New"}},
    "landing.landing.markDelete": {"lid": 12},
    "landing.landing.delete": {"lid": 10},
    "landing.landing.unpublic": {"lid": 10},
    ADD: NEW,
}


@pytest.mark.rule("R3")
@on_postgres
@pytest.mark.parametrize("method", CALLS)
def test_R3_a_caller_without_the_right_waits_for_no_lock(
    make_service: MakeService, method: str
) -> None:
    """The statement that finds the row also locks it, but not for a viewer."""
    service = make_service(world={**tree(users=CALLERS), "templates": [template("promo")]})

    met = meet(
        service,
        partial(service.result, method, CALLS[method]),
        partial(service.call, method, CALLS[method], **as_user(VIEWER)),
        after="FOR NO KEY UPDATE" if method != "landing.block.updatenodes" else "FOR UPDATE",
    )

    assert (met.second.error, met.waited, met.errors) == ("ACCESS_DENIED", False, [])


@pytest.mark.rule("B14")
@on_postgres
def test_B14_an_edit_that_waited_is_based_on_the_edit_it_waited_for(
    make_service: MakeService,
) -> None:
    """The caller has the right by default and is no administrator: the locking query checks rights
    itself.
    """
    service = make_service(world=tree(users=CALLERS))
    other = {**EDIT, "data": {".text@0": "Other"}}

    met = meet(
        service,
        partial(service.result, "landing.block.updatenodes", EDIT),
        partial(service.result, "landing.block.updatenodes", other, **as_user(EDITOR)),
        after="FOR UPDATE",
    )

    assert (met.waited, met.errors) == (True, [])
    html = draft_html(service)
    assert ">New</h2>" in html
    assert ">Other</div>" in html
