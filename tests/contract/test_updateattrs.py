"""`landing.block.updateattrs`: parameters, refusals and history (contract 4.4; C1, C9).

A refused call leaves every table as it was, and so does one whose data matches nothing.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CODE,
    DRAFT,
    EDITOR,
    HTML,
    PAGE,
    as_user,
    everything,
    find,
    guarded_world,
    need_refused,
    stored,
)
from corpora import read_cases

from landyard.testing import Service
from landyard_content.pages.publication import publish

METHOD = "landing.block.updateattrs"
GOOD = {".text": {"title": "New"}}
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)

WORLD = guarded_world(params={"bitrix:catalog.section": {"SECTION_ID": 1}})

OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "data": GOOD}

REFUSED = read_cases(__file__, "REFUSED", tuple[dict[str, Any], str])

BY_OTHERS = read_cases(__file__, "BY_OTHERS", tuple[int, dict[str, Any], str])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


@pytest.mark.rule("C1", "C5", "C7", "C9", "B2", "R5", "R6", *rows(METHOD, "lid block data scope"))
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS LANDING_NOT_EXIST BLOCK_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, [(1, *case) for case in REFUSED])


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", f"{METHOD} ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, BY_OTHERS)


@pytest.mark.rule("C8", f"{METHOD} MISSING_PARAMS")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C8_an_unusable_data_is_named_among_the_missing_parameters(
    make_service: MakeService,
) -> None:
    answer = make_service().call(METHOD, {"block": 1, "data": "x"})

    text = "Not enough call parameters, missing: lid, data"
    assert answer.body["error_description"] == text


NOTHING: list[Any] = read_cases(__file__, "NOTHING", object)


@pytest.mark.rule("B7", "B12", "B9", "H3", "C7", *rows(METHOD, "data result"))
def test_B7_data_that_matches_nothing_is_answered_true_and_writes_nothing(service: Service) -> None:
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
    {"scope": ["GROUP"]},  # C9: an unusable optional parameter counts as absent
]


@pytest.mark.rule("C4", "C5", "C7", "C9", *rows(METHOD, "lid block scope result"))
def test_4_4_accepted_spellings_answer_true_and_write(service: Service) -> None:
    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)
    assert len(stored(service, "landing_history")) == len(ACCEPTED)


@pytest.mark.rule("R3")
def test_4_4_the_edit_right_is_enough(service: Service) -> None:
    assert service.result(METHOD, EVERY, **as_user(EDITOR)) is True


@pytest.mark.rule("B1", "H2", f"{METHOD} data", "state: draft edit")
def test_4_4_the_edit_is_in_the_draft_until_the_page_is_published(service: Service) -> None:
    before = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    visited = service.get(f"/site-7/page-{PAGE}/").text

    service.result(METHOD, OF_BLOCK, data={".go": {"href": "/new", "target": "_self"}})

    changed = HTML.replace('href="/go?x=1#f" target="_blank"', 'href="/new" target="_self"')
    after = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    assert after == before | {DRAFT: changed}
    assert service.get(f"/site-7/page-{PAGE}/").text == visited
    with service.kernel.store.session(writes=True) as session:
        publish(session.connection(), PAGE, service.kernel.now())
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
def test_B7_an_equal_value_counts_as_a_change(service: Service) -> None:
    service.result(METHOD, OF_BLOCK, data={".go": {"target": "_blank"}})

    (entry,) = stored(service, "landing_history")
    assert (entry["before"], entry["after"]) == ({}, {})


@pytest.mark.rule("B15")
def test_B15_the_additional_check_does_not_apply(make_service: MakeService) -> None:
    service = make_service(world=WORLD, blocks={"verify_writes": True})

    assert service.result(METHOD, EVERY) is True


@pytest.mark.rule("B7")
def test_4_4_the_manifest_of_the_stored_code_decides(service: Service) -> None:
    service.load({"manifests": [{"code": CODE, "manifest": {"nodes": {".go": {"type": "link"}}}}]})
    before = everything(service)

    assert service.result(METHOD, EVERY) is True
    assert everything(service) == before
