"""Runs plugin code in threads within a time limit, and streams the files that methods return."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import structlog
from msgspec import Struct

from landyard.core.calls import Download
from landyard.core.errors import CallError, InternalServerError, Postponed
from landyard.kernel import Kernel
from landyard.logs import hidden
from landyard.serving.thread_pool import ThreadPool, TimeIsUp
from landyard.web.wire import Headers, Outgoing

log = structlog.get_logger()

_PIECE = 256 * 1024  # bytes
_LONGEST_NAME = 150  # characters
_CSP = b"sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_END = object()


class PluginWork(Struct, frozen=True):
    """Runs a plugin's code in `pool`, each piece of it within `seconds`.

    Log lines carry the fields `told` of the work: `plugin`, `request_id`, and `page` or `method`.
    """

    kernel: Kernel
    pool: ThreadPool
    seconds: float
    told: Mapping[str, str]

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run `work`; raises `HTTPException` or `CallError`."""
        told = self.told
        kind = "page" if "page" in told else "stream"
        label = f"page {told['page']}" if "page" in told else told.get("method", "")

        def logged(_: object) -> Any:
            try:
                return work()
            except (CallError, Postponed):
                raise
            except BaseException as error:
                from litestar.exceptions import HTTPException  # many a service has no pages

                if isinstance(error, HTTPException):
                    raise
                event = f"{kind}_crashed"
                log.exception(event, **told)  # here the secret of who is signed in is known
                self.kernel.failures.note(told.get("plugin", ""), label, 0.0, error)
                raise InternalServerError from error
            finally:
                hidden.set(("", False))

        try:
            how: Any = {"label": label, "request_id": told["request_id"]}
            return await self.pool.run(logged, **how, seconds=self.seconds)
        except TimeIsUp as late:
            event = f"{kind}_overran"
            log.warning(event, **told, seconds=late.seconds)
            raise InternalServerError(f"The {kind} took too long and was given up.") from None

    async def chunks(self, iterator: Iterator[Any], *first: Any) -> AsyncIterator[Any]:
        """Yield the chunks in `first`, then those of a plugin's `iterator`, read in the pool.

        A failure of the iterator is logged, and raised again: the server closes the connection
        before the end of the body, so the client sees that the answer is incomplete.
        """
        try:
            for chunk in first:
                yield chunk
            while (chunk := await self.run(lambda: next(iterator, _END))) is not _END:
                yield chunk
        except BaseException:  # the visitor has gone, or the time is up: let it close its file
            await asyncio.shield(self.run(lambda: _close(iterator)))
            raise


async def content_answer(out: Outgoing, headers: Headers, work: PluginWork) -> Any:
    """Begin to send the file that a method answers; None where it answers none.

    Raises `CallError` where it breaks before its first byte.
    """
    content = out.content
    if not isinstance(content, Download):
        return None
    size, pieces, first = await work.run(lambda: _begun(content.content))
    sent = dict((*out.headers, *headers))
    sent |= {
        b"content-type": content.media_type.encode(),
        b"content-disposition": disposition(content.name),
        b"content-security-policy": _CSP,
        b"content-length": str(size).encode(),
    }
    if size is None:
        del sent[b"content-length"]
    from litestar.response.streaming import ASGIStreamingResponse

    answer = ASGIStreamingResponse(
        iterator=work.chunks(pieces, first),
        headers={name.decode(): value.decode("latin-1") for name, value in sent.items()},
    )

    async def stream(*asgi: Any) -> None:
        try:
            await answer(*asgi)
        except* CallError:
            pass  # it broke off

    return stream


def disposition(name: str) -> bytes:
    """Return the `Content-Disposition` by which a browser saves a file as `name` (RFC 6266).

    Characters that a file's name cannot have become `_`.
    """
    safe = "".join(each if each.isprintable() and each not in '/\\"' else "_" for each in name)
    safe = safe[-_LONGEST_NAME:]
    plain = "".join(each if each.isascii() and each != "%" else "_" for each in safe)
    named = f"; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}" if safe else ""
    return f"attachment{named}".encode()


def _begun(content: bytes | Path | Iterable[bytes]) -> tuple[int | None, Iterator[bytes], bytes]:
    """Return the size, where it is known, the pieces behind the first one, and that."""
    import litestar.response.streaming  # noqa: F401 - few methods answer files; it takes a while

    if isinstance(content, bytes):
        return len(content), iter(()), content
    size = content.stat().st_size if isinstance(content, Path) else None
    pieces = _read(content) if isinstance(content, Path) else iter(content)
    return size, pieces, next(pieces, b"")


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")


def _close(iterator: Any) -> None:
    with suppress(AttributeError, ValueError):  # it is no generator; it still runs
        iterator.close()
