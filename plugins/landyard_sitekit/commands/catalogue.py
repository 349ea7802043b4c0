"""`landyard blocks` and `landyard templates`: lists and shows block types and page templates."""

from collections.abc import Iterator, Mapping
from typing import Any

import click
import msgspec
from sqlalchemy import Connection, select

from landyard import Console
from landyard_content import pages
from landyard_content.blocks import BlockType, catalogue, read_types
from landyard_landing import tables

_DIGESTS = select(tables.MANIFEST.code, tables.MANIFEST.digest)


@click.group()
def blocks() -> None:
    """Block types: built-in, of plugins and of world files."""


@blocks.command("list")
@Console.json_option
@click.pass_obj
def list_blocks(console: Console, as_json: bool) -> None:
    """List the block types."""
    columns = ("code", "name", "nodes", "cards", "menu", "source")
    with console.host() as host, host.store.unit(writes=False) as unit:
        plugin_types = host.records(BlockType)
        digests = _digests(unit.connection, plugin_types)
        found = read_types(unit.connection, digests, plugin_types)
    rows = [
        (
            code,
            kind.name,
            len(kind.manifest.nodes),
            len(kind.manifest.cards),
            bool(kind.manifest.menu),
            _source(digests[code] is not None, kind.plugin),
        )
        for code, kind in sorted(found.items())
    ]
    console.table(columns, rows, as_json=as_json)


@blocks.command("show")
@click.argument("code")
@Console.json_option
@click.pass_obj
def show_block(console: Console, code: str, as_json: bool) -> None:
    """Show what can be edited in a block type, and its HTML."""
    with console.host() as host, host.store.unit(writes=False) as unit:
        plugin_types = host.records(BlockType)
        digests = _digests(unit.connection, plugin_types)
        if code not in digests:
            raise click.ClickException(
                f"there is no block type '{code}'; see `landyard blocks list`"
            )
        kind = read_types(unit.connection, {code: digests[code]}, plugin_types)[code]
    described = _described(kind, _source(digests[code] is not None, kind.plugin))
    if as_json:
        console.say(msgspec.json.format(msgspec.json.encode(described), indent=2).decode())
        return
    for line in _lines(described):
        console.say(line)


@click.group()
def templates() -> None:
    """Page templates: built-in, of plugins and of world files."""


@templates.command("list")
@Console.json_option
@click.pass_obj
def show_templates(console: Console, as_json: bool) -> None:
    """List the page templates."""
    columns = ("code", "type", "title", "blocks", "source")
    with console.host() as host, host.store.unit(writes=False) as unit:
        plugin_templates = host.records(pages.SiteTemplate)
        found = pages.list_templates(unit.connection, plugin_templates)
        stored = pages.stored_templates(unit.connection)
    plugins = {page.code: site.plugin for site in plugin_templates.values() for page in site.pages}
    rows = [
        (
            *(each.code, each.type, each.title, len(each.blocks)),
            _source(each.code in stored, plugins.get(each.code, "")),
        )
        for each in found
    ]
    console.table(columns, rows, as_json=as_json)


def _digests(
    connection: Connection, plugin_types: Mapping[str, BlockType]
) -> dict[str, str | None]:
    """Map every block type's code to the digest of its manifest in the database, or to None."""
    stored = {row.code: row.digest for row in connection.execute(_DIGESTS)}
    return {**dict.fromkeys(catalogue()), **dict.fromkeys(plugin_types), **stored}


def _source(stored: bool, plugin: str = "") -> str:
    return "world" if stored else f"plugin {plugin}" if plugin else "built-in"


def _described(kind: BlockType, source: str) -> dict[str, Any]:
    """Describe a block type; `block_attributes` are of the outermost element."""
    manifest = kind.manifest
    return {
        "code": kind.code,
        "name": kind.name,
        "source": source,
        "nodes": {selector: node.type for selector, node in manifest.nodes.items()},
        "cards": dict(manifest.cards),
        "menus": {selector: menu.name for selector, menu in manifest.menu.items()},
        "attributes": {selector: sorted(names) for selector, names in manifest.attrs.items()},
        "block_attributes": sorted(manifest.block_attrs),
        "css": list(kind.css),
        "js": list(kind.js),
        "preview": kind.preview,
        "content": kind.content,
    }


def _lines(described: Mapping[str, Any]) -> Iterator[str]:
    yield f"{described['code']}: {described['name']} ({described['source']})"
    for title in ("nodes", "cards", "menus", "attributes"):
        if described[title]:
            yield f"\n{title.capitalize()}"
            width = max(map(len, described[title]))
            for selector, value in described[title].items():
                yield f"  {selector:{width}}  {_joined(value)}".rstrip()
    for title in ("block_attributes", "css", "js", "preview"):
        if described[title]:
            yield f"\n{title.replace('_', ' ').capitalize()}\n  {_joined(described[title])}"
    yield f"\n{described['content']}"


def _joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
