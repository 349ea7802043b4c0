"""The rules by which calls that changed sites, folders and pages are undone: rights and events."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from landyard import Call, Method, Prepared
from landyard_landing.errors import AccessDenied
from landyard_landing.events import PageChange, SiteChange, announce_pages, announce_site
from landyard_landing.rights.site_rights import Right, require_access, rights_of, with_rights
from landyard_landing.tables import FILE, PAGE, SITE
from landyard_landing.undoing.fits import (
    area_fits,
    folder_fits,
    page_fits,
    site_fits,
    special_page_fits,
)
from landyard_undo.rules import UndoRules, never, refused

Row = Mapping[str, Any]

_RIGHT = re.compile(r"\b(view|edit|settings|publish|delete)\b")
# Of a method whose right depends on what is sent: which right the column needs.
_MORE = {
    "deleted": Right.DELETE,
    "published": Right.PUBLISH,
    "date_public": Right.PUBLISH,
    "site_id": Right.EDIT,
}
_SITE_OF_PAGE = Prepared(select(PAGE.site_id).where(PAGE.id == bindparam("page_id")), int)
_PAGE_OF_FILE = Prepared(select(FILE.page_id).where(FILE.key == bindparam("key")), int)
_RIGHTS = Prepared(
    with_rights(select().select_from(SITE.id.table).where(SITE.id == bindparam("site_id")), SITE.id)
)


def may_undo(call: Call, methods: Sequence[Method], row: Row, changed: Collection[str]) -> None:
    """Need the rights on a row's site that the methods need; raises `AccessDenied`."""
    if call.actor.admin:
        return
    if any("access to sites" in method.right for method in methods):
        require_access(call)
    site_id = _site_of(call, row)
    if site_id is None:
        return
    found = _RIGHTS.first(call.connection, site_id=site_id, user_id=call.actor.user_id)
    has = rights_of(call.actor, *found) if found else Right(0)
    for method in methods:
        always, _, depends = method.right.partition("; with ")
        needed = {Right[name.upper()] for name in _RIGHT.findall(always)}
        if depends:
            needed |= {_MORE[name] for name in changed if name in _MORE}
        for right in needed:
            if right not in has:
                raise AccessDenied(f"To undo {method.name} needs the right to {right.does}.")


def announce_undone_page(call: Call, kind: str, row: Row) -> None:
    """Publish that a page came, went or was changed."""
    changes: dict[str, PageChange] = {"insert": "created", "delete": "deleted"}
    announce_pages(call, changes.get(kind, "changed"), [row["id"]])


def announce_undone_site(call: Call, kind: str, row: Row) -> None:
    """Publish that a site came, went or was changed."""
    changes: dict[str, SiteChange] = {"insert": "created", "delete": "deleted"}
    announce_site(call, changes.get(kind, "changed"), row["id"])


def _site_of(call: Call, row: Row) -> int | None:
    """Find the site of a row by its columns; None where it is of none."""
    if "main_page_id" in row:
        return int(row["id"])
    site_id: int | None = row.get("site_id")
    page_id = row.get("framed_id") or row.get("page_id")
    if page_id is None and "key" in row:
        page_id = _PAGE_OF_FILE.first(call.connection, key=row["key"])
    if not site_id and page_id:
        site_id = _SITE_OF_PAGE.first(call.connection, page_id=page_id)
    return site_id or None


_SIGNED = ("modified_at", "modified_by")
UNDO_RULES: list[UndoRules] = [
    UndoRules(
        table="landing_site",
        allow=may_undo,
        fits=site_fits,
        announce=announce_undone_site,
        latest=_SIGNED,
    ),
    UndoRules(table="landing_folder", allow=may_undo, fits=folder_fits, latest=_SIGNED),
    UndoRules(
        table="landing_page",
        allow=may_undo,
        fits=page_fits,
        announce=announce_undone_page,
        latest=_SIGNED,
    ),
    UndoRules(table="landing_area", allow=may_undo, fits=area_fits),
    UndoRules(table="landing_special_page", allow=may_undo, fits=special_page_fits),
    *never("landing_public"),
    *refused("landing_access", "landing_right", "landing_role_default", "landing_role_right"),
]
"""The rules of the tables of sites, folders, pages and rights."""
