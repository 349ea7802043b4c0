"""Finds block types by code: in the database, among those of plugins, in the catalogue."""

import functools
import hashlib
from collections.abc import Callable, Collection, Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import structs
from sqlalchemy import Connection, select

from landyard import Prepared, Record, one_of
from landyard_content.blocks.checks import check_block
from landyard_content.blocks.node_types import NodeType
from landyard_content.blocks.showing import SHOWN
from landyard_html.assets import Asset
from landyard_html.manifests import Manifest, parse_manifest
from landyard_html.registered_addresses import safe_addresses
from landyard_landing.tables import MANIFEST

_REMEMBERED = 4096
_DIGESTS = Prepared(select(MANIFEST.code, MANIFEST.digest).where(one_of(MANIFEST.code, "codes")))
_ALL_DIGESTS = Prepared(select(MANIFEST.code, MANIFEST.digest))
_READ = ("digest", "code", "name", "manifest", "content", "css", "js")
_ROWS = Prepared(select(*(MANIFEST[name] for name in _READ)).where(one_of(MANIFEST.code, "codes")))


class BlockType(Record, frozen=True):
    """A block type: name, manifest, initial HTML, and the files that its blocks load.

    `css`, `js` and `preview`, a picture of it, are addresses; `assets` are a plugin's files, by
    name. `show(block_id, html, language)`, if set, returns the HTML that visitors get in place of a
    published block's own, on a page of that language. It may contain HTML that the sanitising
    policy refuses from callers.
    `labels` maps a language to translations of the English labels in the HTML (`aria-label`,
    `data-open`, `data-close`): visitors get them where an editor has left the English label.
    `checked` skips the check at start-up; a test makes it instead. The check needs the parsers,
    which are otherwise imported by the first edit.
    """

    code: str
    name: str = ""
    manifest: Manifest = Manifest()
    content: str = ""
    css: tuple[str, ...] = ()
    js: tuple[str, ...] = ()
    preview: str = ""
    assets: Mapping[str, Asset] = {}
    show: Callable[[int, str, str], str] | None = None
    labels: Mapping[str, Mapping[str, str]] = {}
    checked: bool = False

    @property
    def key(self) -> str:
        return self.code

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        if not self.checked:
            node_types, is_builtin = records.get(NodeType, {}), self.code in catalogue()
            check_block(self.code, self.manifest, self.content, node_types, is_builtin=is_builtin)


@functools.cache
def catalogue() -> Mapping[str, BlockType]:
    """Read the built-in block types, by code."""
    folder = files("landyard_content") / "catalogue" / "blocks"
    found: dict[str, BlockType] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            code = file.name.removesuffix(".json")
            content = (folder / f"{code}.html").read_text(encoding="utf-8").strip()
            described = msgspec.json.decode(file.read_bytes())
            kind = _block_type({**described, "code": code, "content": content})
            found[code] = structs.replace(kind, show=SHOWN.get(code))
    return found


# Stored block types by digest. A digest covers the whole type, so kernels of one process may share.
_cache: dict[str, BlockType] = {}


def find_types(
    connection: Connection, codes: Collection[str], plugin_types: Mapping[str, BlockType]
) -> dict[str, BlockType]:
    """Find block types by code; see `read_types`."""
    digests = {**dict.fromkeys(codes), **dict(_DIGESTS.all(connection, codes=list(codes)))}
    return read_types(connection, digests, plugin_types)


def find_type(
    connection: Connection, code: str, plugin_types: Mapping[str, BlockType]
) -> BlockType | None:
    """Find the block type of a code; None where there is none. See `read_types`."""
    digests = dict(_DIGESTS.all(connection, codes=[code]))
    if digests:
        return read_types(connection, digests, plugin_types)[code]
    return plugin_types.get(code) or catalogue().get(code)


def list_types(
    connection: Connection, plugin_types: Mapping[str, BlockType]
) -> Mapping[str, BlockType]:
    """List every block type that `find_type` finds, by code."""
    stored = read_types(connection, dict(_ALL_DIGESTS.all(connection)), plugin_types)
    return dict(sorted({**catalogue(), **plugin_types, **stored}.items()))


def read_types(
    connection: Connection, digests: Mapping[str, str | None], plugin_types: Mapping[str, BlockType]
) -> dict[str, BlockType]:
    """Read block types by code and by the digest of their manifest in the database.

    A digest of None means that the database has no manifest of the code. Then the type is one of
    the `plugin_types`, or of the built-in catalogue, or a type with an empty manifest.
    """
    stored = {code: digest for code, digest in digests.items() if digest}
    described = _described(connection, stored) if stored else {}
    return {
        code: described.get(code)
        or plugin_types.get(code)
        or catalogue().get(code)
        or BlockType(code, code)
        for code in digests
    }


def _described(connection: Connection, digests: Mapping[str, str]) -> Mapping[str, BlockType]:
    # One look-up for each code: another thread may clear the cache meanwhile.
    cached = {code: _cache.get(digest) for code, digest in digests.items()}
    found = {code: kind for code, kind in cached.items() if kind is not None}
    if missing := digests.keys() - found.keys():
        if len(_cache) > _REMEMBERED:
            _cache.clear()
        for row in _ROWS.all(connection, codes=list(missing)):
            found[row[1]] = _cache[row[0]] = _block_type(dict(zip(_READ, row, strict=True)))
    return found


def manifest_digest(row: Mapping[str, Any]) -> str:
    """Compute the digest of a stored block type; it changes with any of its columns."""
    parts = [row[name] for name in ("code", "name", "manifest", "content", "css", "js")]
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def _block_type(described: Mapping[Any, Any]) -> BlockType:
    return BlockType(
        code=described["code"],
        name=described.get("name") or described["code"],
        manifest=parse_manifest(described.get("manifest", {})),
        content=described["content"],
        css=tuple(described.get("css", ())),
        js=tuple(described.get("js", ())),
        preview=_preview(described.get("manifest", {})),
    )


def _preview(manifest: Any) -> str:
    """Read the address of a type's picture from its manifest; "" without one, or if unsafe."""
    block = manifest.get("block") if isinstance(manifest, dict) else None
    preview = block.get("preview") if isinstance(block, dict) else None
    return str(safe_addresses({"preview": preview})["preview"]) if isinstance(preview, str) else ""
