"""Replaces an uploaded file by another one in all blocks, pages and sites that mention it."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Table, Text, cast, insert, select, update

from landyard import Call
from landyard_content import blocks, files
from landyard_landing import authorship, change_tables, events, tables

_NAME = "[A-Za-z0-9_][A-Za-z0-9._-]{0,119}"
_PAGES, _SITES, _BLOCKS = tables.PAGE.id.table, tables.SITE.id.table, tables.BLOCK.id.table


class Replaced(Struct, frozen=True):
    """The ids of pages and sites in which the file was replaced."""

    pages: list[int]
    sites: list[int]


def replace_file(call: Call, key: str, path: str) -> Replaced:
    """Write `path` in place of the file `key` in all blocks, pages and sites that mention it.

    Drafts and published blocks change alike, so that no page starts to differ from its draft. Each
    change of a draft block has an entry in the page's history.
    """
    mention = re.compile(f"/files/{key}/{_NAME}")
    pages, sites = set[int](), set[int]()
    # Pages before sites before blocks before files: all calls lock in this order.
    for row, new in _changed(call, _PAGES, mention, path):
        _save(call, _PAGES, row, new)
        pages.add(row["id"])
    for row, new in _changed(call, _SITES, mention, path):
        _save(call, _SITES, row, new)
        events.announce_site(call, "changed", row["id"])
        sites.add(row["id"])
    for row, new in _changed(call, _BLOCKS, mention, path):
        _save(call, _BLOCKS, row, new)
        _enter(call, row, new)
        pages.add(row["page_id"])
    events.announce_pages(call, "changed", sorted(pages))
    if pages or sites:
        files.use_files(call.connection, path)
    return Replaced(sorted(pages), sorted(sites))


def _changed(
    call: Call, table: Table, mention: re.Pattern[str], path: str
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the rows that mention a file, locked, each with the new values of its columns."""
    columns = ("content", "params") if table is _BLOCKS else ("additional_fields",)
    ids = set[int]()
    for name in columns:
        query = files.mentions(name, select(table.c.id, cast(table.c[name], Text)))
        found = call.connection.execute(query[call.connection.dialect.name])
        ids |= {row_id for row_id, text in found if mention.search(text)}
    rows = select(*table.c).where(table.c.id.in_(ids)).order_by(table.c.id)
    for row in call.connection.execute(rows.with_for_update(key_share=True)).mappings().all():
        new = {name: _with(row[name], mention, path) for name in columns}
        yield row, {name: value for name, value in new.items() if value != row[name]}


def _with(value: Any, mention: re.Pattern[str], path: str) -> Any:
    if isinstance(value, str):
        return mention.sub(path, value)
    return msgspec.json.decode(mention.sub(path, msgspec.json.encode(value).decode()))


def _save(call: Call, table: Table, row: Any, new: dict[str, Any]) -> None:
    values = {**new, **authorship.changed_by(call)}
    call.connection.execute(update(table).where(table.c.id == row["id"]).values(values))


def _enter(call: Call, row: Any, new: dict[str, Any]) -> None:
    """Enter the change of a draft block in the history, unless it is marked as deleted."""
    if row["public"] or row["deleted"]:
        return
    entry = {
        "page_id": row["page_id"],
        "block_id": row["id"],
        "user_id": call.actor.user_id,
        "at": call.now(),
        "method": call.method,
        "before": (old := {name: row[name] for name in new}),
        "after": blocks.spliced(old, new),
    }
    call.connection.execute(insert(change_tables.HISTORY.id.table).values(entry))
    events.announce_edit(call, row["page_id"], row["id"])
