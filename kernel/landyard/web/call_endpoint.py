"""Answers calls over HTTP: receives a request, hands it to the thread pool, sends the reply."""

import asyncio
import functools
import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime, time
from email.utils import format_datetime
from typing import Any

import structlog

from landyard.core.errors import CallError, InternalServerError, MethodNotFound, OverloadLimit
from landyard.core.methods import Method
from landyard.core.timing import Deadline
from landyard.kernel import Kernel
from landyard.logs import about
from landyard.public_answer import Sent
from landyard.serving.thread_pool import ThreadPool, TimeIsUp
from landyard.web import wire
from landyard.web.bodies import SMALL, Bodies
from landyard.web.contents import PluginWork, content_answer

log = structlog.get_logger()

LITTLE = 4 * 1024  # bytes of a query and a body that are read on the event loop


class CallEndpoint:
    """Receives calls and sends their replies, as an ASGI application.

    A path is that of the contract without its first segment: `/methods`, or `/1/CODE/methods`.
    """

    def __init__(self, kernel: Kernel, bodies: Bodies, answers: Bodies) -> None:
        """`bodies` is the room for bodies of requests, `answers` that for large answers."""
        self._kernel = kernel
        self._bodies, self._answers = bodies, answers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.answer(scope, dict(scope["headers"]), receive, send)

    async def answer(
        self, scope: Any, headers: Sent, receive: Any, send: Any, identity: str = ""
    ) -> None:
        """Answer one call; `identity` is the request id of a page that forwards it."""
        call = _ArrivingCall(self._kernel, self._answers, scope, headers, identity)
        content: Any = None
        body = b""
        try:
            if b"%" in scope["raw_path"] and b"%2f" in scope["raw_path"].lower():
                raise MethodNotFound("A path is written with plain slashes.")  # noqa: TRY301
            announced = headers.get(b"content-length", b"")
            body = await self._bodies.take(receive, announced, call.limit)
            out = call.reply_at_once(body) if call.is_quick(body) else None
            if out is None:
                out, content = await call.reply(body)
        except ConnectionAbortedError:
            return
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the caller is told
            out = call.refusal(error)  # and the rest of the body is passed over
        finally:
            self._bodies.give_back(body)
        if content is not None:
            await content(scope, receive, send)
            return
        told = {"status": out.status, "headers": (*out.headers, *call.added)}
        await send({"type": "http.response.start", **told})
        await send({"type": "http.response.body", "body": out.body, "more_body": False})


