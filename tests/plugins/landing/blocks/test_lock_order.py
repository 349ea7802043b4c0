"""Calls that lock several rows lock them in one order: nobody waits in a circle."""

from functools import partial

import pytest
from conftest import MakeService
from contract.meetings import meet, on_postgres
from contract.templates import template
from contract.worlds import row, stored, tree

ADD = "landing.landing.addByTemplate"
DELETE = "landing.landing.delete"
NEW = {"siteId": 7, "code": "promo", "fields": {"ADD_IN_MENU": "Y", "TITLE": "New"}}


@pytest.mark.rule("P10", "P12", f"{ADD} fields.ADD_IN_MENU")
@on_postgres
def test_P12_a_main_page_is_deleted_while_its_menu_gets_a_link(make_service: MakeService) -> None:
    """A new page has locked its site and wants the menu's block: the deletion must not have it."""
    service = make_service(world={**tree(), "templates": [template("promo", blocks=[])]})

    met = meet(
        service,
        partial(service.result, ADD, NEW),
        partial(service.result, DELETE, lid=10),
        after="INSERT INTO landing_page",
    )

    assert met.waited
    assert met.errors == []  # no deadlock, which would have rerun one of them
    assert row(service, met.first)["title"] == "New"
    assert met.second is True
    assert stored(service, "landing_page", id=10) == []
    assert stored(service, "landing_site", id=7)[0]["main_page_id"] is None
