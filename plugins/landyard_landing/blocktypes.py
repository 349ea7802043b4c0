"""Block types: what a block's code stands for, from the database or the built-in catalogue."""

import functools
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard_landing.manifests import Manifest, parse_manifest
from landyard_landing.tables import ManifestRow

_ROW = ManifestRow.__table__.c  # type: ignore[attr-defined]
_REMEMBERED = 4096
_DIGEST = select(_ROW.digest).where(_ROW.code == bindparam("code"))
_ROWS = select(*_ROW).where(_ROW.code.in_(bindparam("codes", expanding=True)))


class BlockType(Struct, frozen=True):
    """A block type: its name, its manifest, its pristine HTML, and the files it is shown with."""

    code: str
    name: str = ""
    manifest: Manifest = Manifest()
    content: str = ""
    css: tuple[str, ...] = ()
    js: tuple[str, ...] = ()


class _File(Struct, frozen=True):
    name: str = ""
    manifest: dict[str, Any] = {}
    css: list[str] = []
    js: list[str] = []


@functools.cache
def catalogue() -> Mapping[str, BlockType]:
    """Read the built-in block types, by code."""
    folder = files("landyard_landing") / "catalogue" / "blocks"
    found: dict[str, BlockType] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            code = file.name.removesuffix(".json")
            content = (folder / f"{code}.html").read_text(encoding="utf-8").strip()
            described = msgspec.json.decode(file.read_bytes(), type=_File)
            found[code] = _block_type(code, described, content)
    return found


# Remembered by a digest of everything that makes them, so two kernels cannot tell each other
# anything by it.
_known: dict[str, BlockType] = {}


def find_type(connection: Connection, code: str) -> BlockType:
    """Find a block type; a code that nobody described has an empty manifest."""
    digest = connection.execute(_DIGEST, {"code": code}).scalar()
    return read_types(connection, {code: digest})[code]


def read_types(connection: Connection, digests: Mapping[str, str | None]) -> dict[str, BlockType]:
    """Read the block types of these codes, whose manifests have these digests by now.

    None stands for a code without a manifest in the database: the catalogue may know it.
    """
    stored = {code: digest for code, digest in digests.items() if digest}
    described = _described(connection, stored) if stored else {}
    return {
        code: described.get(code) or catalogue().get(code) or BlockType(code, code)
        for code in digests
    }


def _described(connection: Connection, digests: Mapping[str, str]) -> Mapping[str, BlockType]:
    # One look-up each: another thread may be making room.
    known = {code: _known.get(digest) for code, digest in digests.items()}
    found = {code: kind for code, kind in known.items() if kind is not None}
    if unknown := digests.keys() - found.keys():
        if len(_known) > _REMEMBERED:
            _known.clear()
        for row in connection.execute(_ROWS, {"codes": list(unknown)}):
            described = _File(row.name, row.manifest, row.css, row.js)
            found[row.code] = _known[row.digest] = _block_type(row.code, described, row.content)
    return found


def manifest_digest(row: Mapping[str, Any]) -> str:
    """Digest what makes a block type: it changes when any of that does."""
    parts = [row[name] for name in ("code", "name", "manifest", "content", "css", "js")]
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def _block_type(code: str, described: _File, content: str) -> BlockType:
    return BlockType(
        code=code,
        name=described.name or code,
        manifest=parse_manifest(described.manifest),
        content=content,
        css=tuple(described.css),
        js=tuple(described.js),
    )
