"""`landing.block.updatenodes`: parameters, refusals and their order (contract 4.2; C1, B2, B7, B9).

A refused call leaves every table as it was.
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CODE,
    DRAFT,
    EDITOR,
    PAGE,
    as_user,
    draft_html,
    find,
    guarded_world,
    need_refused,
    stored,
)
from corpora import read_cases

from landyard.testing import Service

METHOD = "landing.block.updatenodes"
GOOD = {".title": "New"}

WORLD = guarded_world(params={"bitrix:catalog.section": {"SECTION_ID": "1"}})

OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "data": GOOD}

REFUSED = read_cases(__file__, "REFUSED", tuple[dict[str, Any], str])

BY_OTHERS = read_cases(__file__, "BY_OTHERS", tuple[int, dict[str, Any], str])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


@pytest.mark.rule("C1", "C5", "C9", "B2", "B7", "B9", "H3", *rows(METHOD, "lid block data"))
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST"))
@pytest.mark.rule(*rows(METHOD, "BLOCK_NOT_FOUND NODES_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, [(1, *case) for case in REFUSED])


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", "landing.block.updatenodes ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, BY_OTHERS)


@pytest.mark.rule(
    "C8", "C10", "landing.block.updatenodes MISSING_PARAMS", "landing.block.updatenodes TYPE_ERROR"
)
@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({}, "Not enough call parameters, missing: lid, block, data"),
        ({"block": 1}, "Not enough call parameters, missing: lid, data"),
        (EVERY | {"block": "x"}, "Parameter 'block' must be an integer."),
        (EVERY | {"data": "x"}, "Parameter 'data' must be an object."),
        (EVERY | {"preventHistory": "x"}, "Parameter 'preventHistory' must be a boolean."),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C8_C10_the_texts_name_the_parameters(
    make_service: MakeService, params: dict[str, Any], text: str
) -> None:
    assert make_service().call(METHOD, params).body["error_description"] == text


ACCEPTED: list[dict[str, Any]] = [
    {},
    {"lid": str(PAGE), "block": float(DRAFT)},
    {"additional": None, "preventHistory": None, "scope": None},
    {"additional": [], "order": {"x": 1}},
    {"additional": {"appendMenu": "Y"}, "preventHistory": "no"},
    {"scope": "page"},
    {"data": GOOD | {".unknown": 7}},
]


@pytest.mark.rule("C4", "C5", "C6", "C7", *rows(METHOD, "lid block additional scope result"))
def test_4_2_accepted_spellings_answer_true(service: Service) -> None:
    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)


@pytest.mark.rule("C7")
def test_C7_a_list_with_integer_keys_is_a_list(service: Service) -> None:
    menu = {"2": {"text": "B", "children": {"1": {"text": "C"}}}, "1": {"text": "A"}}

    service.result(METHOD, EVERY | {"data": {".menu-list": menu, ".mark": {"3": "fa-check"}}})

    html = draft_html(service)
    assert [link.text for link in find(html, ".menu-list a")] == ["A", "B", "C"]
    assert find(html, ".fa-check")


@pytest.mark.rule("landing.block.updatenodes NODES_NOT_FOUND")
def test_4_2_the_refusal_names_the_selectors_of_the_block(service: Service) -> None:
    answer = service.call(METHOD, EVERY | {"data": {".titel": "New"}})

    assert answer.error == "NODES_NOT_FOUND"
    assert ".text, .title" in answer.body["error_description"]


def test_4_2_the_edit_right_is_enough(service: Service) -> None:
    assert service.result(METHOD, EVERY, **as_user(EDITOR)) is True


@pytest.mark.rule("B1", "landing.block.updatenodes data", "landing.block.updatenodes data:text")
def test_4_2_the_edit_changes_only_the_draft(service: Service) -> None:
    before = {row["id"]: row["content"] for row in stored(service, "landing_block")}

    service.result(METHOD, EVERY)

    after = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    changed = before[DRAFT].replace(">Old<", ">New<")
    assert after == before | {DRAFT: changed}


def test_4_2_the_block_names_its_last_editor_and_time(service: Service) -> None:
    (before,) = stored(service, "landing_block", id=DRAFT)

    service.result(METHOD, EVERY, **as_user(EDITOR))

    (after,) = stored(service, "landing_block", id=DRAFT)
    assert (after["modified_by"], after["created_by"]) == (EDITOR, 0)
    assert after["modified_at"] > before["modified_at"]
    assert after["created_at"] == before["created_at"]


@pytest.mark.rule("B7")
def test_B7_an_equal_value_counts_as_a_change(service: Service) -> None:
    before = draft_html(service)

    assert service.result(METHOD, OF_BLOCK, data={".title": "Old"}) is True
    assert draft_html(service) == before
    assert len(stored(service, "landing_history")) == 1


@pytest.mark.rule("B9", "landing.block.updatenodes data")
def test_B9_all_of_data_is_applied(service: Service) -> None:
    data = {
        ".title": "T",
        ".text@1": "Zwei",
        "bitrix:catalog.section": {"attrs": {"MESS_BTN_BUY": "Buy"}},
    }
    service.result(METHOD, OF_BLOCK, data=data)

    (row,) = stored(service, "landing_block", id=DRAFT)
    assert (">T<" in row["content"], ">Zwei<" in row["content"]) == (True, True)
    assert row["params"] == {"bitrix:catalog.section": {"SECTION_ID": "1", "MESS_BTN_BUY": "Buy"}}


@pytest.mark.rule("B7")
def test_4_2_the_manifest_of_the_stored_code_decides(service: Service) -> None:
    service.load(
        {"manifests": [{"code": CODE, "manifest": {"nodes": {".text": {"type": "text"}}}}]}
    )

    assert service.call(METHOD, EVERY).error == "NODES_NOT_FOUND"
