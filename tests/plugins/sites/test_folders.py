"""Folders are made, changed, shown, and trashed with their content."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import VIEWER, need_refused, page, site, stored, user, world

from landyard.testing import Service

ADD, UPDATE = "landing.site.addFolder", "landing.site.updateFolder"
FOLDERS = [
    {"id": 1, "site": 7, "code": "one", "title": "One"},
    {"id": 2, "site": 7, "code": "two", "parent": 1},
    {"id": 3, "site": 8, "code": "far"},
    {"id": 4, "site": 7, "code": "areas"},
    {"id": 5, "site": 7, "code": "gone", "deleted": True},
]
WORLD = world(
    page(10, code="taken"),
    page(11, folder=1, active=True, published=True),
    page(12, folder=2),
    page(13, folder=2, deleted=True, deleted_at="2026-01-01T00:00:00Z"),
    page(14, folder=4, area=True),
    sites=[site(8, domain="eight.example")],
    folders=FOLDERS,
    users=[user(VIEWER, sites_access=True, rights={"*": ["view"]})],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _row(service: Service, folder_id: int) -> dict[str, Any]:
    return stored(service, "landing_folder", id=folder_id)[0]


def test_a_new_folder_is_inactive_unless_the_caller_activates_it(service: Service) -> None:
    plain = service.result(ADD, siteId=7, fields={"TITLE": "Über uns"})
    inner = service.result(
        ADD, siteId=7, fields={"TITLE": "x", "CODE": "one", "PARENT_ID": 1, "ACTIVE": "Y"}
    )

    found = [
        (_row(service, each)["code"], _row(service, each)["active"]) for each in (plain, inner)
    ]
    assert found == [("uber-uns", False), ("one", True)]
    assert _row(service, inner)["parent_id"] == 1


def test_C1_a_wrong_folder_is_refused(service: Service) -> None:
    wrong: list[tuple[int, dict[str, Any], str]] = [
        (7, {"CODE": "x"}, "BX_EMPTY_REQUIRED"),
        (7, {"TITLE": " "}, "BX_EMPTY_REQUIRED"),
        (7, {"TITLE": "x", "CODE": "one"}, "FOLDER_IS_NOT_UNIQUE"),
        (7, {"TITLE": "x", "CODE": "gone"}, "FOLDER_IS_NOT_UNIQUE"),
        (7, {"TITLE": "x", "CODE": "taken"}, "FOLDER_IS_NOT_UNIQUE"),
        (7, {"TITLE": "x", "CODE": "two", "PARENT_ID": 1}, "FOLDER_IS_NOT_UNIQUE"),
        (8, {"TITLE": "x", "CODE": "rest"}, "FOLDER_IS_NOT_UNIQUE"),
        (7, {"TITLE": "x", "CODE": "a/b"}, "SLASH_IS_NOT_ALLOWED"),
        (7, {"TITLE": "x", "PARENT_ID": 3}, "ACCESS_DENIED"),
        (7, {"TITLE": "x", "PARENT_ID": 5}, "ACCESS_DENIED"),
        (99, {"TITLE": "x"}, "ACCESS_DENIED"),
    ]
    need_refused(
        service, ADD, [(1, {"siteId": site_id, "fields": of}, code) for site_id, of, code in wrong]
    )
    changes: list[tuple[int, dict[str, Any], str]] = [
        (1, {"CODE": "areas"}, "FOLDER_IS_NOT_UNIQUE"),
        (1, {"CODE": "a/b"}, "SLASH_IS_NOT_ALLOWED"),
        (1, {"PARENT_ID": 2}, "ACCESS_DENIED"),
        (1, {"PARENT_ID": 1}, "ACCESS_DENIED"),
        (1, {"INDEX_ID": 99}, "ACCESS_DENIED"),
        (3, {}, "ACCESS_DENIED"),
        (5, {}, "ACCESS_DENIED"),
    ]
    need_refused(
        service,
        UPDATE,
        [(1, {"siteId": 7, "folderId": at, "fields": of}, code) for at, of, code in changes],
    )


def test_an_update_without_a_parent_goes_to_the_root(service: Service) -> None:
    fields = {"TITLE": "New", "CODE": "", "INDEX_ID": 12, "ACTIVE": "N"}

    assert service.result(UPDATE, siteId=7, folderId=2, fields=fields) is True

    row = _row(service, 2)
    assert (row["title"], row["code"], row["parent_id"]) == ("New", "new", None)
    assert (row["index_page_id"], row["active"], row["modified_by"]) == (12, False, 1)


def test_a_list_of_folders_is_filtered(service: Service) -> None:
    def ids(**filter_: Any) -> list[str]:
        found = service.result("landing.site.getFolders", siteId=7, filter=filter_)
        return [row["ID"] for row in found]

    assert ids() == ["1", "2", "4"]
    for root in (0, None, False, "", "0"):
        assert ids(PARENT_ID=root) == ["1", "4"]
    assert ids(PARENT_ID=1) == ["2"]
    assert ids(**{"=DELETED": "Y"}) == ["5"]
    assert service.call("landing.site.getFolders", siteId=7, filter={"X": 1}).error == "TYPE_ERROR"


def test_a_folder_is_shown_with_its_parents(service: Service) -> None:
    service.load({"folders": [each | {"active": False} for each in FOLDERS[:2]]})

    service.result("landing.site.publicationFolder", folderId=2)
    assert [_row(service, each)["active"] for each in (1, 2)] == [True, True]
    service.result("landing.site.publicationFolder", folderId=2, mark=False)
    service.result("landing.site.unPublicFolder", folderId=1)
    assert [_row(service, each)["active"] for each in (1, 2)] == [False, False]
    assert service.call("landing.site.publicationFolder", folderId=5).error == "ACCESS_DENIED"


def test_P8_rows_trashed_together_are_restored_together(service: Service) -> None:
    def trashed() -> tuple[list[int], list[int]]:
        tables = ("landing_folder", "landing_page")
        folders, pages = (
            [row["id"] for row in stored(service, name) if row["deleted"]] for name in tables
        )
        return folders, pages

    for _ in range(2):
        assert service.result("landing.site.markFolderDelete", id=1) is True
        assert trashed() == ([1, 2, 5], [11, 12, 13])
    for _ in range(2):
        assert service.result("landing.site.markFolderUnDelete", id=1) is True
        assert trashed() == ([5], [13])
    assert not any(row["active"] for row in stored(service, "landing_page", folder_id=1))
    assert not _row(service, 1)["active"]
    service.result("landing.site.markFolderDelete", id=5, mark=False)
    assert trashed() == ([], [13])


def test_a_folder_that_contains_an_area_cannot_be_trashed(service: Service) -> None:
    need_refused(
        service, "landing.site.markFolderDelete", [(1, {"id": 4}, "FOLDER_CONTAINS_AREAS")]
    )
