"""`landyard page`: lists, publishes and hides pages; lists, undoes and redoes their edits."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal

import click
from sqlalchemy import Connection, bindparam, select

from landyard import Console, UnitOfWork
from landyard_content import history, pages
from landyard_landing import errors, events, sites, tables
from landyard_sitekit.history_texts import changes

_FIND = select(tables.PAGE.id).where(tables.PAGE.id == bindparam("page_id"))
_SAID = {"published": "published", "unpublished": "hidden"}
_ID = click.IntRange(1, 2**31 - 1)
page_id = click.argument("page_id", type=_ID)
page_ids = click.argument("page_ids", type=_ID, nargs=-1, required=True, metavar="PAGE_ID...")


@click.group()
def page() -> None:
    """Pages: their addresses, and what visitors see."""


@page.command("list")
@Console.json_option
@click.pass_obj
def list_pages(console: Console, as_json: bool) -> None:
    """List the pages."""
    columns = ("id", "site", "title", "state", "address")
    rows = []
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        query = select(*tables.PAGE).order_by(tables.PAGE.site_id, tables.PAGE.id)
        for row in unit.connection.execute(query).all():
            address = sites.address_of(unit.connection, row.id)
            url = address.url(host.settings.base) if address else ""
            rows.append(
                (
                    row.id,
                    row.site_id,
                    row.title,
                    _state(row.deleted, row.active, row.published),
                    url,
                )
            )
    console.table(columns, rows, as_json=as_json)


@page.command("history")
@page_id
@Console.json_option
@click.pass_obj
def show_history(console: Console, page_id: int, as_json: bool) -> None:
    """List the edits of the page's draft, the oldest first."""
    columns = ("id", "at", "user", "method", "block", "changed", "undone")
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        if unit.connection.scalar(_FIND, {"page_id": page_id}) is None:
            raise click.ClickException(f"there is no page {page_id}; see `landyard page list`")
        zone = host.settings.zone
        latest_first = unit.connection.execute(history.edits_of(page_id))
        edits = [history.Edit.of(*row) for row in latest_first]
        rows = [
            (
                edit.id,
                edit.at.astimezone(zone).replace(microsecond=0),
                edit.user_id,
                edit.method,
                edit.block_id,
                "; ".join(changes(edit)) or "nothing",
                edit.undone,
            )
            for edit in reversed(edits)
        ]
    console.table(columns, rows, as_json=as_json)


@page.command("undo")
@page_id
@click.pass_obj
def undo_edit(console: Console, page_id: int) -> None:
    """Undo the last edit of the page's draft."""
    _step(console, page_id, history.undo, "undone")


@page.command("redo")
@page_id
@click.pass_obj
def redo_edit(console: Console, page_id: int) -> None:
    """Redo the edit of the page's draft that was undone last."""
    _step(console, page_id, history.redo, "redone")


@page.command("publish")
@page_ids
@click.pass_obj
def publish_pages(console: Console, page_ids: tuple[int, ...]) -> None:
    """Show the drafts of pages to visitors, all or none."""
    _change(console, page_ids, pages.publish, "published")


@page.command("unpublish")
@page_ids
@click.pass_obj
def unpublish_pages(console: Console, page_ids: tuple[int, ...]) -> None:
    """Hide pages from visitors, all or none; nothing is lost."""
    _change(console, page_ids, pages.unpublish, "unpublished")


def _step(
    console: Console,
    page_id: int,
    step: Callable[[Connection, int, datetime, int], history.Edit | None],
    done: str,
) -> None:
    def work(unit: UnitOfWork) -> history.Edit | None:
        if unit.connection.scalar(_FIND.where(~tables.PAGE.deleted), {"page_id": page_id}) is None:
            raise click.ClickException(f"there is no page {page_id} outside the trash")
        edit = step(unit.connection, page_id, host.now(), 0)
        if edit is not None:
            events.announce_edit(events.HostWork(host, unit), page_id, edit.block_id)
            console.record(host, unit, f"page:{page_id}")
        return edit

    with console.host() as host:
        try:
            edit = host.store.run(work, writes=True)
        except history.HistoryConflict as conflict:
            raise click.ClickException(f"{conflict}; nothing was {done}") from conflict
    if edit is None:
        raise click.ClickException(f"page {page_id} has no edit that could be {done}")
    console.say(f"edit {edit.id} of page {page_id} is {done}: block {edit.block_id}, {edit.method}")


def _change(
    console: Console,
    page_ids: Iterable[int],
    change: Callable[[Connection, int, datetime], None],
    done: Literal["published", "unpublished"],
) -> None:
    def work(unit: UnitOfWork) -> None:
        refused = []
        for page_id in wanted:
            try:
                change(unit.connection, page_id, host.now())
            except errors.LandingNotExist:
                refused.append(f"there is no page {page_id} outside the trash")
        if refused:
            raise click.ClickException(f"{'; '.join(refused)}; see `landyard page list`")
        events.announce_pages(events.HostWork(host, unit), done, wanted)
        for page_id in wanted:
            console.record(host, unit, f"page:{page_id}")

    wanted = sorted(set(page_ids))  # all calls lock pages in the order of ids
    with console.host() as host:
        host.store.run(work, writes=True)
    for page_id in wanted:
        console.say(f"page {page_id} is {_SAID[done]}")


def _state(deleted: bool, active: bool, published: bool) -> str:
    if deleted:
        return "in the trash"
    return "public" if active and published else "hidden"
