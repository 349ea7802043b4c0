"""Nothing is put into a folder that is in the trash; restored pages come to the root (P8)."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import block, everything, page, stored, world

from landyard.testing import Service

LANDING, SITE = "landing.landing", "landing.site"
OUTER, INNER, LIVE = 1, 2, 3
WORLD = world(
    page(10, title="Home"),
    page(11, block(110), folder=OUTER, code="in"),
    page(12, folder=INNER, code="deep"),
    page(13, folder=OUTER, code="earlier", deleted=True, deleted_at="2026-01-01T00:00:00Z"),
    page(14, code="beside", folder=LIVE),
    page(15, code="in"),
    page(16, code="deep"),
    sites=[{"id": 8, "code": "other"}],
    folders=[
        {"id": OUTER, "site": 7, "code": "outer", "title": "Outer"},
        {"id": INNER, "site": 7, "parent": OUTER, "code": "inner", "title": "Inner"},
        {"id": LIVE, "site": 7, "code": "live", "title": "Live"},
    ],
    templates=[{"code": "promo", "type": "PAGE", "title": "Promo", "fields": {"CODE": "promo"}}],
)
ROOT = {"folder_id": None, "deleted": 0}


def place(service: Service, page_id: int) -> dict[str, Any]:
    (row,) = stored(service, "landing_page", id=page_id)
    return {name: row[name] for name in ROOT}


def folder(service: Service, folder_id: int) -> dict[str, Any]:
    return stored(service, "landing_folder", id=folder_id)[0]


def need_no_live_thing_in_the_trash(service: Service) -> None:
    folders = {row["id"]: row for row in stored(service, "landing_folder")}
    pages = [(row, row["folder_id"]) for row in stored(service, "landing_page")]
    for row, parent in [*pages, *((row, row["parent_id"]) for row in folders.values())]:
        above = None if row["deleted"] else parent
        while above is not None:
            assert not folders[above]["deleted"], row
            above = folders[above]["parent_id"]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    service = make_service(world=WORLD)
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    return service


RESTORING: list[tuple[str, dict[str, Any]]] = [
    (f"{LANDING}.markUnDelete", {}),
    (f"{LANDING}.markDelete", {"mark": False}),
    (f"{LANDING}.update", {"fields": {"DELETED": "N"}}),
    (f"{LANDING}.update", {"fields": {"DELETED": "N", "TITLE": "New", "CODE": "new"}}),
    (f"{LANDING}.update", {"fields": {"DELETED": "N", "FOLDER_ID": 0}}),
]


@pytest.mark.parametrize("page_id", [11, 12, 13])
@pytest.mark.parametrize(("method", "more"), RESTORING)
def test_P8_a_restored_page_comes_to_the_root(
    service: Service, method: str, more: dict[str, Any], page_id: int
) -> None:
    service.result(method, lid=page_id, **more)

    assert place(service, page_id) == ROOT
    service.result(f"{LANDING}.publication", lid=page_id)
    url = service.result(f"{LANDING}.getpublicurl", lid=page_id)
    assert service.get(url.removeprefix(service.kernel.settings.base)).status_code == 200
    codes = [row["code"] for row in stored(service, "landing_page") if row["folder_id"] is None]
    assert len({*codes}) == len(codes)  # P3
    need_no_live_thing_in_the_trash(service)


def test_P8_a_page_returns_to_a_folder_outside_the_trash(service: Service) -> None:
    service.result(f"{LANDING}.markDelete", lid=14)
    service.result(f"{LANDING}.markUnDelete", lid=14)

    assert place(service, 14) == {"folder_id": LIVE, "deleted": 0}


@pytest.mark.parametrize("method", ["markFolderUnDelete", "markFolderDelete"])
def test_P8_a_restored_folder_comes_to_the_root(service: Service, method: str) -> None:
    more = {} if method == "markFolderUnDelete" else {"mark": False}
    service.result(f"{SITE}.{method}", id=INNER, **more)

    found = folder(service, INNER)
    assert (found["parent_id"], found["deleted"], found["code"]) == (None, 0, "inner")
    assert place(service, 12) == {"folder_id": INNER, "deleted": 0}
    assert folder(service, OUTER)["deleted"]
    service.result(f"{LANDING}.publication", lid=12)
    assert service.get("/site-7/inner/deep/").status_code == 200


def test_P3_its_code_gets_a_suffix_where_it_is_taken(service: Service) -> None:
    service.result(f"{LANDING}.add", fields={"TITLE": "x", "SITE_ID": 7, "CODE": "inner"})
    service.result(f"{SITE}.markFolderUnDelete", id=INNER)

    code = folder(service, INNER)["code"]
    assert code.startswith("inner_")
    assert len(code) == len("inner_") + 4


def test_P8_all_are_restored_with_the_outer_folder(service: Service) -> None:
    service.result(f"{SITE}.markFolderUnDelete", id=OUTER)

    assert place(service, 11) == {"folder_id": OUTER, "deleted": 0}
    assert place(service, 12) == {"folder_id": INNER, "deleted": 0}
    assert folder(service, INNER)["parent_id"] == OUTER
    assert place(service, 13) == {"folder_id": OUTER, "deleted": 1}


NEW = {"TITLE": "x", "SITE_ID": 7, "CODE": "x"}
INTO: list[tuple[str, dict[str, Any], str]] = [
    (f"{LANDING}.add", {"fields": NEW | {"FOLDER_ID": OUTER}}, "FOLDER_NOT_FOUND"),
    (f"{LANDING}.add", {"fields": NEW | {"FOLDER_ID": INNER}}, "FOLDER_NOT_FOUND"),
    (f"{LANDING}.update", {"lid": 10, "fields": {"FOLDER_ID": OUTER}}, "FOLDER_NOT_FOUND"),
    (f"{LANDING}.update", {"lid": 11, "fields": {"FOLDER_ID": OUTER}}, "FOLDER_NOT_FOUND"),
    (
        f"{LANDING}.update",
        {"lid": 11, "fields": {"FOLDER_ID": INNER, "DELETED": "N"}},
        "FOLDER_NOT_FOUND",
    ),
    (f"{LANDING}.move", {"lid": 10, "toFolderId": OUTER}, "FOLDER_NOT_FOUND"),
    (f"{LANDING}.move", {"lid": 14, "toFolderId": INNER}, "FOLDER_NOT_FOUND"),
    (f"{LANDING}.copy", {"lid": 10, "toSiteId": 7, "toFolderId": OUTER}, "ACCESS_DENIED"),
    (
        f"{LANDING}.addByTemplate",
        {"siteId": 7, "code": "promo", "fields": {"FOLDER_ID": OUTER}},
        "FOLDER_NOT_FOUND",
    ),
    (
        f"{LANDING}.addByTemplate",
        {"siteId": 7, "code": "promo", "fields": {"ID": OUTER}},
        "LANDING_ERROR",
    ),
    (
        f"{LANDING}.addByTemplate",
        {"siteId": 7, "code": "promo", "fields": {"ID": 11}},
        "LANDING_ERROR",
    ),
    (
        f"{SITE}.addFolder",
        {"siteId": 7, "fields": {"TITLE": "x", "PARENT_ID": OUTER}},
        "ACCESS_DENIED",
    ),
    (
        f"{SITE}.updateFolder",
        {"siteId": 7, "folderId": LIVE, "fields": {"TITLE": "x", "PARENT_ID": INNER}},
        "ACCESS_DENIED",
    ),
    (f"{SITE}.publicationFolder", {"folderId": OUTER}, "ACCESS_DENIED"),
    (f"{SITE}.publicationFolder", {"folderId": INNER}, "ACCESS_DENIED"),
    (f"{LANDING}.publication", {"lid": 11}, "LANDING_NOT_EXIST"),
]


def refuse_all(service: Service) -> None:
    before = everything(service)

    answers = [(name, sent, service.call(name, sent).error) for name, sent, _ in INTO]

    assert answers == INTO
    assert everything(service) == before


def test_P8_nothing_is_put_into_a_folder_in_the_trash(service: Service) -> None:
    refuse_all(service)


def test_P8_nothing_is_put_into_a_folder_that_an_older_version_left_in_a_trashed_one(
    service: Service,
) -> None:
    with service.kernel.store.engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE landing_folder SET deleted = false WHERE id = {INNER}"))

    refuse_all(service)


def test_P8_a_page_that_an_older_version_left_there_is_published_at_the_root(
    service: Service,
) -> None:
    with service.kernel.store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE landing_page SET deleted = false WHERE id = 11"))

    service.result(f"{LANDING}.publication", lid=11)

    url = service.result(f"{LANDING}.getpublicurl", lid=11)
    assert service.get(url.removeprefix(service.kernel.settings.base)).status_code == 200
    assert place(service, 11) == ROOT


def undone(service: Service, prepare: Callable[[Service], str]) -> Any:
    service.result(f"{SITE}.markFolderUnDelete", id=OUTER)
    made = prepare(service)
    return service.call("landyard.call.undo", id=made)


def _moved_out(service: Service) -> str:
    made = service.call(f"{LANDING}.move", lid=11).request_id
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    return made


def _moved_in_the_trash(service: Service) -> str:
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    made = service.call(f"{LANDING}.update", lid=11, fields={"FOLDER_ID": 0}).request_id
    service.result(f"{LANDING}.markUnDelete", lid=11)
    return made


def _removed(service: Service) -> str:
    made = service.call(f"{LANDING}.markDelete", lid=11).request_id
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    return made


def _restored_and_filled(service: Service) -> str:
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    made = service.call(f"{SITE}.markFolderUnDelete", id=OUTER).request_id
    service.result(f"{LANDING}.add", fields=NEW | {"FOLDER_ID": OUTER})
    return made


def _folder_moved(service: Service) -> str:
    fields = {"TITLE": "Inner", "PARENT_ID": 0}
    made = service.call(f"{SITE}.updateFolder", siteId=7, folderId=INNER, fields=fields).request_id
    service.result(f"{SITE}.markFolderDelete", id=OUTER)
    return made


@pytest.mark.parametrize(
    "prepare", [_moved_out, _moved_in_the_trash, _removed, _restored_and_filled, _folder_moved]
)
def test_P8_an_undo_puts_nothing_into_a_folder_in_the_trash(
    service: Service, prepare: Callable[[Service], str]
) -> None:
    answer = undone(service, prepare)

    assert answer.error == "UNDO_CONFLICT", answer
    need_no_live_thing_in_the_trash(service)


@pytest.mark.parametrize("method", [f"{SITE}.markFolderUnDelete", f"{SITE}.markFolderDelete"])
def test_P8_unchanged_rows_are_undone_as_before(service: Service, method: str) -> None:
    mark = method.endswith(".markFolderDelete")
    if mark:
        service.result(f"{SITE}.markFolderUnDelete", id=OUTER)
    made = service.call(method, id=OUTER).request_id

    assert service.call("landyard.call.undo", id=made).error is None

    assert bool(folder(service, OUTER)["deleted"]) is not mark
    need_no_live_thing_in_the_trash(service)


def test_P8_a_world_puts_nothing_into_a_folder_in_the_trash(make_service: MakeService) -> None:
    gone = {"id": OUTER, "site": 7, "code": "outer", "deleted": True}
    inner = {"id": INNER, "site": 7, "parent": OUTER, "code": "inner"}
    pages = [
        page(10, folder=OUTER),
        page(11, folder=OUTER, deleted=True),
        page(12, folder=INNER),
        {key: value for key, value in page(13, folder=OUTER, code="own").items() if key != "id"},
    ]
    loaded = world(*pages, folders=[gone, inner])
    service = make_service(world=loaded)

    need_no_live_thing_in_the_trash(service)
    assert place(service, 10) == ROOT
    assert place(service, 11) == {"folder_id": OUTER, "deleted": 1}
    before = everything(service)
    service.load(loaded)
    assert everything(service) == before
    service.load({"pages": [{"id": 11, "site": 7, "deleted": False}]})
    assert place(service, 11) == ROOT
