"""`landing.block.updatenodes`: parameters, refusals and their order (contract 4.2; C1, B2, B7, B9).

Whatever is refused leaves every table as it was.
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CALLERS,
    CODE,
    DRAFT,
    EDITOR,
    OUTSIDER,
    PAGE,
    PUBLISHED,
    STRANGER,
    VIEWER,
    as_user,
    block,
    draft_html,
    everything,
    page,
    site,
    stored,
    world,
)

METHOD = "landing.block.updatenodes"
GOOD = {".title": "New"}


WORLD = world(
    page(
        PAGE,
        block(
            DRAFT, published_id=PUBLISHED, params={"bitrix:catalog.section": {"SECTION_ID": "1"}}
        ),
        block(101, deleted=True),
        {"id": 102, "code": "nobody.knows", "content": "<p class='title'>x</p>"},
        active=True,
        published=True,
    ),
    page(11, block(110)),
    page(12, block(120), deleted=True),
    page(20, block(130), site=8),
    sites=[site(8, type="KNOWLEDGE")],
    users=CALLERS,
)

OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "data": GOOD}

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "MISSING_PARAMS"),
    ({"lid": PAGE}, "MISSING_PARAMS"),
    (OF_BLOCK, "MISSING_PARAMS"),
    (EVERY | {"lid": None}, "MISSING_PARAMS"),
    (EVERY | {"data": None}, "MISSING_PARAMS"),
    # C1: what is missing is told before what is wrong
    ({"lid": "x", "block": []}, "MISSING_PARAMS"),
    (EVERY | {"lid": "x"}, "TYPE_ERROR"),
    (EVERY | {"lid": [PAGE]}, "TYPE_ERROR"),
    (EVERY | {"lid": True}, "TYPE_ERROR"),
    (EVERY | {"block": "12abc"}, "TYPE_ERROR"),
    (EVERY | {"block": {}}, "TYPE_ERROR"),
    (EVERY | {"data": "x"}, "TYPE_ERROR"),
    (EVERY | {"data": ""}, "TYPE_ERROR"),
    (EVERY | {"data": ["x"]}, "TYPE_ERROR"),
    (EVERY | {"data": 7}, "TYPE_ERROR"),
    (EVERY | {"additional": "x"}, "TYPE_ERROR"),
    (EVERY | {"additional": {"appendMenu": "perhaps"}}, "TYPE_ERROR"),
    (EVERY | {"preventHistory": "perhaps"}, "TYPE_ERROR"),
    (EVERY | {"preventHistory": 2}, "TYPE_ERROR"),
    (EVERY | {"scope": {}}, "TYPE_ERROR"),
    # C1: types are told before what does not exist
    ({"lid": 99, "block": 99, "data": "x"}, "TYPE_ERROR"),
    (EVERY | {"lid": 99}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 0}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": -1}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 2**31}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 2**64 + PAGE}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 12, "block": 120}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 20, "block": 130}, "LANDING_NOT_EXIST"),
    (EVERY | {"scope": "GROUP"}, "LANDING_NOT_EXIST"),
    # B2: another page's, published, marked deleted, missing
    (EVERY | {"block": 110}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 101}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 999}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 0}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 2**31}, "BLOCK_NOT_FOUND"),
    # B7: nothing applies
    (EVERY | {"data": {}}, "NODES_NOT_FOUND"),
    (EVERY | {"data": []}, "NODES_NOT_FOUND"),
    (EVERY | {"data": {".unknown": "x", "": "y", "h2": "z"}}, "NODES_NOT_FOUND"),
    (EVERY | {"data": {".text@3": "x"}}, "NODES_NOT_FOUND"),
    (EVERY | {"data": {".text@99999999999999999999": "x"}}, "NODES_NOT_FOUND"),
    (EVERY | {"data": {".text": {"attrs": {"data-unknown": "x"}}}}, "NODES_NOT_FOUND"),
    (EVERY | {"data": {"bitrix:catalog.section": {"attrs": {"X": "x"}}}}, "NODES_NOT_FOUND"),
    (EVERY | {"block": 102}, "NODES_NOT_FOUND"),
    # B9: a value of the wrong shape, whatever else is in data
    (EVERY | {"data": GOOD | {".text": 7}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".text": None}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".text": ["x"]}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".text": {}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".text": {"text": 1}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".pic": "x"}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".pic": {"src": 1}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".go": "x"}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".go": {"href": ["x"]}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".mark": "fa"}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".mark": ["fa", 1]}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".film": "https://film.example/"}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".film": {"src": 1}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".menu-list": {"text": "x"}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".menu-list": [{"href": "/"}]}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".text": {"attrs": "x"}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {"bitrix:catalog.section": "x"}}, "TYPE_ERROR"),
    # H3: embeds from nowhere, from nowhere safe, and from here
    (EVERY | {"data": GOOD | {".film": {"src": "http://film.example/"}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".film": {"src": "javascript:alert(1)"}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".film": {"src": "/here"}}}, "TYPE_ERROR"),
    (EVERY | {"data": GOOD | {".lazy": {"src": "data:text/html,x"}}}, "TYPE_ERROR"),
]

BY_OTHERS: list[tuple[int, dict[str, Any], str]] = [
    # C1: all entities are looked up before the right is checked, data is looked at after it
    (VIEWER, EVERY, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"data": {}}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"data": {".text": 7}}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"block": 999}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"lid": 99, "block": 999}, "LANDING_NOT_EXIST"),
    (VIEWER, EVERY | {"lid": "x"}, "TYPE_ERROR"),
    (STRANGER, EVERY, "LANDING_NOT_EXIST"),
    (STRANGER, EVERY | {"block": 999}, "LANDING_NOT_EXIST"),
    # R1: before any entity is looked up, behind the parameters
    (OUTSIDER, EVERY, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"lid": 99}, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"block": 999}, "ACCESS_DENIED"),
    (OUTSIDER, OF_BLOCK, "MISSING_PARAMS"),
    (OUTSIDER, EVERY | {"lid": "x"}, "TYPE_ERROR"),
    (EDITOR, EVERY | {"data": {}}, "NODES_NOT_FOUND"),
]


@pytest.mark.rule("C1", "C5", "C9", "B2", "B7", "B9", "H3", *rows(METHOD, "lid block data"))
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST"))
@pytest.mark.rule(*rows(METHOD, "BLOCK_NOT_FOUND NODES_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [(params, service.call(METHOD, params)) for params, _ in REFUSED]

    assert [(params, answer.error) for params, answer in answers] == REFUSED
    assert {answer.status for _, answer in answers} == {400}
    assert everything(service) == before


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", "landing.block.updatenodes ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [
        (who, params, service.call(METHOD, params, **as_user(who))) for who, params, _ in BY_OTHERS
    ]

    assert [(who, params, answer.error) for who, params, answer in answers] == BY_OTHERS
    assert everything(service) == before


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
def test_C8_C10_texts_name_the_parameters(
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
def test_4_2_accepted_spellings_answer_true(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)


def test_4_2_edit_is_enough(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    assert service.result(METHOD, EVERY, **as_user(EDITOR)) is True


@pytest.mark.rule("B1", "landing.block.updatenodes data", "landing.block.updatenodes data:text")
def test_4_2_the_edit_is_in_the_draft_and_nowhere_else(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    before = {row["id"]: row["content"] for row in stored(service, "landing_block")}

    service.result(METHOD, EVERY)

    after = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    changed = before[DRAFT].replace(">Old<", ">New<")
    assert after == before | {DRAFT: changed}


def test_4_2_the_block_says_who_changed_it_and_when(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    (before,) = stored(service, "landing_block", id=DRAFT)

    service.result(METHOD, EVERY, **as_user(EDITOR))

    (after,) = stored(service, "landing_block", id=DRAFT)
    assert (after["modified_by"], after["created_by"]) == (EDITOR, 0)
    assert after["modified_at"] > before["modified_at"]
    assert after["created_at"] == before["created_at"]


@pytest.mark.rule("B7")
def test_B7_an_equal_value_counts_as_a_change(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    before = draft_html(service)

    assert service.result(METHOD, OF_BLOCK, data={".title": "Old"}) is True
    assert draft_html(service) == before
    assert len(stored(service, "landing_history")) == 1


@pytest.mark.rule("B9", "landing.block.updatenodes data")
def test_B9_all_of_data_is_applied(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

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
def test_4_2_selectors_of_the_stored_code_decide(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    service.load(
        {"manifests": [{"code": CODE, "manifest": {"nodes": {".text": {"type": "text"}}}}]}
    )

    assert service.call(METHOD, EVERY).error == "NODES_NOT_FOUND"
