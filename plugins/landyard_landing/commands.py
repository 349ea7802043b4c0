"""The word `page` of the command line."""

from collections.abc import Callable
from datetime import datetime

import click
from sqlalchemy import select
from sqlmodel import Session

from landyard import Console
from landyard_landing.publication import NotPublishable, publish, unpublish
from landyard_landing.tables import Page
from landyard_landing.urls import address_of

_PAGE = Page.__table__.c  # type: ignore[attr-defined]


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


@page.command("publish")
@click.argument("page_id", type=click.IntRange(1, 2**31 - 1))
@click.pass_obj
def publish_page(console: Console, page_id: int) -> None:
    """Show the page's draft to visitors."""
    _change(console, page_id, publish)
    console.say(f"page {page_id} is published")


@page.command("unpublish")
@click.argument("page_id", type=click.IntRange(1, 2**31 - 1))
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
