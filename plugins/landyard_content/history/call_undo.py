"""Undo of calls that changed blocks and files: merges, events and rules."""

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared
from landyard_content.blocks.blocktypes import read_types
from landyard_content.files.records import use_files
from landyard_content.history.undo_in_history import enter_undo
from landyard_html.merging import SamePlace, merge_html
from landyard_landing.events import announce_edit
from landyard_landing.tables import FILE, MANIFEST
from landyard_landing.undoing import may_undo
from landyard_undo.rules import UndoRules

Row = Mapping[str, Any]

_TAG = re.compile("<[a-z][^<>]*>")
_ATTRIBUTE = re.compile(r'[^\s="<>]+(?:="[^"]*")?')
_DIGEST = Prepared(select(MANIFEST.digest).where(MANIFEST.code == bindparam("code")), str)
_FREE = Prepared(
    update(FILE.id.table)
    .where(FILE.id == bindparam("file_id"))
    .values(temporary=True, created_at=bindparam("freed_at"))
)


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


def announce_undone_block(call: Call, _kind: str, row: Row) -> None:
    """Publish that a block of a page's draft was changed; the published copy has no such event."""
    if not row["public"]:
        announce_edit(call, row["page_id"], row["id"])


_SIGNED = ("modified_at", "modified_by")
UNDO_RULES: list[UndoRules] = [
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
    UndoRules(table="landing_history", rows="log", enter=enter_undo),
]
"""The rules of the tables of blocks, files and the history."""
