"""`landing.block.updateattrs`: parameters, refusals and traces (contract 4.4; C1, C9).

Whatever is refused, and whatever applies to nothing, leaves every table as it was.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CALLERS,
    CODE,
    DRAFT,
    EDITOR,
    HTML,
    NO_BLOCK,
    NO_PAGE,
    OUTSIDER,
    PAGE,
    PUBLISHED,
    STRANGER,
    VIEWER,
    as_user,
    block,
    everything,
    find,
    page,
    site,
    stored,
    world,
)

from landyard_landing.publication import publish

METHOD = "landing.block.updateattrs"
GOOD = {".text": {"title": "New"}}
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)


WORLD = world(
    page(
        PAGE,
        block(DRAFT, published_id=PUBLISHED, params={"bitrix:catalog.section": {"SECTION_ID": 1}}),
        block(101, deleted=True),
        {"id": 102, "code": "nobody.knows", "content": "<p class='text'>x</p>"},
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

NO_DATA: list[Any] = ["x", "", 7, True, ["x"], [[]], "{}"]

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "MISSING_PARAMS"),
    ({"lid": PAGE}, "MISSING_PARAMS"),
    ({"block": DRAFT, "data": GOOD}, "MISSING_PARAMS"),
    (OF_BLOCK, "MISSING_PARAMS"),
    (EVERY | {"lid": None}, "MISSING_PARAMS"),
    (EVERY | {"block": None}, "MISSING_PARAMS"),
    (EVERY | {"data": None}, "MISSING_PARAMS"),
    # C9: an unusable `data` is a missing one, and that is told first
    *((EVERY | {"data": bad}, "MISSING_PARAMS") for bad in NO_DATA),
    ({"lid": "x", "block": [], "data": "x"}, "MISSING_PARAMS"),
    ({"lid": 99, "block": 99, "data": 7}, "MISSING_PARAMS"),
    (EVERY | {"lid": []}, "MISSING_PARAMS"),  # C7
    # C9: an unusable id names nothing
    *((EVERY | {"lid": bad}, "LANDING_NOT_EXIST") for bad in NO_PAGE),
    *((EVERY | {"block": bad}, "BLOCK_NOT_FOUND") for bad in NO_BLOCK),
    ({"lid": "x", "block": "x", "data": {}}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 12, "block": 120}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 20, "block": 130}, "LANDING_NOT_EXIST"),
    (EVERY | {"scope": "GROUP"}, "LANDING_NOT_EXIST"),
    (EVERY | {"scope": ""}, "LANDING_NOT_EXIST"),
    # B2: another page's, published, marked deleted
    (EVERY | {"block": 110}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 101}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": PUBLISHED, "data": {}}, "BLOCK_NOT_FOUND"),
]

BY_OTHERS: list[tuple[int, dict[str, Any], str]] = [
    # C1: all entities are looked up before the right is checked, data is looked at after it
    (VIEWER, EVERY, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"data": {}}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"data": {".unknown": 7}}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"data": 7}, "MISSING_PARAMS"),
    (VIEWER, EVERY | {"block": 999}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"lid": 99, "block": 999}, "LANDING_NOT_EXIST"),
    (STRANGER, EVERY, "LANDING_NOT_EXIST"),
    (STRANGER, EVERY | {"block": 999}, "LANDING_NOT_EXIST"),
    # R1: before any entity is looked up, behind the parameters
    (OUTSIDER, EVERY, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"lid": 99}, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"block": "x"}, "ACCESS_DENIED"),
    (OUTSIDER, OF_BLOCK, "MISSING_PARAMS"),
]


@pytest.mark.rule("C1", "C5", "C7", "C9", "B2", "R5", "R6", *rows(METHOD, "lid block data scope"))
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS LANDING_NOT_EXIST BLOCK_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [(params, service.call(METHOD, params)) for params, _ in REFUSED]

    assert [(params, answer.error) for params, answer in answers] == REFUSED
    assert {answer.status for _, answer in answers} == {400}
    assert everything(service) == before


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", f"{METHOD} ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [
        (who, params, service.call(METHOD, params, **as_user(who))) for who, params, _ in BY_OTHERS
    ]

    assert [(who, params, answer.error) for who, params, answer in answers] == BY_OTHERS
    assert everything(service) == before


@pytest.mark.rule("C8", f"{METHOD} MISSING_PARAMS")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C8_an_unusable_data_is_named_among_what_is_missing(make_service: MakeService) -> None:
    answer = make_service().call(METHOD, {"block": 1, "data": "x"})

    text = "Not enough call parameters, missing: lid, data"
    assert answer.body["error_description"] == text


NOTHING: list[Any] = [
    {},
    [],
    {".unknown": {"title": "x"}},
    {"": {"title": "x"}, "@": {"title": "x"}, "@0": {"title": "x"}},
    {"h2": {"title": "x"}, "section": {"title": "x"}, "*": {"title": "x"}},
    {".text@3": {"title": "x"}, ".text@99999999999999999999": {"title": "x"}},
    {".text@0@0": {"title": "x"}, " .text": {"title": "x"}, ".TEXT": {"title": "x"}},
    {".text": {"data-unknown": "x", "href": "x"}},
    {".text": {}, ".title": []},
    {".text": {"title": None}},
    # what is no object has no code, and is passed over
    {".text": None, ".text@0": "x", ".title": 7, ".go": True, ".pic": ["title"]},
    {".text": [{"title": "x"}], ".title": 1.5},
    {".text": {"attrs": {"title": "x"}}},
    # B12: never set, on selectors that any attribute may be set on
    {".title": dict.fromkeys(("class", "style", "id", "onclick", "srcdoc", "sandbox"), "x")},
    {".go": dict.fromkeys(("CLASS", "Style", "iD", "OnClick", "onx", "on"), "x")},
    {".title": {"": "x", " title": "x", "a b": "x", "x=y": "x", 'x">': "x", "tit\u0131e": "x"}},
    {".title": {"href": "x", "src": "x", "action": "x", "formaction": "x", "is": "x"}},
    # H3: a frame of nowhere, and of nowhere safe
    {".film": {"src": "javascript:alert(1)"}, ".lazy": {"data-src": "http://film.example/"}},
    # 4.4: attributes of elements: a component is none
    {"bitrix:catalog.section": {"SECTION_ID": "7", "title": "x"}},
    {"bitrix:catalog.section@0": {"MESS_BTN_BUY": "Buy"}},
    # B12: the block itself, of which the manifest says nothing here; another; the wrapper
    {"#block100": {"title": "x"}, "#block101": {"title": "x"}, "#wrapper": {"title": "x"}},
    {"#b100": {"title": "x"}, "block100": {"title": "x"}, "#block": {"title": "x"}},
]


@pytest.mark.rule("B7", "B12", "B9", "H3", "C7", *rows(METHOD, "data result"))
def test_B7_what_applies_to_nothing_is_true_and_writes_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    before = everything(service)

    results = [(data, service.result(METHOD, OF_BLOCK, data=data)) for data in NOTHING]
    results.append((GOOD, service.result(METHOD, EVERY | {"block": 102})))

    assert [data for data, result in results if result is not True] == []
    assert everything(service) == before


ACCEPTED: list[dict[str, Any]] = [
    {},
    {"lid": str(PAGE), "block": float(DRAFT)},
    {"scope": None, "order": {"x": 1}, "preventHistory": "perhaps", "additional": 7},
    {"scope": "page"},
    {"scope": "PAGE"},
    {"scope": ["GROUP"]},  # C9: an unusable optional parameter is an absent one
]


@pytest.mark.rule("C4", "C5", "C7", "C9", *rows(METHOD, "lid block scope result"))
def test_4_4_accepted_spellings_answer_true_and_write(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)
    assert len(stored(service, "landing_history")) == len(ACCEPTED)


@pytest.mark.rule("R3")
def test_4_4_edit_is_enough(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    assert service.result(METHOD, EVERY, **as_user(EDITOR)) is True


@pytest.mark.rule("B1", "H2", f"{METHOD} data", "state: draft edit")
def test_4_4_the_edit_is_in_the_draft_until_the_page_is_published(
    make_service: MakeService,
) -> None:
    service = make_service(world=WORLD)
    before = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    visited = service.get(f"/site-7/page-{PAGE}/").text

    service.result(METHOD, OF_BLOCK, data={".go": {"href": "/new", "target": "_self"}})

    changed = HTML.replace('href="/go?x=1#f" target="_blank"', 'href="/new" target="_self"')
    after = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    assert after == before | {DRAFT: changed}
    assert service.get(f"/site-7/page-{PAGE}/").text == visited
    with service.kernel.store.session(writes=True) as session:
        publish(session, PAGE, service.kernel.now())
    (link,) = find(service.get(f"/site-7/page-{PAGE}/").text, ".go")
    assert (link.attr("href"), link.text) == ("/new", "Go")


@pytest.mark.rule("B14")
def test_B14_an_edit_is_one_entry_and_signed(make_service: MakeService) -> None:
    service = make_service(world=WORLD, now=NOW)
    data = {".text@1": {"title": "x"}, ".title": {"data-a": 1}, ".unknown": {"title": "x"}}

    service.result("Landing.Block.UpdateAttrs", OF_BLOCK, data=data, **as_user(EDITOR))

    (entry,) = stored(service, "landing_history")
    changed = HTML.replace('<h2 class="title big"', '<h2 class="title big" data-a="1"')
    changed = changed.replace('<div class="text">Two', '<div class="text" title="x">Two')
    assert (entry["page_id"], entry["block_id"], entry["user_id"]) == (PAGE, DRAFT, EDITOR)
    assert (entry["method"], entry["at"]) == (METHOD, NOW.replace(tzinfo=None))
    assert (entry["before"], entry["after"]) == ({"content": HTML}, {"content": changed})
    (row,) = stored(service, "landing_block", id=DRAFT)
    assert (row["modified_by"], row["modified_at"]) == (EDITOR, NOW.replace(tzinfo=None))
    assert row["params"] == {"bitrix:catalog.section": {"SECTION_ID": 1}}


@pytest.mark.rule("B7", "B14")
def test_B7_an_equal_value_counts_as_a_change(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    service.result(METHOD, OF_BLOCK, data={".go": {"target": "_blank"}})

    (entry,) = stored(service, "landing_history")
    assert (entry["before"], entry["after"]) == ({}, {})


@pytest.mark.rule("B15")
def test_B15_the_additional_check_is_not_of_this_method(make_service: MakeService) -> None:
    service = make_service(world=WORLD, blocks={"verify_writes": True})

    assert service.result(METHOD, EVERY) is True


@pytest.mark.rule("B7")
def test_4_4_selectors_of_the_stored_code_decide(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    service.load({"manifests": [{"code": CODE, "manifest": {"nodes": {".go": {"type": "link"}}}}]})
    before = everything(service)

    assert service.result(METHOD, EVERY) is True
    assert everything(service) == before
