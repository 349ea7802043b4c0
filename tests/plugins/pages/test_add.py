"""`landing.landing.add` makes an empty page (P1 to P3, P12)."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EDITOR,
    EVERY_RIGHT,
    OUTSIDER,
    VIEWER,
    as_user,
    block,
    draft_html,
    find,
    need_refused,
    page,
    row,
    stored,
    tree,
    user,
)
from corpora import read_data

from landyard.testing import Service

ADD = "landing.landing.add"
USERS = [
    user(VIEWER, sites_access=True, rights={"*": ["view"]}),
    user(EDITOR, sites_access=True, rights={"7": ["edit"]}),
    user(OUTSIDER, rights={"*": EVERY_RIGHT}),
]
WHOLE = read_data(__file__, "WHOLE", dict[str, Any])
STORED = read_data(__file__, "STORED", dict[str, Any])
REFUSED = read_data(__file__, "REFUSED", list[tuple[int, dict[str, Any], str]])
LENIENT = read_data(__file__, "LENIENT", list[dict[str, Any]])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree(page(19, block(700)), users=USERS))


def add(service: Service, **fields: Any) -> dict[str, Any]:
    sent = {"TITLE": "Spring sale", "SITE_ID": 7, **fields}
    return row(service, service.result(ADD, fields=sent, **as_user(EDITOR)))


def test_a_page_has_the_fields_that_were_sent_and_no_blocks(service: Service) -> None:
    page_id = service.result(ADD, fields=WHOLE)

    found = row(service, page_id)
    assert {name: found[name] for name in STORED if name in found} == STORED
    assert stored(service, "landing_block", page_id=page_id) == []


@pytest.mark.rule("P1", "P2")
def test_P2_an_address_is_made_from_the_title(service: Service) -> None:
    assert add(service)["code"] == "spring-sale"
    assert add(service, TITLE="Где лодки", CODE=None)["code"] == "gde-lodki"
    assert add(service, TITLE="One", CODE="", FOLDER="N")["code"] == "one"
    assert add(service, TITLE="Two", CODE=" ", FOLDER="Y")["code"] == "two"
    assert re.fullmatch("[a-z0-9]{12}", add(service, TITLE="")["code"])


@pytest.mark.rule("P3")
def test_P3_a_taken_code_gets_a_suffix(service: Service) -> None:
    assert re.fullmatch("page-14_[a-z]{4}", add(service, CODE="page-14")["code"])
    assert re.fullmatch("catalog_[a-z]{4}", add(service, CODE="catalog")["code"])
    assert add(service, CODE="page-14", FOLDER_ID=2)["code"] == "page-14"


@pytest.mark.rule("C9")
def test_C9_an_unusable_field_counts_as_absent(service: Service) -> None:
    for fields in LENIENT:
        found = add(service, **fields)
        assert (found["folder_id"], found["view_template"], found["description"]) == (
            None,
            None,
            "",
        )
        assert found["additional_fields"] in ({}, "{}")


@pytest.mark.rule("P12")
def test_P12_the_draft_of_a_menu_gets_a_link(service: Service) -> None:
    add(service, TITLE="Buy & sell", BLOCK_ID=700, MENU_CODE=".menu-list", CODE="buy")

    link = find(draft_html(service, 700), ".menu-list .menu-link")[-1]
    assert (link.text, link.attr("href")) == ("Buy & sell", "/site-7/buy/")


def test_P12_a_missing_menu_is_ignored(service: Service) -> None:
    before = stored(service, "landing_block")

    others: list[dict[str, Any]] = [
        {"BLOCK_ID": 99},
        {"BLOCK_ID": 200},
        {"MENU_CODE": ".no"},
        {"MENU_CODE": None},
    ]
    for more in others:
        add(service, **{"BLOCK_ID": 700, "MENU_CODE": ".menu-list", **more})

    assert stored(service, "landing_block") == before


@pytest.mark.rule("P1")
def test_a_refused_call_makes_no_page(service: Service) -> None:
    need_refused(service, ADD, REFUSED)


@pytest.mark.rule("R5")
def test_R5_a_site_of_another_type_is_found_with_its_scope(service: Service) -> None:
    fields = {"TITLE": "Article", "SITE_ID": 9}

    assert service.call(ADD, fields=fields).error == "SITE_NOT_FOUND"
    assert row(service, service.result(ADD, fields=fields, scope="knowledge"))["site_id"] == 9
