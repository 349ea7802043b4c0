"""The static files, at addresses with a digest of all files, which browsers cache for ever.

A module imports another by a relative address (`./call.js`), which thus has the digest, too.
"""

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

from landyard import PublicAnswer

STATIC = "/-/console/static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = (
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"content-security-policy", b"default-src 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
)


@functools.cache
def _files() -> Mapping[str, bytes]:
    folder = Path(__file__).parent / "static"
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in _TYPES)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@functools.cache
def _digest() -> str:
    digest = hashlib.sha256()
    for name, body in _files().items():
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return digest.hexdigest()[:16]


def asset(name: str) -> str:
    """Return the address of a file by its path below `static/`; raises `KeyError`."""
    _ = _files()[name]
    return f"{STATIC}/{_digest()}/{name}"


@functools.cache
def answers() -> Mapping[str, PublicAnswer]:
    """Return the answers of all files by their paths below `STATIC`, compressed."""
    return {f"{_digest()}/{name}": _answer(name, body) for name, body in _files().items()}


def _answer(name: str, body: bytes) -> PublicAnswer:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    kind = f"{_TYPES[Path(name).suffix]}; charset=utf-8".encode()
    lasting = (*_HEADERS, (b"etag", etag))
    described = ((b"content-type", kind), (b"content-length", str(len(body)).encode()))
    return PublicAnswer(200, (*described, *lasting), body, etag, lasting).with_packed()
