"""Contents: what a method answers that is no JSON, a file or a stream, as an HTTP answer."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import ASGIApp

from landyard.core.calls import Download, Stream
from landyard.web.plugin_work import PluginWork
from landyard.web.wire import Headers, Outgoing, headers_of

_PIECE = 256 * 1024  # bytes
_LONGEST_NAME = 150  # characters
_POLICY = (
    b"content-security-policy",
    b"sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)


async def content_answer(out: Outgoing, headers: Headers, work: PluginWork) -> ASGIApp | None:
    """Begin the file or stream that a method answers; None where it answers neither.

    Raises `CallError` where it breaks before its first byte.
    """
    content = out.content
    if not isinstance(content, Download | Stream):
        return None

    def begin() -> tuple[Headers, Iterator[bytes], bytes]:
        length, pieces = _pieces(content)
        return length, pieces, next(pieces, b"")

    length, pieces, first = await work.run(begin)
    own = {b"content-type", b"content-length", b"content-security-policy"}
    sent = [
        *(each for each in headers_of(out) if each[0] not in own),
        (b"content-type", content.media_type.encode()),
        (b"content-disposition", disposition(content.name)),
        *(_POLICY, *length, *headers),
    ]
    return ASGIStreamingResponse(
        iterator=work.chunks(pieces, first),
        headers={name.decode(): value.decode("latin-1") for name, value in sent},
    )


def disposition(name: str) -> bytes:
    """Write the header that has a file saved, as `name` (RFC 6266); what no name has is `_`."""
    safe = "".join(each if each.isprintable() and each not in '/\\"' else "_" for each in name)
    if not safe:
        return b"attachment"
    safe = safe[-_LONGEST_NAME:]
    plain = "".join(each if each.isascii() and each != "%" else "_" for each in safe)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}".encode()


def _pieces(content: Download | Stream) -> tuple[Headers, Iterator[bytes]]:
    if isinstance(content, Stream):
        return (), iter(content.chunks)
    body = content.content
    size = body.stat().st_size if isinstance(body, Path) else len(body)
    pieces = _read(body) if isinstance(body, Path) else iter([body])
    return ((b"content-length", str(size).encode()),), pieces


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")