class _ArrivingCall:
    """A call whose body may still be under way: its method, and what applies to it.

    `limit` is the most bytes that the body may have; `added` are headers of the answer.
    """

    def __init__(
        self, kernel: Kernel, answers: Bodies, scope: Any, headers: Sent, identity: str
    ) -> None:
        """Look up the method, and give a call without an `identity` a request id.

        `answers` is the room for large answers.
        """
        self._kernel, self._scope, self._headers = kernel, scope, headers
        self._answers = answers
        identity = identity or wire.request_id(headers.get(b"x-request-id", b"").decode("latin-1"))
        self._target = wire.split(scope["path"])
        registry = kernel.dispatch.registry
        self._options = registry.options
        self._method = method = registry.methods.by_name.get(self._target[0].lower())
        self._told = {"plugin": method.plugin, "method": method.name} if method else {}
        self._told["request_id"] = identity
        self._bounds = kernel.usual_bounds if method is None else method.bounds
        assert self._bounds.size is not None  # the operator's, where the group has none
        self.limit = self._bounds.size
        self.added: wire.Headers = ((b"x-request-id", identity.encode()), *_notice(method))
        self._pool = _pool(kernel, method)
        self._seconds = (method and method.seconds) or kernel.rules.seconds

    def is_quick(self, body: bytes) -> bool:
        """Tell whether it may be answered on the event loop."""
        quick = self._method is not None and self._method.quick
        return quick and len(body) + len(self._scope["query_string"]) <= LITTLE

    def reply_at_once(self, body: bytes) -> wire.Outgoing | None:
        """Answer on the event loop; None where it would have to wait there."""
        before = about.set(self._told)
        try:
            return self._pool.run_at_once(self._work(body), *self._named)
        except Exception as error:  # noqa: BLE001 - the caller is told, whatever it is
            return self.refusal(error)
        finally:
            about.reset(before)

    async def reply(self, body: bytes) -> tuple[wire.Outgoing, Any]:
        """Answer in a thread; also with what sends the content, where that is no JSON."""
        about.set(self._told)
        try:
            out = await self._pool.run(self._work(body), *self._named, seconds=self._seconds)
            if len(out.body) > SMALL:
                return out, self._large(out)
            work = PluginWork(self._kernel, self._pool, self._seconds, self._told)
            return out, await content_answer(out, self.added, work) if out.content else None
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the caller is told
            return self.refusal(error), None

    def _large(self, out: wire.Outgoing) -> "_LargeAnswer":
        """Take room for a large answer until it is read; without room the caller is told so."""
        try:
            return _LargeAnswer(self._answers, out, self.added)
        except OverloadLimit:
            raise OverloadLimit(
                "The call was made, and there is no room for its answer: others are being sent."
            ) from None

    def refusal(self, error: BaseException) -> wire.Outgoing:
        """Say why there is no reply."""
        match error:
            case asyncio.CancelledError():
                text = "The service is stopping; what became of the call is unknown."
                return wire.encode_refusal(OverloadLimit(text), wire.CLOSE)
            case TimeIsUp():
                return wire.encode_refusal(_given_up(self._method, error))
            case CallError():  # the request cannot be read, or too much is waiting
                wire.log_refusal(error, self._address, self._told["request_id"])
                self._kernel.process.refused.append((error.code, error.status))
                return wire.encode_refusal(error)
        log.error("call_lost", request_id=self._told["request_id"], exc_info=error)
        return wire.encode_refusal(InternalServerError())

    @property
    def _address(self) -> str:
        client = self._scope["client"]
        return _address(client[0]) if client else ""

    def _all_of(self, header: bytes) -> str:
        """Join what a header says that was sent several times: of two none is left out."""
        sent = (value for name, value in self._scope["headers"] if name == header)
        return str(b", ".join(sent), "latin-1")

    @property
    def _named(self) -> tuple[str, str]:
        return self._told.get("method", ""), self._told["request_id"]

    def _work(self, body: bytes) -> Callable[[Deadline], wire.Outgoing]:
        scope, headers = self._scope, self._headers
        incoming = wire.Incoming(
            verb=scope["method"],
            path=scope["path"],
            query=scope["query_string"],
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            authorization=headers.get(b"authorization", b"").decode("latin-1"),
            body=body,
            id=self._told["request_id"],
            address=self._address,
            traceparent=headers.get(b"traceparent", b"").decode("latin-1"),
            options={
                each.name: self._all_of(each.header)
                for each in self._options.values()
                if each.header in headers
            },
        )
        call = self._kernel.dispatch, incoming, self._target, self._bounds
        return functools.partial(wire.answer, *call, options=self._options)


def _pool(kernel: Kernel, method: Method | None) -> ThreadPool:
    """Choose the threads: calls that write, and slow ones, do not hold up those that read."""
    if method is None or not (method.slow or method.writes):
        return kernel.process.pools.reading
    return kernel.process.pools.slow if method.slow else kernel.process.pools.writing


class _LargeAnswer:
    """Sends an answer in pieces, as fast as it is read, and holds its room until then."""

    def __init__(self, answers: Bodies, out: wire.Outgoing, added: wire.Headers) -> None:
        answers.resize(0, len(out.body))
        self._answers, self._out, self._added = answers, out, added

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG002 - ASGI's
        body = self._out.body
        told = {"status": self._out.status, "headers": (*self._out.headers, *self._added)}
        try:
            await send({"type": "http.response.start", **told})
            for at in range(0, len(body), SMALL):
                more = at + SMALL < len(body)
                piece = body[at : at + SMALL]
                await send({"type": "http.response.body", "body": piece, "more_body": more})
        finally:
            self._answers.resize(len(body), 0)


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
