"""Describes edits of the history for people: the changed places, by names of block manifests."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import select

from landyard import Call, Prepared, one_of
from landyard_content import blocks, history
from landyard_html.differences import Difference, differences, excerpts
from landyard_landing import tables

_CODES = Prepared(select(tables.BLOCK.id, tables.BLOCK.code).where(one_of(tables.BLOCK.id, "ids")))


class EditDetails(Struct, frozen=True):
    """An edit for people: the name of its block, and the places that it changed."""

    name: str
    changes: list[Difference]


def details_of(call: Call, edits: Sequence[history.Edit]) -> list[EditDetails]:
    """Tell for each edit what it changed; nothing of what added, removed, moved or hid a block."""
    ids = sorted({edit.block_id for edit in edits})
    codes: dict[int, str] = dict(_CODES.all(call.connection, ids=ids)) if ids else {}
    for edit in edits:  # of blocks that are gone the edit knows that added or removed them
        for state in (edit.before, edit.after):
            if parts := state.get("block"):
                codes.setdefault(edit.block_id, parts["code"])
    kinds = blocks.find_types(call.connection, set(codes.values()), call.records(blocks.BlockType))
    unknown = blocks.BlockType("")
    return [_details(edit, kinds.get(codes.get(edit.block_id, ""), unknown)) for edit in edits]


def _details(edit: history.Edit, kind: blocks.BlockType) -> EditDetails:
    return EditDetails(kind.name or kind.code, [*_changes(edit, kind)])


def _changes(edit: history.Edit, kind: blocks.BlockType) -> Iterator[Difference]:
    before, after = edit.before, edit.after
    if "content" in before and "content" in after:
        yield from differences(before["content"], after["content"], kind.manifest)
    if "params" in before and "params" in after:
        yield from _of_parameters(before["params"] or {}, after["params"] or {})
    if "anchor" in before and "anchor" in after:
        yield Difference("anchor", "", before["anchor"] or "", after["anchor"] or "")


def _of_parameters(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    for component in {**before, **after}:
        old, new = before.get(component, {}), after.get(component, {})
        for name in {**old, **new}:
            if old.get(name) != new.get(name):
                values = (_written(each.get(name)) for each in (old, new))
                yield Difference("parameter", name, *excerpts(*values))


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
