"""`landing.landing.move` moves a page to another site or folder (contract 4.8; P3, P6, R7)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    as_user,
    everything,
    page,
    row,
    stored,
    tree,
    user,
)
from corpora import read_data

from landyard.testing import Answer, Service

MOVE = "landing.landing.move"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def _move(service: Service, page_id: Any = 12, who: int = 1, **to: Any) -> Answer:
    return service.call(MOVE, {"lid": page_id, **to}, **as_user(who))


def _place(service: Service, page_id: int = 12) -> tuple[int, int | None]:
    found = row(service, page_id)
    return found["site_id"], found["folder_id"]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule(f"{MOVE} toSiteId", f"{MOVE} toFolderId", f"{MOVE} result", "state: move")
@pytest.mark.parametrize(
    ("page_id", "to", "place"),
    read_data(
        __file__,
        "4 8 the same page elsewhere",
        list[tuple[int, dict[str, Any], tuple[int, int | None]]],
    ),
)
def test_4_8_a_moved_page_keeps_its_id_and_blocks(
    make_service: MakeService, page_id: int, to: Any, place: tuple[int, int | None]
) -> None:
    service = make_service(world=tree(), now=NOW)
    before = row(service, page_id)
    blocks = stored(service, "landing_block")

    assert _move(service, page_id, **to).result is True

    assert _place(service, page_id) == place
    after = row(service, page_id)
    changed = {name for name, value in after.items() if value != before[name]}
    assert changed <= {"site_id", "folder_id", "modified_at", "modified_by"}
    assert after["modified_by"] == 1
    assert str(after["modified_at"]).startswith("2026-03-01 12:00:05")
    assert stored(service, "landing_block") == blocks


@pytest.mark.rule("P6")
@pytest.mark.parametrize(
    ("page_id", "to"),
    [(10, {}), (10, {"toSiteId": 7}), (12, {"toFolderId": 1}), (11, {"toFolderId": 1})],
)
def test_P6_moving_a_page_to_its_own_place_changes_nothing(
    service: Service, page_id: int, to: Any
) -> None:
    before = everything(service)

    assert _move(service, page_id, **to).result is True
    assert everything(service) == before


@pytest.mark.rule("P6", "C5", f"{MOVE} FOLDER_NOT_FOUND", f"{MOVE} ACCESS_DENIED")
def test_P6_a_missing_place_is_refused(service: Service) -> None:
    before = everything(service)
    refused: list[tuple[dict[str, Any], str]] = [
        *(({"toFolderId": each}, "FOLDER_NOT_FOUND") for each in (3, 99, -1, 2**31, 2**63)),
        *(({"toSiteId": each}, "ACCESS_DENIED") for each in (99, -7, 2**31, 2**63, -(10**30))),
        ({"toSiteId": 8, "toFolderId": 3}, "FOLDER_NOT_FOUND"),  # two calls are needed
        ({"toSiteId": 8, "toFolderId": 2}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 8, "toFolderId": -1}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 7, "toFolderId": 3}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 99, "toFolderId": 99}, "ACCESS_DENIED"),
        # a site of this type is found only by calls that name its scope
        ({"toSiteId": 9}, "ACCESS_DENIED"),
        ({"toSiteId": 9, "scope": "PAGE"}, "ACCESS_DENIED"),
    ]

    for to, error in refused:
        assert _move(service, 10, **to).error == error, to
    assert everything(service) == before


@pytest.mark.rule("R5", f"{MOVE} scope")
def test_R5_the_scope_must_fit_both_sites(make_service: MakeService) -> None:
    service = make_service(world=tree(page(31, site=9)))

    answers = [
        _move(service, 30, scope="knowledge").error,
        _move(service, 30, toSiteId=8, scope="KNOWLEDGE").error,
        _move(service, 30, toSiteId=8).error,
        _move(service, 12, toSiteId=8, scope="page").error,
    ]

    assert answers == [None, "ACCESS_DENIED", "LANDING_NOT_EXIST", None]


# Rights on site 7, rights on site 8, the destination, and the expected error.
ORDER = read_data(__file__, "ORDER", list[tuple[list[str], list[str], dict[str, int], str | None]])


@pytest.mark.rule("R7", f"{MOVE} DELETE_ACCESS_DENIED", f"{MOVE} ACCESS_DENIED")
def test_R7_the_rights_in_their_order(make_service: MakeService) -> None:
    """A caller and a page for each row."""
    callers = [
        user(2 + number, sites_access=True, rights={"7": here, "8": there})
        for number, (here, there, _, _) in enumerate(ORDER)
    ]
    pages = [page(50 + number, folder=1) for number in range(len(ORDER))]
    service = make_service(world=tree(*pages, users=callers))

    for number, (_, _, to, error) in enumerate(ORDER):
        before = everything(service)
        assert _move(service, 50 + number, 2 + number, **to).error == error, ORDER[number]
        assert (everything(service) == before) is (error is not None)


@pytest.mark.rule("P3")
def test_P3_a_page_in_the_trash_reserves_no_code(make_service: MakeService) -> None:
    service = make_service(world=tree(page(23, code="page-12", site=8, deleted=True)))

    _move(service, 12, toSiteId=8)

    assert row(service, 12)["code"] == "page-12"


@pytest.mark.rule("P6")
def test_4_8_a_page_reaches_a_folder_of_another_site_in_two_calls(service: Service) -> None:
    assert _move(service, 12, toSiteId=8).result is True
    assert _move(service, 12, toSiteId=8, toFolderId=3).result is True

    assert _place(service) == (8, 3)


@pytest.mark.rule("P6")
def test_P6_a_page_that_leaves_its_site_has_no_role_there_any_more(
    make_service: MakeService,
) -> None:
    """Otherwise visitors would see another site's page at its root, and the dump could not be
    loaded.
    """
    world = tree()
    world["sites"][0] |= {"page_404": 12, "page_503": 17}
    service = make_service(world=world)

    for page_id in (12, 17):
        assert _move(service, page_id, toSiteId=8).result is True

    (left,) = stored(service, "landing_site", id=7)
    named = ("main_page_id", "page_404_id", "page_503_id")
    assert [left[name] for name in named] == [10, None, None]
    assert service.get("/site-7/nothing/").status_code == 404
