"""Static files of block types, served below `/assets/`: content, ETag and address."""

import hashlib
import mimetypes

from msgspec import Struct

_VERSION = 12  # characters


class Asset(Struct, frozen=True):
    """A static file with a strong ETag."""

    name: str
    content: bytes
    etag: str

    @property
    def type(self) -> str:
        """The content type; guessed when the file is served, since guessing reads system files."""
        kind = mimetypes.guess_type(self.name)[0] or "application/octet-stream"
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    @property
    def version(self) -> str:
        """The text behind `?v=` in the file's address: it changes with the content."""
        return self.etag[1 : 1 + _VERSION]


def read_asset(name: str, content: bytes) -> Asset:
    """Make an asset of a file's name and content."""
    return Asset(name, content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def address_of_asset(name: str, asset: Asset) -> str:
    """Write a file's address; `name` is its path below `/assets/`. New content, new address."""
    return f"/assets/{name}?v={asset.version}"
