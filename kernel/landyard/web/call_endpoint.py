"""Calls over HTTP: a request is received, handed to the thread pool, and its reply is sent."""

import asyncio
import functools
import ipaddress
from datetime import UTC, datetime, time
from email.utils import format_datetime
from typing import Any

import structlog
from litestar.types import ASGIApp, HTTPScope, Receive, Send

from landyard.core.errors import CallError, InternalServerError, MethodNotFound, OverloadLimit
from landyard.core.methods import Method
from landyard.kernel import Kernel
from landyard.logs import about
from landyard.serving.thread_pool import ThreadPool, TimeIsUp
from landyard.web import wire
from landyard.web.contents import PluginWork, content_answer
from landyard.web.public_answers import Sent

log = structlog.get_logger()

PREFIX = "/rest"
_LARGE_BODIES = 8  # as many of the largest are held at once
SMALL = 64 * 1024  # bytes of a body
LITTLE = 4 * 1024  # bytes of a query and a body that are read on the event loop


class CallEndpoint:
    """Everything below `/rest`: answered in a thread of the pool, or at once by a quick method."""

    def __init__(self, kernel: Kernel) -> None:
        """Answer with the methods of `kernel`."""
        self._kernel = kernel
        self._bodies = Bodies(_LARGE_BODIES * kernel.settings.max_body)

    async def answer(
        self, scope: HTTPScope, headers: Sent, receive: Receive, send: Send, identity: str
    ) -> None:
        """Answer one call; `identity` is its request id."""
        path = scope["path"][len(PREFIX) :]
        target = wire.split(path)
        method = self._kernel.dispatch.registry.methods.by_name.get(target[0].lower())
        bounds = self._kernel.usual_bounds if method is None else method.bounds
        told = {"plugin": method.plugin, "method": method.name} if method else {}
        told["request_id"] = identity
        about.set(told)
        added: wire.Headers = ((b"x-request-id", identity.encode()), *_notice(method))
        pool = self._pool(method)
        seconds = (method and method.seconds) or self._kernel.rules.seconds
        limit = bounds.size
        assert limit is not None  # the operator's, where the group has none
        address = _address(scope["client"][0]) if scope["client"] else ""
        dispatch = self._kernel.dispatch
        body: bytes | None = None
        content: ASGIApp | None = None
        try:
            if b"%" in scope["raw_path"] and b"%2f" in scope["raw_path"].lower():
                raise MethodNotFound("A path is written with plain slashes.")  # noqa: TRY301
            body = await self._bodies.take(receive, headers.get(b"content-length", b""), limit)
            incoming = wire.Incoming(
                verb=scope["method"],
                path=path,
                query=scope["query_string"],
                content_type=headers.get(b"content-type", b"").decode("latin-1"),
                authorization=headers.get(b"authorization", b"").decode("latin-1"),
                body=body,
                id=identity,
                address=address,
                traceparent=headers.get(b"traceparent", b"").decode("latin-1"),
                options={o: str(headers[h], "latin-1") for o, h in wire.OPTIONS if h in headers},
            )
            out = await pool.run(
                lambda deadline: wire.answer(dispatch, incoming, target, bounds, deadline),
                label=told.get("method", ""),
                request_id=identity,
                seconds=seconds,
                at_once=bool(method and method.quick) and len(body) + len(incoming.query) <= LITTLE,
            )
            if out.content is not None:
                work = PluginWork(self._kernel, pool, seconds, told)
                content = await content_answer(out, added, work)
        except ConnectionAbortedError:
            return
        except TimeIsUp as late:
            out = wire.encode_refusal(_given_up(method, late))
        except CallError as error:  # the request cannot be read, or too much is waiting
            wire.log_refusal(error, address, identity)
            self._kernel.refused.append((error.code, error.status))
            out = wire.encode_refusal(error, *() if body is not None else (wire.CLOSE,))
        except asyncio.CancelledError:
            stopping = OverloadLimit("The service is stopping; what became of the call is unknown.")
            await _send(send, wire.encode_refusal(stopping, wire.CLOSE), added)
            raise
        except Exception:
            log.exception("call_lost", request_id=identity)
            out = wire.encode_refusal(InternalServerError())
        finally:
            self._bodies.give_back(body or b"")
        if content is None:
            await _send(send, out, added)
            return
        try:
            await content(scope, receive, send)
        except* CallError:
            pass  # it broke off

    def _pool(self, method: Method | None) -> ThreadPool:
        """Choose the threads: calls that write, and slow ones, do not hold up those that read."""
        pools = self._kernel.pools
        if method is None or not (method.slow or method.writes):
            return pools.reading
        return pools.slow if method.slow else pools.writing


class Bodies:
    """Receives bodies; the large ones that are held at one time together take a bounded memory.

    Small ones are always taken, so that large ones cannot keep them out.
    """

    def __init__(self, room: int) -> None:
        """Hold at most `room` bytes of bodies larger than `SMALL`."""
        self._room = room

    async def take(self, receive: Receive, announced: bytes, limit: int) -> bytes:
        """Receive a body of at most `limit` bytes; return it with `give_back` when it is done with.

        `announced` is the header `Content-Length`. Raises `InvalidRequest` for a larger body as
        soon as that is known, `OverloadLimit` where there is no room for it, and
        `ConnectionAbortedError` when the client hangs up.
        """
        if announced.isdigit() and int(announced[:20]) > limit:
            raise wire.too_large(limit)
        chunks: list[bytes] = []
        size = held = 0
        more = True
        try:
            while more:
                message: Any = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionAbortedError
                more = message.get("more_body", False)
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                if size > limit:
                    raise wire.too_large(limit)
                if size > SMALL:
                    self._room += held - size
                    held = size
                    if self._room < 0:
                        raise OverloadLimit
            whole = b"".join(chunks)
            held = 0
        except MemoryError:
            raise OverloadLimit from None
        finally:
            self._room += held
        return whole

    def give_back(self, body: bytes) -> None:
        """Make room again."""
        if len(body) > SMALL:
            self._room += len(body)


def _notice(method: Method | None) -> wire.Headers:
    """Tell a client by HTTP that a method is deprecated (RFC 9745, RFC 8594)."""
    deprecated = method and method.deprecated
    if not deprecated:
        return ()
    since = datetime.combine(deprecated.since, time.min, UTC)
    until = datetime.combine(deprecated.until, time.min, UTC)
    return (
        (b"deprecation", f"@{int(since.timestamp())}".encode()),
        (b"sunset", format_datetime(until, usegmt=True).encode()),
    )


def _given_up(method: Method | None, late: TimeIsUp) -> CallError:
    # It waited for the database, or a plugin's hook hangs: the method has nothing to do with it.
    if method is None or late.plugin != method.plugin:
        return OverloadLimit()
    return method.unexpected(
        f"The method ran longer than {late.seconds:g} seconds and was given up;"
        " nothing was changed."
    )


@functools.lru_cache(maxsize=4096)
def _address(host: str) -> str:
    """Say where a request comes from; nothing, where a proxy names what is no address."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


async def _send(send: Send, out: wire.Outgoing, added: wire.Headers) -> None:
    headers = (*wire.headers_of(out), *added)
    start: Any = {"type": "http.response.start", "status": out.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": out.body, "more_body": False})
