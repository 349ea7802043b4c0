"""Contents: the files that methods answer, as HTTP: how they are named, and sent."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import ASGIApp

from landyard.core.calls import Download
from landyard.web.plugin_work import PluginWork
from landyard.web.wire import Headers, Outgoing, headers_of

_PIECE = 256 * 1024  # bytes
_LONGEST_NAME = 150  # characters
_POLICY = (
    b"sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def content_answer(out: Outgoing, headers: Headers, work: PluginWork) -> ASGIApp | None:
    """Begin to send the file that a method answers; None where it answers none.

    Raises `CallError` where it breaks before its first byte.
    """
    content = out.content
    if not isinstance(content, Download):
        return None
    size, pieces, first = await work.run(lambda: _begun(content.content))
    sent = dict((*headers_of(out), *headers))
    sent |= {
        b"content-type": content.media_type.encode(),
        b"content-disposition": disposition(content.name),
        b"content-security-policy": _POLICY,
        b"content-length": str(size).encode(),
    }
    if size is None:
        del sent[b"content-length"]
    return ASGIStreamingResponse(
        iterator=work.chunks(pieces, first),
        headers={name.decode(): value.decode("latin-1") for name, value in sent.items()},
    )


def disposition(name: str) -> bytes:
    """Write the header that has a file saved, as `name` (RFC 6266); what no name has is `_`."""
    safe = "".join(each if each.isprintable() and each not in '/\\"' else "_" for each in name)
    safe = safe[-_LONGEST_NAME:]
    plain = "".join(each if each.isascii() and each != "%" else "_" for each in safe)
    named = f"; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}" if safe else ""
    return f"attachment{named}".encode()


def _begun(content: bytes | Path | Iterable[bytes]) -> tuple[int | None, Iterator[bytes], bytes]:
    """Return the size, where it is known, the pieces behind the first one, and that."""
    if isinstance(content, bytes):
        return len(content), iter(()), content
    size = content.stat().st_size if isinstance(content, Path) else None
    pieces = _read(content) if isinstance(content, Path) else iter(content)
    return size, pieces, next(pieces, b"")


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")
