"""Block types: what a block's code stands for, from the database, a plugin or the catalogue."""

import functools
import hashlib
from collections.abc import Callable, Collection, Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import structs
from sqlalchemy import Connection, select

from landyard import Prepared, Record, one_of
from landyard_landing.blocks.assets import Asset
from landyard_landing.blocks.checks import check_block
from landyard_landing.html.manifests import Manifest, parse_manifest
from landyard_landing.html.node_types import NodeType
from landyard_landing.html.told_addresses import safe_addresses
from landyard_landing.public.showing import SHOWN
from landyard_landing.tables import MANIFEST

_REMEMBERED = 4096
_DIGESTS = Prepared(select(MANIFEST.code, MANIFEST.digest).where(one_of(MANIFEST.code, "codes")))
_ALL_DIGESTS = Prepared(select(MANIFEST.code, MANIFEST.digest))
_READ = ("digest", "code", "name", "manifest", "content", "css", "js")
_ROWS = Prepared(select(*(MANIFEST[name] for name in _READ)).where(one_of(MANIFEST.code, "codes")))


class BlockType(Record, frozen=True):
    """A block type: its name, its manifest, its pristine HTML, and the files it is shown with.

    `css`, `js` and `preview`, a picture of it, are addresses; `assets` are the files that a plugin
    brings with it, by their names. `show(block_id, html, language)`, where it is there, writes what
    visitors get in place of a published block's HTML, on a page of that language: also what the
    sanitising policy lets nobody send.
    `labels` are, by language, those of its HTML (`aria-label`, `data-open`, `data-close`) by the
    English ones: visitors get them where an editor has left the English ones standing.
    What a test has `checked` (`check` without that) is not checked at every start: the parsers that
    it takes are imported by the first edit.
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
            known, taken = records.get(NodeType, {}), self.code in catalogue()
            check_block(self.code, self.manifest, self.content, known, taken=taken)


@functools.cache
def catalogue() -> Mapping[str, BlockType]:
    """Read the built-in block types, by code."""
    folder = files("landyard_landing") / "catalogue" / "blocks"
    found: dict[str, BlockType] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            code = file.name.removesuffix(".json")
            content = (folder / f"{code}.html").read_text(encoding="utf-8").strip()
            described = msgspec.json.decode(file.read_bytes())
            kind = _block_type({**described, "code": code, "content": content})
            found[code] = structs.replace(kind, show=SHOWN.get(code))
    return found


# A cache by digest of all that makes a block type, so that kernels of one process may share it.
_known: dict[str, BlockType] = {}


def find_types(
    connection: Connection, codes: Collection[str], brought: Mapping[str, BlockType]
) -> dict[str, BlockType]:
    """Find block types by code; see `read_types`."""
    digests = {**dict.fromkeys(codes), **dict(_DIGESTS.all(connection, codes=list(codes)))}
    return read_types(connection, digests, brought)


def find_type(
    connection: Connection, code: str, brought: Mapping[str, BlockType]
) -> BlockType | None:
    """Find the block type of a code, None where nothing has it; see `read_types`."""
    digests = dict(_DIGESTS.all(connection, codes=[code]))
    if digests:
        return read_types(connection, digests, brought)[code]
    return brought.get(code) or catalogue().get(code)


def list_types(connection: Connection, brought: Mapping[str, BlockType]) -> Mapping[str, BlockType]:
    """List every block type that `find_type` finds, by code."""
    stored = read_types(connection, dict(_ALL_DIGESTS.all(connection)), brought)
    return dict(sorted({**catalogue(), **brought, **stored}.items()))


def read_types(
    connection: Connection, digests: Mapping[str, str | None], brought: Mapping[str, BlockType]
) -> dict[str, BlockType]:
    """Read block types by code and by the digest of their manifest in the database.

    The digest is None for a code that has no manifest there; then it may be one of those that
    plugins have `brought`, or of the built-in catalogue. Any other has an empty manifest.
    """
    stored = {code: digest for code, digest in digests.items() if digest}
    described = _described(connection, stored) if stored else {}
    return {
        code: described.get(code)
        or brought.get(code)
        or catalogue().get(code)
        or BlockType(code, code)
        for code in digests
    }


def _described(connection: Connection, digests: Mapping[str, str]) -> Mapping[str, BlockType]:
    # One look-up each: another thread may be making room.
    known = {code: _known.get(digest) for code, digest in digests.items()}
    found = {code: kind for code, kind in known.items() if kind is not None}
    if unknown := digests.keys() - found.keys():
        if len(_known) > _REMEMBERED:
            _known.clear()
        for row in _ROWS.all(connection, codes=list(unknown)):
            found[row[1]] = _known[row[0]] = _block_type(dict(zip(_READ, row, strict=True)))
    return found


def manifest_digest(row: Mapping[str, Any]) -> str:
    """Digest what makes a block type: it changes when any of that does."""
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
    """Find the address of a type's picture, which stands in its manifest; a plugin's has a file."""
    block = manifest.get("block") if isinstance(manifest, dict) else None
    preview = block.get("preview") if isinstance(block, dict) else None
    return str(safe_addresses({"preview": preview})["preview"]) if isinstance(preview, str) else ""
