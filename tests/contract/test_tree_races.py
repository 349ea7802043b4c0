"""Two calls that change one tree at the same time leave consistent rows, in either order."""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeService
from contract.consistency import assert_rows_belong_together
from contract.documents import SWITCHED_ON
from contract.two_calls import meet, on_postgres
from contract.worlds import block, page, site, stored, world

from landyard.testing import Answer, Service

WORLD = world(
    page(10, block(100), block(101), block(102)),
    page(11, block(110)),
    page(12, folder=1, deleted=True),
    page(20, block(200), site=8),
    sites=[site(8), site(9)],
    folders=[{"id": 1, "site": 7, "code": "folder"}, {"id": 2, "site": 7, "code": "other"}],
)
ON_PAGE, BLOCK_TABLE = {"lid": 10, "block": 101}, "landing_block"
ADD = ("landing.addblock", {"lid": 10, "fields": {"CODE": "test.all", "AFTER_ID": 100}})
REMOVE = ("landing.deleteblock", ON_PAGE)
MOVE = ("landing.moveblock", ON_PAGE | {"params": {"AFTER_ID": 102}})
CARRY = ("landing.moveblock", {"lid": 11, "block": 101})
BACK = ("landing.moveblock", {"lid": 10, "block": 110})
PUBLISH = ("landing.publication", {"lid": 10})
UNDO = ("landing.history.undo", {"lid": 10})
ADD_PAGE = ("landing.add", {"fields": {"TITLE": "New", "SITE_ID": 9, "CODE": "folder"}})
IN_FOLDER = ("landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7, "FOLDER_ID": 1}})
AT_ROOT = ("landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}})
ADD_FOLDER = ("site.addFolder", {"siteId": 7, "fields": {"TITLE": "New", "CODE": "new"}})
TRASH_FOLDER = ("site.markFolderDelete", {"id": 1})
COPY = ("landing.copy", {"lid": 10, "toSiteId": 7, "toFolderId": 1})
BY_FORM = (
    "landing.addByTemplate",
    {"siteId": 7, "code": "empty", "fields": {"FOLDER_ID": 1, "TITLE": "New"}},
)
RESTORE = ("landing.markUnDelete", {"lid": 12})
INNER = ("site.addFolder", {"siteId": 7, "fields": {"TITLE": "New", "PARENT_ID": 1}})
PUT = ("landing.move", {"lid": 11, "toFolderId": 1})
INTO = ("site.updateFolder", {"siteId": 7, "folderId": 1, "fields": {"PARENT_ID": 2}})
AROUND = ("site.updateFolder", {"siteId": 7, "folderId": 2, "fields": {"PARENT_ID": 1}})
ERASE_SITE = ("site.delete", {"id": 9})
TRASH_SITE = ("site.markDelete", {"id": 7})
MAIN = ("site.update", {"id": 7, "fields": {"LANDING_ID_INDEX": 11, "LANDING_ID_404": 11}})
LEAVE = ("landing.move", {"lid": 11, "toSiteId": 8})
ERASE = ("landing.delete", {"lid": 11})
AREAS = ("template.setSiteRef", {"id": 7, "data": {"1": 11}})
SPECIAL = ("syspage.set", {"id": 7, "type": "cart", "lid": 11})
ROLE = ("role.setRights", {"id": 1, "rights": {"9": ["read"]}})
ENABLE = ("role.enable", {"mode": 1})

PAIRS = [
    *[
        (first, second)
        for first in (ADD, REMOVE, MOVE, CARRY)
        for second in (REMOVE, PUBLISH, UNDO)
    ],
    *[(CARRY, BACK), (MOVE, ADD), (PUBLISH, PUBLISH), (UNDO, REMOVE)],
    *[(ADD_PAGE, ERASE_SITE), (ERASE_SITE, ADD_PAGE), (ERASE_SITE, ROLE), (ROLE, ENABLE)],
    *[(IN_FOLDER, TRASH_FOLDER), (TRASH_FOLDER, IN_FOLDER), (INTO, AROUND), (INTO, TRASH_FOLDER)],
    *[(each, TRASH_FOLDER) for each in (COPY, BY_FORM, RESTORE, INNER, PUT)],
    *[(TRASH_FOLDER, each) for each in (COPY, BY_FORM, RESTORE, INNER, PUT)],
    *[(AT_ROOT, ADD_FOLDER), (ADD_FOLDER, AT_ROOT), (TRASH_SITE, PUBLISH), (PUBLISH, TRASH_SITE)],
    *[(first, second) for first in (MAIN, AREAS, SPECIAL) for second in (LEAVE, ERASE)],
    *[(first, second) for first in (LEAVE, ERASE) for second in (MAIN, AREAS, SPECIAL)],
]
Asked = tuple[str, dict[str, Any]]


def _ask(service: Service, asked: Asked) -> Callable[[], Answer]:
    return lambda: service.call(f"landing.{asked[0]}", asked[1])


@on_postgres
@pytest.mark.parametrize(
    ("first", "second"), PAIRS, ids=[f"{one[0]}-{other[0]}" for one, other in PAIRS]
)
def test_two_calls_at_once_leave_consistent_rows(
    make_service: MakeService, first: Asked, second: Asked
) -> None:
    """The first call stops after its first lock; the second begins, and may wait."""
    service = make_service(world=WORLD, plugins=SWITCHED_ON)
    service.result("landing.landing.publication", lid=10)
    service.result("landing.landing.hideblock", lid=10, block=102)  # calls that can be undone
    takes_turn = first[0].startswith(("template.", "syspage.", "role."))
    lock = "advisory" if takes_turn else "FOR "

    met = meet(service, _ask(service, first), _ask(service, second), after=lock)

    assert met.errors == []
    assert None in {met.first.error, met.second.error}
    assert_rows_belong_together(service)
    assert _folders_are_a_tree(service)


def _folders_are_a_tree(service: Service) -> bool:
    parents = {row["id"]: row["parent_id"] for row in stored(service, "landing_folder")}
    for folder, parent in parents.items():
        seen, at = {folder}, parent
        while at is not None:
            if at in seen:
                return False
            seen.add(at)
            at = parents[at]
    return True
