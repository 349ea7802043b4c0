"""`landyard trash`: lists the pages in the trash, restores them, or erases them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import click

from landyard import Console, UnitOfWork
from landyard_content import pages
from landyard_landing import events
from landyard_sitekit.commands.pages import page_ids


@click.group()
def trash() -> None:
    """The trash: what is in it, and until when."""


@trash.command("list")
@Console.json_option
@click.pass_obj
def list_pages(console: Console, as_json: bool) -> None:
    """List the pages in the trash, and when each goes for good."""
    columns = ("id", "site", "title", "trashed", "goes")
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        kept = host.section(pages.TrashSettings)
        zone = host.settings.zone
        rows = [
            (
                page.id,
                page.site_id,
                page.title,
                _moment(page.trashed_at, zone),
                _moment(kept.goes_at(page.trashed_at), zone),
            )
            for page in pages.list_trash(unit.connection)
        ]
    console.table(columns, rows, as_json=as_json)


@trash.command("restore")
@page_ids
@click.pass_obj
def restore_pages(console: Console, page_ids: tuple[int, ...]) -> None:
    """Take pages out of the trash, all or none; they stay hidden."""

    def work(unit: UnitOfWork) -> None:
        trashed = {page.id for page in pages.list_trash(unit.connection)}
        if missing := [f"page {each} is not in the trash" for each in wanted - trashed]:
            raise click.ClickException(f"{'; '.join(missing)}; see `landyard trash list`")
        for page_id in sorted(wanted):
            pages.restore_page(unit.connection, page_id, host.now(), 0)
        events.announce_pages(events.HostWork(host, unit), "restored", wanted)
        for page_id in sorted(wanted):
            console.record(host, unit, f"page:{page_id}")

    wanted = set(page_ids)
    with console.host() as host:
        host.store.run(work, writes=True)
    for page_id in sorted(wanted):
        console.say(f"page {page_id} is restored, and hidden")


@trash.command("purge")
@click.option("--all", "everything", is_flag=True, help="Also what is not due yet.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def purge_pages(console: Console, everything: bool, yes: bool) -> None:
    """Remove pages in the trash for good: those whose time is over.

    The service does so hourly. Blocks, history and the files that nothing else uses go along.
    """
    with console.host() as host:
        kept = host.section(pages.TrashSettings)
        if kept.retention_days == 0 and not everything:
            raise click.ClickException(
                "trash.retention_days is 0: pages stay in the trash for ever; --all removes them"
            )
        with host.store.unit(writes=False) as unit:
            goes = [kept.goes_at(page.trashed_at) for page in pages.list_trash(unit.connection)]
        now = host.now()
        most = sum(everything or (at is not None and at <= now) for at in goes)
        if everything and most and not yes:
            click.confirm(f"Remove {_pages(most)} from the trash for good?", abort=True, err=True)
        with console.progress("removing", length=most) as bar:
            count = pages.purge(host, everything=everything, progress=bar.update)
        if count:
            host.store.run(lambda unit: console.record(host, unit), writes=True)
    console.say(f"{_pages(count)} removed for good")


def _pages(count: int) -> str:
    return f"{count} page" if count == 1 else f"{count} pages"


def _moment(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    return None if moment is None else moment.astimezone(zone).replace(microsecond=0)
