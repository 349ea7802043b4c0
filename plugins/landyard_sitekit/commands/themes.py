"""`landyard theme list` and `landyard site theme`: lists themes, shows or sets a site's theme."""

import click
from sqlalchemy import select, update

from landyard import Console, Host, UnitOfWork
from landyard_landing import events, tables
from landyard_public.themes import Theme, themes_with
from landyard_sitekit.commands.exchange import site

__all__ = ["site"]


@click.group()
def theme() -> None:
    """Themes: what sites look like."""


@theme.command("list")
@Console.json_option
@click.pass_obj
def list_themes(console: Console, as_json: bool) -> None:
    """List the themes that sites may have, the built-in one first."""
    columns = ("code", "name", "description", "sites")
    with console.host() as host, host.store.unit(writes=False) as unit:
        used = [code for (code,) in unit.connection.execute(select(tables.SITE.theme))]
        themes = themes_with(host.records(Theme))
    rows = [
        (each.code, each.name, each.description, used.count(each.code)) for each in themes.values()
    ]
    console.table(columns, rows, as_json=as_json)


@site.command("theme")
@click.argument("site_id", type=click.IntRange(1, 2**31 - 1))
@click.argument("code", required=False, metavar="[THEME]")
@click.pass_obj
def give_theme(console: Console, site_id: int, code: str | None) -> None:
    """Show which theme a site has, or give it another.

    The new theme begins without the site's own values. No content changes, and visitors see it at
    once.
    """
    with console.host() as host:
        theme_code = host.store.run(
            lambda unit: _set_theme(console, host, unit, site_id, code), writes=code is not None
        )
    console.say(theme_code)


def _set_theme(
    console: Console, host: Host, unit: UnitOfWork, site_id: int, code: str | None
) -> str:
    """Set a site's theme, if a code is named, and return the code of its theme."""
    query = select(tables.SITE.theme).where(tables.SITE.id == site_id)
    own = unit.connection.execute(query.with_for_update(key_share=True)).scalar()
    if own is None:
        raise click.ClickException(f"there is no site {site_id}")
    if code in {None, own}:
        return str(own)
    if code not in themes_with(host.records(Theme)):
        raise click.ClickException(f"there is no theme '{code}'; see `landyard theme list`")
    values = {"theme": code, "theme_tokens": {}, "modified_at": host.now()}
    unit.connection.execute(
        update(tables.SITE.id.table).where(tables.SITE.id == site_id).values(values)
    )
    events.announce_site(events.HostWork(host, unit), "changed", site_id)
    console.record(host, unit, f"site:{site_id}")
    return str(code)
