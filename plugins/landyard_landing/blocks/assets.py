"""Assets: files that block types are shown with, as they are served below `/assets/`."""

import hashlib
import mimetypes

from msgspec import Struct

_VERSION = 12  # characters


class Asset(Struct, frozen=True):
    """A file as it is served, with a strong ETag."""

    name: str
    content: bytes
    etag: str

    @property
    def type(self) -> str:
        """Its content type; not before it is served, for then the system's types are read."""
        kind = mimetypes.guess_type(self.name)[0] or "application/octet-stream"
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    @property
    def version(self) -> str:
        """What its address says behind `?v=`, so that a new version has a new address."""
        return self.etag[1 : 1 + _VERSION]


def read_asset(name: str, content: bytes) -> Asset:
    """Describe a file of this name."""
    return Asset(name, content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def address_of_asset(name: str, asset: Asset) -> str:
    """Return where a file is found, by its path below `/assets/`, for as long as it is the same."""
    return f"/assets/{name}?v={asset.version}"
