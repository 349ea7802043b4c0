"""Assets: files that block types are shown with, as they are served below `/assets/`."""

import hashlib
import mimetypes

from msgspec import Struct

_VERSION = 12  # characters


class Asset(Struct, frozen=True):
    """A file as it is served, with a strong ETag."""

    content: bytes
    type: str
    etag: str

    @property
    def version(self) -> str:
        """What its address says behind `?v=`, so that a new version has a new address."""
        return self.etag[1 : 1 + _VERSION]


def read_asset(name: str, content: bytes) -> Asset:
    """Describe a file of this name."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    return Asset(content, kind + charset, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def address_of_asset(name: str, asset: Asset) -> str:
    """Return where a file is found, by its path below `/assets/`, for as long as it is the same."""
    return f"/assets/{name}?v={asset.version}"
