"""`landyard site export` and `import`: writes a site as a JSON document, and makes one of it."""

from typing import Any

import click
import msgspec
from sqlalchemy import Connection, func, select

from landyard import Console, Host, UnitOfWork, WorldError
from landyard_content import blocks, pages
from landyard_content.files import file_store
from landyard_html.sizes import TooLong
from landyard_landing import tables
from landyard_sitekit.commands.sites import site
from landyard_sitekit.exchange.blocks import filled_block
from landyard_sitekit.exchange.files import Brought, brought_files
from landyard_sitekit.exchange.reading import FirstIds, WrongExport, read_export
from landyard_sitekit.exchange.writing import OWN, ExportOptions, write_export

__all__ = ["site"]


@site.command("export")
@click.argument("site_id", type=click.IntRange(1, 2**31 - 1))
@click.option("--draft", is_flag=True, help="The drafts of its pages, not what is published.")
@click.option("--without-files", is_flag=True, help="The addresses of its pictures alone.")
@click.pass_obj
def export_site(console: Console, site_id: int, draft: bool, without_files: bool) -> None:
    """Write a site as JSON, with its pictures.

    It is what `landing.site.fullExport` answers.
    """
    with console.host() as host, host.store.unit(writes=False) as unit:
        if unit.connection.scalar(select(tables.SITE.id).where(tables.SITE.id == site_id)) is None:
            raise click.ClickException(f"there is no site {site_id}")
        options = ExportOptions(
            draft,
            base=host.settings.base,
            store=None if without_files else file_store(host),
        )
        written = write_export(unit.connection, site_id, options, host.records(blocks.BlockType))
    click.echo(msgspec.json.format(msgspec.json.encode(written), indent=2))


@site.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--code", default="", help="The code of the new site; else that of the export.")
@click.pass_obj
def import_site(console: Console, file: Any, code: str) -> None:
    """Make a new site of an export; `-` reads standard input."""
    try:
        document = msgspec.json.decode(file.read())
    except msgspec.DecodeError as error:
        raise click.ClickException(f"{file.name}: {error}") from error

    with console.host() as host:

        def make(unit: UnitOfWork) -> int:
            made = load_export(host, unit, document, code, files)
            console.record(host, unit, f"site:{made}")
            return made

        try:
            with brought_files(file_store(host), document) as files:
                site_id = host.store.run(make, writes=True)
        except (TooLong, WrongExport, WorldError) as error:
            raise click.ClickException(str(error)) from error
    console.say(f"site {site_id} is made")


def load_export(host: Host, unit: UnitOfWork, document: Any, code: str, files: Brought) -> int:
    """Make a new site of an export and return its id.

    Raises `WrongExport`, `WorldError`, `TooLong`.
    """
    connection = unit.connection
    rules = blocks.rules_of(connection, host.section, host.records)

    def fill(block: str, exported: Any) -> str:
        kind = blocks.find_types(connection, [block], host.records(blocks.BlockType))[block]
        return filled_block(kind, exported, rules)

    ids = FirstIds(
        *(
            _next(connection, column)
            for column in (tables.SITE.id, tables.FOLDER.id, tables.PAGE.id)
        )
    )
    world = read_export(document, ids, fill, code=code, files=files.addresses(connection))
    host.world.load(msgspec.json.encode(world), connection, host.now())
    if world["pages"]:
        files.keep(connection, world["pages"][0]["id"], host.now())
    for page, exported in zip(world["pages"], document["items"].values(), strict=True):
        if page["active"] and exported[OWN].get("published"):
            pages.publish(connection, page["id"], host.now())
    return ids.site


def _next(connection: Connection, column: Any) -> int:
    return int(connection.scalar(select(func.max(column))) or 0) + 1
