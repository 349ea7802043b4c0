"""`landing.block.getlist`: its parameters and what it answers (contract 4.3; B3, B4, C5 to C10)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CODE,
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

METHOD = "landing.block.getlist"

# Blocks of every kind: shown, hidden, marked deleted, never published, and gone from the draft.
KINDS = world(
    page(
        PAGE,
        block(100, published_id=200),
        block(101, active=False, published_id=201),
        block(102, deleted=True),
        block(103),
        block(102 + 2, published_id=204, published_active=False, sort=250),
        {"id": None, "code": CODE, "content": "<p>x</p>", "sort": 9000, "published_id": 205},
        active=True,
        published=True,
    ),
    page(11, block(110)),
    page(12, block(120), deleted=True, deleted_at="2026-01-01T00:00:00Z"),
    page(13),
)


def _ids(result: list[dict[str, Any]]) -> list[int]:
    return [item["id"] for item in result]


MODES: list[tuple[Any, list[int]]] = [
    (None, [204, 200, 201, 205]),
    ({}, [204, 200, 201, 205]),
    ([], [204, 200, 201, 205]),
    ({"edit_mode": True}, [104, 100, 101, 103]),
    ({"edit_mode": True, "deleted": True}, [102]),
    ({"deleted": True}, []),
    ({"edit_mode": None, "deleted": None, "get_content": None}, [204, 200, 201, 205]),
    ({"EDIT_MODE": True}, [204, 200, 201, 205]),
    # C6: any other value is true when it is not empty
    ({"edit_mode": "Y"}, [104, 100, 101, 103]),
    ({"edit_mode": "perhaps"}, [104, 100, 101, 103]),
    ({"edit_mode": 2}, [104, 100, 101, 103]),
    ({"edit_mode": [0]}, [104, 100, 101, 103]),
    ({"edit_mode": "OFF"}, [204, 200, 201, 205]),
    ({"edit_mode": "0"}, [204, 200, 201, 205]),
    ({"edit_mode": {}}, [204, 200, 201, 205]),
    ({"edit_mode": 1, "deleted": "no"}, [104, 100, 101, 103]),
]

LIDS: list[tuple[Any, list[int]]] = [
    (PAGE, [204, 200, 201, 205]),
    (str(PAGE), [204, 200, 201, 205]),
    (float(PAGE), [204, 200, 201, 205]),
    ([PAGE], [204, 200, 201, 205]),
    ([PAGE, str(PAGE), float(PAGE)], [204, 200, 201, 205]),
    ([11, PAGE, 13], [204, 200, 201, 205]),
    (11, []),  # never published
    (13, []),  # no blocks
]


@pytest.mark.rule("B4", "C6", "C7", *rows(METHOD, "params params.edit_mode params.deleted"))
def test_B4_mode_decides_which_blocks_are_read(make_service: MakeService) -> None:
    service = make_service(world=KINDS)

    listed = [
        (mode, _ids(service.result(METHOD, {"lid": PAGE, "params": mode}))) for mode, _ in MODES
    ]

    assert listed == MODES


@pytest.mark.rule("C5", "landing.block.getlist lid", "landing.block.getlist result")
def test_C5_lid_is_an_integer_or_a_list_of_them(make_service: MakeService) -> None:
    service = make_service(world=KINDS)

    listed = [(lid, _ids(service.result(METHOD, lid=lid))) for lid, _ in LIDS]

    assert listed == LIDS


@pytest.mark.rule("B3", "landing.block.getlist lid", "landing.block.getlist result.lid")
def test_B3_pages_stand_as_given_and_each_once(make_service: MakeService) -> None:
    service = make_service(world=KINDS)

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


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "MISSING_PARAMS"),
    ({"lid": None}, "MISSING_PARAMS"),
    ({"lid": []}, "MISSING_PARAMS"),
    ({"params": {"edit_mode": True}}, "MISSING_PARAMS"),
    ({"lid": ""}, "TYPE_ERROR"),
    ({"lid": True}, "TYPE_ERROR"),
    ({"lid": {}}, "TYPE_ERROR"),
    ({"lid": {"a": 1}}, "TYPE_ERROR"),
    ({"lid": "12abc"}, "TYPE_ERROR"),
    ({"lid": 12.5}, "TYPE_ERROR"),
    ({"lid": [PAGE, "x"]}, "TYPE_ERROR"),
    ({"lid": [PAGE, None]}, "TYPE_ERROR"),
    ({"lid": [[PAGE]]}, "TYPE_ERROR"),
    ({"lid": PAGE, "params": "x"}, "TYPE_ERROR"),
    ({"lid": PAGE, "params": [1]}, "TYPE_ERROR"),
    ({"lid": PAGE, "start": "x"}, "TYPE_ERROR"),
    ({"lid": PAGE, "start": []}, "TYPE_ERROR"),
    ({"lid": PAGE, "scope": []}, "TYPE_ERROR"),
    ({"lid": 99}, "LANDING_NOT_EXIST"),
    ({"lid": 0}, "LANDING_NOT_EXIST"),
    ({"lid": -PAGE}, "LANDING_NOT_EXIST"),
    ({"lid": 2**31}, "LANDING_NOT_EXIST"),
    ({"lid": [PAGE, 2**31 + PAGE]}, "LANDING_NOT_EXIST"),
    ({"lid": 2**63 - 1}, "LANDING_NOT_EXIST"),
    ({"lid": 2**64 + PAGE}, "LANDING_NOT_EXIST"),
    ({"lid": str(10**29)}, "LANDING_NOT_EXIST"),
    ({"lid": [PAGE, 99]}, "LANDING_NOT_EXIST"),
    ({"lid": [PAGE, 12]}, "LANDING_NOT_EXIST"),
    ({"lid": list(range(1, 1200))}, "LANDING_NOT_EXIST"),
    ({"lid": 12}, "LANDING_NOT_EXIST"),  # R6: in the trash
    ({"lid": 12, "params": {"edit_mode": True, "deleted": True}}, "LANDING_NOT_EXIST"),
    ({"lid": PAGE, "scope": "KNOWLEDGE"}, "LANDING_NOT_EXIST"),
]


@pytest.mark.rule(
    "C1", "C5", "C7", "C9", "R6", *rows(METHOD, "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST scope")
)
def test_4_3_errors_leave_everything_as_it_was(make_service: MakeService) -> None:
    service = make_service(world=KINDS, raise_crashes=False)
    before = everything(service)

    answers = [(params, service.call(METHOD, params)) for params, _ in REFUSED]

    assert [(params, answer.error) for params, answer in answers] == REFUSED
    assert {answer.status for _, answer in answers} == {400}
    assert {tuple(answer.body) for _, answer in answers} == {("error", "error_description")}
    assert everything(service) == before


@pytest.mark.rule("C8", "landing.block.getlist MISSING_PARAMS")
def test_C8_missing_names_the_parameter(make_service: MakeService) -> None:
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
def test_C10_wrong_type_names_the_parameter(
    make_service: MakeService, params: dict[str, Any], text: str
) -> None:
    assert make_service().call(METHOD, params).body["error_description"] == text


@pytest.mark.rule("C4")
def test_C4_unknown_parameters_are_ignored(make_service: MakeService) -> None:
    service = make_service(world=KINDS)

    result = service.result(METHOD, {"lid": PAGE, "order": {"ID": "asc"}, "params": {"x": [1]}})

    assert _ids(result) == [204, 200, 201, 205]


@pytest.mark.rule("B17")
def test_B17_a_hidden_page_still_reads_its_last_published_version(
    make_service: MakeService,
) -> None:
    hidden = page(PAGE, block(DRAFT, published_id=PUBLISHED), active=False, published=True)
    service = make_service(world=world(hidden))

    assert _ids(service.result(METHOD, lid=PAGE)) == [PUBLISHED]


def test_4_3_view_is_enough(make_service: MakeService) -> None:
    viewer = user(2, sites_access=True, rights={"*": ["view"]})
    service = make_service(world=one_page() | world(users=[viewer], manifests=()) | _pages())

    assert _ids(service.result(METHOD, lid=PAGE, **as_user(2))) == [PUBLISHED]


def _pages() -> dict[str, Any]:
    return {"pages": one_page()["pages"]}
