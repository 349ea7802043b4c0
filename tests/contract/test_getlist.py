"""`landing.block.getlist`: its parameters and its answers (contract 4.3; B3, B4, C5 to C10)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    DRAFT,
    PAGE,
    PUBLISHED,
    as_user,
    block,
    everything,
    one_page,
    page,
    user,
    world,
)
from corpora import read_cases, read_data

from landyard.testing import Service

METHOD = "landing.block.getlist"

# Blocks of every kind: shown, hidden, marked deleted, never published, and removed from the draft.
KINDS = read_data(__file__, "KINDS", dict[str, list[dict[str, Any]]])


def _ids(result: list[dict[str, Any]]) -> list[int]:
    return [item["id"] for item in result]


MODES = read_cases(__file__, "MODES", tuple[Any, list[int]])

LIDS = read_data(__file__, "LIDS", list[tuple[Any, list[int]]])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=KINDS)


@pytest.mark.rule("B4", "C6", "C7", *rows(METHOD, "params params.edit_mode params.deleted"))
def test_B4_mode_decides_which_blocks_are_read(service: Service) -> None:
    listed = [
        (mode, _ids(service.result(METHOD, {"lid": PAGE, "params": mode}))) for mode, _ in MODES
    ]

    assert listed == MODES


@pytest.mark.rule("C5", "landing.block.getlist lid", "landing.block.getlist result")
def test_C5_lid_is_an_integer_or_a_list_of_them(service: Service) -> None:
    listed = [(lid, _ids(service.result(METHOD, lid=lid))) for lid, _ in LIDS]

    assert listed == LIDS


@pytest.mark.rule("B3", "landing.block.getlist lid", "landing.block.getlist result.lid")
def test_B3_pages_are_listed_in_the_order_sent_and_each_once(service: Service) -> None:
    result = service.result(METHOD, {"lid": [11, PAGE, 11, 13], "params": {"edit_mode": True}})

    assert [(item["lid"], item["id"]) for item in result] == [
        (11, 110),
        *[(PAGE, draft) for draft in (104, 100, 101, 103)],
    ]


@pytest.mark.rule("B3")
def test_B3_order_is_sort_then_id(make_service: MakeService) -> None:
    blocks = [block(i, sort=sort) for i, sort in ((105, 10), (104, 20), (106, 10), (103, -5))]
    service = make_service(world=world(page(PAGE, *blocks)))

    assert _ids(service.result(METHOD, {"lid": PAGE, "params": {"edit_mode": 1}})) == [
        103,
        105,
        106,
        104,
    ]


REFUSED = read_cases(__file__, "REFUSED", tuple[dict[str, Any], str])
REFUSED.append(({"lid": list(range(1, 1200))}, "LANDING_NOT_EXIST"))


@pytest.mark.rule(
    "C1", "C5", "C7", "C9", "R6", *rows(METHOD, "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST scope")
)
def test_4_3_a_refused_call_changes_nothing(make_service: MakeService) -> None:
    service = make_service(world=KINDS, raise_crashes=False)
    before = everything(service)

    answers = [(params, service.call(METHOD, params)) for params, _ in REFUSED]

    assert [(params, answer.error) for params, answer in answers] == REFUSED
    assert {answer.status for _, answer in answers} == {400}
    assert {tuple(answer.body) for _, answer in answers} == {("error", "error_description")}
    assert everything(service) == before


@pytest.mark.rule("C8", "landing.block.getlist MISSING_PARAMS")
def test_C8_the_text_names_the_missing_parameter(make_service: MakeService) -> None:
    answer = make_service().call(METHOD)

    assert answer.body["error_description"] == "Not enough call parameters, missing: lid"


@pytest.mark.rule("C10", "landing.block.getlist TYPE_ERROR")
@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"lid": {}}, "Parameter 'lid' must be an integer or an array of integers."),
        ({"lid": PAGE, "start": "x"}, "Parameter 'start' must be an integer."),
        ({"lid": PAGE, "params": 1}, "Parameter 'params' must be an object."),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C10_the_text_names_the_parameter_of_a_wrong_type(
    make_service: MakeService, params: dict[str, Any], text: str
) -> None:
    assert make_service().call(METHOD, params).body["error_description"] == text


@pytest.mark.rule("C4")
def test_C4_unknown_parameters_are_ignored(service: Service) -> None:
    result = service.result(METHOD, {"lid": PAGE, "order": {"ID": "asc"}, "params": {"x": [1]}})

    assert _ids(result) == [204, 200, 201, 205]


@pytest.mark.rule("B17")
def test_B17_the_last_published_version_of_a_hidden_page_is_still_listed(
    make_service: MakeService,
) -> None:
    hidden = page(PAGE, block(DRAFT, published_id=PUBLISHED), active=False, published=True)
    service = make_service(world=world(hidden))

    assert _ids(service.result(METHOD, lid=PAGE)) == [PUBLISHED]


def test_4_3_the_view_right_is_enough(make_service: MakeService) -> None:
    viewer = user(2, sites_access=True, rights={"*": ["view"]})
    service = make_service(world=one_page() | world(users=[viewer], manifests=()) | _pages())

    assert _ids(service.result(METHOD, lid=PAGE, **as_user(2))) == [PUBLISHED]


def _pages() -> dict[str, Any]:
    return {"pages": one_page()["pages"]}
