"""The word `page` of the command line."""

import itertools
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import click
import msgspec
from sqlalchemy import select
from sqlmodel import Session

from landyard import Console
from landyard_landing.history import Edit, list_edits
from landyard_landing.publication import NotPublishable, publish, unpublish
from landyard_landing.tables import Page
from landyard_landing.urls import address_of

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_SHORT = 40  # characters of a change that are shown

page_id = click.argument("page_id", type=click.IntRange(1, 2**31 - 1))


@click.group()
def page() -> None:
    """Pages: their addresses, and what visitors see."""


@page.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def list_pages(console: Console, as_json: bool) -> None:
    """List the pages."""
    columns = ("id", "site", "title", "state", "address")
    rows = []
    with console.kernel() as kernel, kernel.store.session() as session:
        query = select(*_PAGE).order_by(_PAGE.site_id, _PAGE.id)
        for row in session.execute(query).all():
            address = address_of(session.connection(), row.id)
            url = address.url(kernel.settings.base) if address else ""
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def show_history(console: Console, page_id: int, as_json: bool) -> None:
    """List the edits of the page's draft, the oldest first."""
    columns = ("id", "at", "user", "method", "block", "changed", "undone")
    with console.kernel() as kernel, kernel.store.session() as session:
        if session.get(Page, page_id) is None:
            raise click.ClickException(f"there is no page {page_id}; see `landyard page list`")
        zone = kernel.settings.zone
        rows = [
            (
                edit.id,
                edit.at.astimezone(zone).replace(microsecond=0),
                edit.user_id,
                edit.method,
                edit.block_id,
                "; ".join(_changes(edit)) or "nothing",
                edit.undone,
            )
            for edit in list_edits(session.connection(), page_id)
        ]
    console.table(columns, rows, as_json=as_json)


@page.command("publish")
@page_id
@click.pass_obj
def publish_page(console: Console, page_id: int) -> None:
    """Show the page's draft to visitors."""
    _change(console, page_id, publish)
    console.say(f"page {page_id} is published")


@page.command("unpublish")
@page_id
@click.pass_obj
def unpublish_page(console: Console, page_id: int) -> None:
    """Hide the page from visitors; its published version is kept."""
    _change(console, page_id, unpublish)
    console.say(f"page {page_id} is hidden")


def _change(
    console: Console, page_id: int, change: Callable[[Session, int, datetime], None]
) -> None:
    with console.kernel() as kernel:
        try:
            kernel.store.run(lambda unit: change(unit.session, page_id, kernel.now()), writes=True)
        except NotPublishable as error:
            raise click.ClickException(f"{error}; see `landyard page list`") from error


def _state(deleted: bool, active: bool, published: bool) -> str:
    if deleted:
        return "in the trash"
    return "public" if active and published else "hidden"


def _changes(edit: Edit) -> Iterator[str]:
    """What an edit changed, in short: of each value the part that differs."""
    for name, after in edit.after.items():
        before = edit.before.get(name)
        old, new = _differing(_written(before), _written(after))
        yield f"{name}: {_shortened(old)} → {_shortened(new)}"


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _differing(old: str, new: str) -> tuple[str, str]:
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    return old[: len(old) - end], new[: len(new) - end]


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat}'" if len(flat) <= _SHORT else f"'{flat[: _SHORT - 1]}…'"
