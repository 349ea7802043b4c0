"""Undo of calls that changed sites, pages, blocks and files: rights, merges, events and rules."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from landyard import Call, Method, Prepared
from landyard_html.merging import SamePlace, merge_html
from landyard_landing.blocks.blocktypes import read_types
from landyard_landing.errors import AccessDenied
from landyard_landing.events.pages import (
    BlockEdited,
    PageChanged,
    PageCreated,
    PageDeleted,
    announce,
)
from landyard_landing.events.sites import SiteChanged, SiteCreated, SiteDeleted, announce_site
from landyard_landing.files.records import use_files
from landyard_landing.history.undo_in_history import enter_undo
from landyard_landing.history.undo_rules import (
    area_fits,
    folder_fits,
    page_fits,
    site_fits,
    special_page_fits,
)
from landyard_landing.rights.pages import Right, require_access, rights_of, with_rights
from landyard_landing.tables import FILE, MANIFEST, PAGE, SITE
from landyard_undo.rules import UndoRules, never, refused

Row = Mapping[str, Any]

_RIGHT = re.compile(r"\b(view|edit|settings|publish|delete)\b")
_TAG = re.compile("<[a-z][^<>]*>")
_ATTRIBUTE = re.compile(r'[^\s="<>]+(?:="[^"]*")?')
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
_DIGEST = Prepared(select(MANIFEST.digest).where(MANIFEST.code == bindparam("code")), str)
_FREE = Prepared(
    update(FILE.id.table)
    .where(FILE.id == bindparam("file_id"))
    .values(temporary=True, created_at=bindparam("freed_at"))
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


def merge_content(call: Call, row: Row, made: str, is_now: str, before: str) -> str:
    """Take an edit of a block's HTML back which was edited since; raises `ValueError`.

    So it is where both changed a place alike: what was edited since would be lost. That shows where
    the first edit is made anew.
    """
    digest = _DIGEST.first(call.connection, code=row["code"])
    kind = read_types(call.connection, {row["code"]: digest}, {})[row["code"]]
    nodes = kind.manifest.nodes
    texts = frozenset(selector for selector, node in nodes.items() if node.type == "text")
    try:
        merged = merge_html(made, is_now, before, texts)
        again = merge_html(before, merged, made, texts)
    except SamePlace as place:
        raise ValueError("content") from place
    if _plain(again) != _plain(is_now):
        raise ValueError("content")
    use_files(call.connection, merged, is_now)
    return merged


def _plain(content: str) -> str:
    """Write HTML with the attributes of each tag in one order."""
    return _TAG.sub(lambda tag: " ".join(sorted(_ATTRIBUTE.findall(tag[0]))), content)


def free_file(call: Call, row: Row) -> None:
    """Let an uploaded file go as temporary ones do, unless something uses it."""
    _FREE.run(call.connection, file_id=row["id"], freed_at=call.now())


def announce_undone_page(call: Call, kind: str, row: Row) -> None:
    """Publish that a page came, went or was changed."""
    events = {"insert": PageCreated, "delete": PageDeleted}
    announce(call, events.get(kind, PageChanged), row["id"])


def announce_undone_block(call: Call, _kind: str, row: Row) -> None:
    """Publish that a block of a page's draft was changed; the published copy has no such event."""
    if not row["public"]:
        announce(call, BlockEdited, row["page_id"], block_id=row["id"])


def announce_undone_site(call: Call, kind: str, row: Row) -> None:
    """Publish that a site came, went or was changed."""
    events = {"insert": SiteCreated, "delete": SiteDeleted}
    announce_site(call, events.get(kind, SiteChanged), row["id"])


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
    UndoRules(
        table="landing_block",
        allow=may_undo,
        announce=announce_undone_block,
        latest=_SIGNED,
        merges={"content": merge_content},
    ),
    UndoRules(
        table="landing_file",
        allow=may_undo,
        remove=free_file,
        latest=("temporary", "created_at"),
    ),
    UndoRules(table="landing_area", allow=may_undo, fits=area_fits),
    UndoRules(table="landing_special_page", allow=may_undo, fits=special_page_fits),
    UndoRules(table="landing_history", rows="log", enter=enter_undo),
    *never("landing_public"),
    *refused("landing_access", "landing_right", "landing_role_default", "landing_role_right"),
]
"""The rules of the tables of this plugin."""
