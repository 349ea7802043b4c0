"""`landing.landing.move`: a page goes to another site or folder (contract 4.8; P3, P6, R7)."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    NO_INTEGERS,
    NO_TEXTS,
    as_user,
    everything,
    page,
    row,
    stored,
    tree,
    user,
)

from landyard.testing import Answer, Service

MOVE = "landing.landing.move"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def _move(service: Service, page_id: Any = 12, who: int = 1, **to: Any) -> Answer:
    return service.call(MOVE, {"lid": page_id, **to}, **as_user(who))


def _place(service: Service, page_id: int = 12) -> tuple[int, int | None]:
    found = row(service, page_id)
    return found["site_id"], found["folder_id"]


def _main_pages(service: Service) -> dict[int, int | None]:
    return {each["id"]: each["main_page_id"] for each in stored(service, "landing_site")}


def _index_pages(service: Service) -> dict[int, int | None]:
    return {each["id"]: each["index_page_id"] for each in stored(service, "landing_folder")}


@pytest.mark.rule(f"{MOVE} toSiteId", f"{MOVE} toFolderId", f"{MOVE} result", "state: move")
@pytest.mark.parametrize(
    ("page_id", "to", "place"),
    [
        (12, {"toFolderId": 2}, (7, 2)),
        (12, {"toFolderId": "2"}, (7, 2)),
        (12, {"toSiteId": 7, "toFolderId": 2}, (7, 2)),
        (12, {"toSiteId": 0, "toFolderId": 2}, (7, 2)),
        (12, {}, (7, None)),
        (12, {"toFolderId": 0}, (7, None)),
        (12, {"toFolderId": None, "toSiteId": None}, (7, None)),
        (12, {"toSiteId": 7}, (7, None)),
        (12, {"toSiteId": 8}, (8, None)),
        (12, {"toSiteId": "8", "toFolderId": "0"}, (8, None)),
        (10, {"toFolderId": 1}, (7, 1)),
        (14, {"toSiteId": 8}, (8, None)),  # the lock guards only `delete`
        (15, {"toSiteId": 8}, (8, None)),
        (17, {"toFolderId": 1}, (7, 1)),
        (18, {"toFolderId": 1}, (7, 1)),
    ],
)
def test_4_8_the_same_page_elsewhere(
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
def test_P6_to_where_it_is_nothing_changes(
    make_service: MakeService, page_id: int, to: Any
) -> None:
    service = make_service(world=tree())
    before = everything(service)

    assert _move(service, page_id, **to).result is True
    assert everything(service) == before


@pytest.mark.rule("P6", "C5", f"{MOVE} FOLDER_NOT_FOUND", f"{MOVE} ACCESS_DENIED")
def test_P6_places_that_are_not_there(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = everything(service)
    refused: list[tuple[dict[str, Any], str]] = [
        *(({"toFolderId": each}, "FOLDER_NOT_FOUND") for each in (3, 99, -1, 2**31, 2**63)),
        *(({"toSiteId": each}, "ACCESS_DENIED") for each in (99, -7, 2**31, 2**63, -(10**30))),
        ({"toSiteId": 8, "toFolderId": 3}, "FOLDER_NOT_FOUND"),  # two calls are needed
        ({"toSiteId": 8, "toFolderId": 2}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 8, "toFolderId": -1}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 7, "toFolderId": 3}, "FOLDER_NOT_FOUND"),
        ({"toSiteId": 99, "toFolderId": 99}, "ACCESS_DENIED"),
        ({"toSiteId": 9}, "ACCESS_DENIED"),  # of a type that is not seen without its scope
        ({"toSiteId": 9, "scope": "PAGE"}, "ACCESS_DENIED"),
    ]

    for to, error in refused:
        assert _move(service, 10, **to).error == error, to
    assert everything(service) == before


@pytest.mark.rule("R5", f"{MOVE} scope")
def test_R5_the_scope_is_that_of_both_sites(make_service: MakeService) -> None:
    service = make_service(world=tree(page(31, site=9)))

    answers = [
        _move(service, 30, scope="knowledge").error,
        _move(service, 30, toSiteId=8, scope="KNOWLEDGE").error,
        _move(service, 30, toSiteId=8).error,
        _move(service, 12, toSiteId=8, scope="page").error,
    ]

    assert answers == [None, "ACCESS_DENIED", "LANDING_NOT_EXIST", None]


@pytest.mark.rule("R6", "R2", "C5", f"{MOVE} LANDING_NOT_EXIST", f"{MOVE} lid")
@pytest.mark.parametrize("page_id", [13, 30, 99, 0, -12, 2**31, 2**63])
def test_R6_pages_that_are_not_there(make_service: MakeService, page_id: int) -> None:
    service = make_service(world=tree())
    before = everything(service)

    assert _move(service, page_id, toSiteId=8).error == "LANDING_NOT_EXIST"
    assert everything(service) == before


@pytest.mark.rule("C5", "C8", f"{MOVE} TYPE_ERROR", f"{MOVE} MISSING_PARAMS")
def test_4_8_a_parameter_of_the_wrong_type(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = everything(service)
    refused: list[dict[str, Any]] = [{"lid": bad} for bad in NO_INTEGERS if bad != []]
    refused += [{"lid": 12, "toSiteId": bad} for bad in NO_INTEGERS]
    refused += [{"lid": 12, "toFolderId": bad} for bad in NO_INTEGERS]
    refused += [{"lid": 12, "scope": bad} for bad in NO_TEXTS]

    for sent in refused:
        assert service.call(MOVE, sent).error == "TYPE_ERROR", sent
    assert everything(service) == before


@pytest.mark.rule("C7", "C8", f"{MOVE} MISSING_PARAMS")
def test_C8_lid_is_required(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = everything(service)

    answers = [service.call(MOVE), service.call(MOVE, {"lid": None, "scope": []})]

    texts = {(each.error, each.body["error_description"].partition(": ")[2]) for each in answers}
    assert texts == {("MISSING_PARAMS", "lid")}
    assert everything(service) == before


# Rights on site 7, rights on site 8, where to, and what comes of it.
ORDER: list[tuple[list[str], list[str], dict[str, int], str | None]] = [
    (["view"], [], {"toSiteId": 8}, "DELETE_ACCESS_DENIED"),
    (["view"], [], {"toSiteId": 99}, "DELETE_ACCESS_DENIED"),
    (["view"], [], {"toFolderId": 99}, "DELETE_ACCESS_DENIED"),
    (["view", "edit", "settings", "publish"], ["edit"], {"toSiteId": 8}, "DELETE_ACCESS_DENIED"),
    (["delete"], [], {"toSiteId": 8}, "ACCESS_DENIED"),  # not seen
    (["delete"], [], {"toSiteId": 99}, "ACCESS_DENIED"),
    (["delete"], ["view", "delete", "settings", "publish"], {"toSiteId": 8}, "ACCESS_DENIED"),
    (["delete"], ["view"], {"toSiteId": 8, "toFolderId": 3}, "ACCESS_DENIED"),
    (["delete"], ["edit"], {"toSiteId": 8, "toFolderId": 3}, "FOLDER_NOT_FOUND"),
    (["delete"], ["edit"], {"toFolderId": 2}, "ACCESS_DENIED"),  # the target is site 7
    (["delete"], ["edit"], {}, "ACCESS_DENIED"),
    (["delete"], ["edit"], {"toFolderId": 99}, "ACCESS_DENIED"),
    (["delete"], ["edit"], {"toSiteId": 8}, None),  # no `edit` on the source
    (["delete", "edit"], [], {"toFolderId": 2}, None),
    (["delete", "edit"], [], {"toFolderId": 99}, "FOLDER_NOT_FOUND"),
    ([], ["edit", "delete"], {"toSiteId": 8}, "LANDING_NOT_EXIST"),
]


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


@pytest.mark.rule("P3", f"{MOVE} toSiteId", f"{MOVE} toFolderId")
@pytest.mark.parametrize(
    ("page_id", "to"),
    [(21, {"toSiteId": 8}), (21, {"toFolderId": 1}), (22, {}), (22, {"toSiteId": 8})],
)
def test_P3_on_arrival(make_service: MakeService, page_id: int, to: Any) -> None:
    service = make_service(
        world=tree(
            page(21, code="same"),
            page(22, code="same", folder=1),
            page(23, code="same", site=8),
        )
    )

    _move(service, page_id, **to)

    assert re.fullmatch("same_[a-z]{4}", row(service, page_id)["code"])


@pytest.mark.rule("P3")
def test_P3_a_page_in_the_trash_takes_no_code(make_service: MakeService) -> None:
    service = make_service(world=tree(page(23, code="page-12", site=8, deleted=True)))

    _move(service, 12, toSiteId=8)

    assert row(service, 12)["code"] == "page-12"


@pytest.mark.rule("P6", "P11", "state: move")
def test_P6_a_main_page_that_goes_is_no_main_page(make_service: MakeService) -> None:
    service = make_service(world=tree())

    _move(service, 10, toSiteId=8)

    assert _main_pages(service) == {6: None, 7: None, 8: 20, 9: None}
    url = service.result("landing.landing.getpublicurl", lid=10)
    assert url.endswith("/site-8/page-10/")


@pytest.mark.rule("P6")
def test_P6_inside_its_site_a_main_page_stays_the_main_page(make_service: MakeService) -> None:
    service = make_service(world=tree())

    _move(service, 10, toFolderId=2)

    assert _main_pages(service)[7] == 10


@pytest.mark.rule("P6")
@pytest.mark.parametrize("to", [{}, {"toFolderId": 2}, {"toSiteId": 8}])
def test_P6_an_index_page_that_goes_is_no_index_page(make_service: MakeService, to: Any) -> None:
    service = make_service(world=tree())

    _move(service, 11, **to)

    assert _index_pages(service) == {1: None, 2: None, 3: None}


@pytest.mark.rule("P6")
def test_4_8_to_a_folder_of_another_site_in_two_calls(make_service: MakeService) -> None:
    service = make_service(world=tree())

    assert _move(service, 12, toSiteId=8).result is True
    assert _move(service, 12, toSiteId=8, toFolderId=3).result is True

    assert _place(service) == (8, 3)
