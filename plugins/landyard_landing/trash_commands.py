"""The word `trash` of the command line."""

from datetime import datetime
from zoneinfo import ZoneInfo

import click

from landyard import Console
from landyard_landing.retention import TrashSettings, list_trash, purge, purge_all


@click.group()
def trash() -> None:
    """The trash: what is in it, and until when."""


@trash.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def list_pages(console: Console, as_json: bool) -> None:
    """List the pages in the trash, and when each goes for good."""
    columns = ("id", "site", "title", "trashed", "goes")
    with console.kernel() as kernel, kernel.store.session() as session:
        kept = kernel.section(TrashSettings)
        zone = kernel.settings.zone
        rows = [
            (
                page.id,
                page.site_id,
                page.title,
                _moment(page.trashed_at, zone),
                _moment(kept.goes_at(page.trashed_at), zone),
            )
            for page in list_trash(session.connection())
        ]
    console.table(columns, rows, as_json=as_json)


@trash.command("purge")
@click.option("--all", "everything", is_flag=True, help="Also what is not due yet.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def purge_pages(console: Console, everything: bool, yes: bool) -> None:
    """Remove pages in the trash for good: those whose time is over, as the service does hourly.

    Their blocks, their history and the files that nothing else uses go with them.
    """
    with console.kernel() as kernel:
        if everything:
            if not yes:
                with kernel.store.session() as session:
                    most = _pages(len(list_trash(session.connection())))
                click.confirm(f"Remove {most} from the trash for good?", abort=True, err=True)
            count = purge_all(kernel)
        elif kernel.section(TrashSettings).retention_days == 0:
            raise click.ClickException(
                "trash.retention_days is 0: pages stay in the trash for ever; --all removes them"
            )
        else:
            count = purge(kernel)
    console.say(f"{_pages(count)} removed for good")


def _pages(count: int) -> str:
    return f"{count} page" if count == 1 else f"{count} pages"


def _moment(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    return None if moment is None else moment.astimezone(zone).replace(microsecond=0)
