"""The catalogue's files: one stylesheet, and the pictures of the built-in blocks."""

import functools
import hashlib
import mimetypes
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import Struct


class Asset(Struct, frozen=True):
    """A file as it is served, with a strong ETag."""

    content: bytes
    type: str
    etag: str


@functools.cache
def assets() -> Mapping[str, Asset]:
    """Read all of them, by path below `/assets/`."""
    folder = files("landyard_landing") / "catalogue" / "assets"
    return {name: _asset(name, file.read_bytes()) for name, file in _walk(folder)}


def _walk(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _walk(file, f"{above}{file.name}/")
        else:
            yield above + file.name, file


def _asset(name: str, content: bytes) -> Asset:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    return Asset(content, kind + charset, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def _versioned(name: str) -> str:
    """Name a file so that a new version has a new address."""
    return f"/assets/{name}?v={assets()[name].etag[1:13]}"


STYLESHEET = _versioned("landyard.css")
