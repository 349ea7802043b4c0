"""The command `landyard export`."""

from datetime import UTC, datetime
from typing import BinaryIO

import click
from landyard import Console

from landyard_exporter.export import Filters, pieces


@click.command("export")
@click.argument("file", type=click.File("wb", atomic=True))
@click.option("--since", type=click.DateTime(), help="The first moment, in UTC.")
@click.option("--until", type=click.DateTime(), help="The moment behind the last, in UTC.")
@click.option("--page", type=click.IntRange(min=1), help="What happened to this page.")
@click.pass_obj
def export(
    console: Console,
    file: BinaryIO,
    since: datetime | None,
    until: datetime | None,
    page: int | None,
) -> None:
    """Write the events of pages and blocks into FILE, as CSV; `-` is standard output."""
    filters = Filters(_utc(since), _utc(until), page)
    with console.host() as host:
        read = host.store.run
        for piece in pieces(
            lambda work: read(lambda unit: work(unit.connection), writes=False), filters
        ):
            file.write(piece)


def _utc(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(tzinfo=UTC)
