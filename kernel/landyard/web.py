"""The web edge: one ASGI function for the calls, Litestar for everything else."""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from litestar import HttpMethod, Litestar, Response, route
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from sqlalchemy import text

from landyard.app import Kernel
from landyard.errors import (
    CallError,
    InternalServerError,
    InvalidRequest,
    MethodNotFound,
    OverloadLimit,
)
from landyard.jobs import Runner
from landyard.logs import configure
from landyard.wire import Incoming, Outgoing, answerer, encode_refusal, request_id, split

log = structlog.get_logger()

_CALLS = "/rest"
READING = (HttpMethod.GET, HttpMethod.HEAD)
_ALWAYS = (
    (b"content-type", b"application/json; charset=utf-8"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
)


def web_app(kernel: Kernel) -> ASGIApp:
    """Build the ASGI application of `kernel`; it closes the kernel when the server stops.

    Between start-up and shutdown it also does the kernel's jobs.

    Calls go past Litestar's routing, which would cost as much as half of a call's own work;
    everything else is a Litestar application.
    """
    if not structlog.is_configured():
        # Its default writes tracebacks with locals, and locals hold requests.
        configure(kernel.settings.log_level, kernel.settings.log_format)

    jobs = Runner(kernel)

    def stop() -> None:
        jobs.stop(grace=1.0)
        kernel.close()
        log.info("worker_stopped", pid=os.getpid())

    calls = _calls(kernel)
    litestar = Litestar(
        route_handlers=[healthz, _readyz(kernel), *_routes(kernel)],
        on_startup=[jobs.start],
        on_shutdown=[stop],
        openapi_config=None,
        logging_config=None,
        exception_handlers={HTTPException: _refuse, CallError: _overloaded, Exception: _crash},
    )

    async def edge(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await litestar(scope, receive, send)  # start-up and shutdown
            return
        headers = dict(scope["headers"])
        identity = request_id(headers.get(b"x-request-id", b"").decode("latin-1"))
        path = scope["path"]
        if path.startswith("/rest/") or path == _CALLS:
            await calls(scope, headers, receive, send, identity)
        else:
            with_id = functools.partial(_send_with_id, send, identity.encode())
            await litestar(scope, receive, with_id)

    return edge


Headers = Mapping[bytes, bytes]
Calls = Callable[[HTTPScope, Headers, Receive, Send, str], Awaitable[None]]


def _calls(kernel: Kernel) -> Calls:
    answer = answerer(kernel.dispatch)
    max_body = kernel.settings.max_body

    async def calls(
        scope: HTTPScope, headers: Headers, receive: Receive, send: Send, identity: str
    ) -> None:
        try:
            body = await _read_body(receive, headers.get(b"content-length", b""), max_body)
        except _TooLarge:
            await _send(send, encode_refusal(_too_large(max_body)), identity, close=True)
            return
        except _Gone:
            return
        path = scope["path"][len(_CALLS) :]
        parts = split(path)
        incoming = Incoming(
            verb=scope["method"],
            path=path,
            query=scope["query_string"],
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            authorization=headers.get(b"authorization", b"").decode("latin-1"),
            body=body,
            id=identity,
            parts=parts,
        )
        try:
            out = await kernel.in_worker(answer, incoming, method=parts[2])
        except CallError as error:
            out = encode_refusal(error)
        except asyncio.CancelledError:
            stopping = OverloadLimit("The service is stopping; what became of the call is unknown.")
            await _send(send, encode_refusal(stopping), identity, close=True)
            raise
        except Exception:
            log.exception("call_lost", request_id=identity)
            out = encode_refusal(InternalServerError())
        await _send(send, out, identity)

    return calls


class _TooLarge(Exception):
    """The body is larger than the service takes."""


class _Gone(Exception):
    """The caller hung up before the body was complete."""


def _too_large(limit: int) -> InvalidRequest:
    return InvalidRequest(f"The body is larger than the {limit} bytes taken here.", status=413)


async def _read_body(receive: Receive, announced: bytes, limit: int) -> bytes:
    if announced.isdigit() and int(announced[:20]) > limit:
        raise _TooLarge
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        chunk: bytes = message.get("body", b"")  # type: ignore[assignment]
        size += len(chunk)
        if size > limit:
            raise _TooLarge
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _send(send: Send, answer: Outgoing, identity: str, *, close: bool = False) -> None:
    headers = [
        *_ALWAYS,
        (b"content-length", str(len(answer.body)).encode()),
        (b"x-request-id", identity.encode()),
        *answer.headers,
    ]
    if close:
        headers.append((b"connection", b"close"))
    start: Any = {"type": "http.response.start", "status": answer.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})


@route("/healthz", http_method=READING, sync_to_thread=False)
def healthz() -> dict[str, str]:
    """Tell that the process answers."""
    return {"status": "ok"}


def _readyz(kernel: Kernel) -> Any:
    @route("/readyz", http_method=READING)
    async def readyz() -> Response[dict[str, str]]:
        """Tell whether calls can be answered: the database is there."""
        try:
            await kernel.in_worker(_ping, kernel)
        except Exception as error:  # noqa: BLE001 - whatever it is, the service is not ready
            log.warning("readiness_failed", error=type(error).__name__)
            return Response({"status": "database unreachable"}, status_code=503)
        return Response({"status": "ok"})

    return readyz


def _ping(kernel: Kernel) -> None:
    with kernel.store.session() as session:
        session.execute(text("SELECT 1"))


def _refuse(_request: Any, error: HTTPException) -> Response[bytes]:
    if error.status_code == 405:
        told: CallError = InvalidRequest("Pages are read with GET.", status=405)
        return _json(encode_refusal(told), Allow="GET, HEAD")
    return _json(encode_refusal(MethodNotFound("There is nothing at this address.")))


def _overloaded(_request: Any, error: CallError) -> Response[bytes]:
    return _json(encode_refusal(error))


def _crash(_request: Any, error: Exception) -> Response[bytes]:
    log.error("page_crashed", exc_info=error)
    return _json(encode_refusal(InternalServerError()))


def _json(answer: Outgoing, **more: str) -> Response[bytes]:
    sent = {name.decode(): value.decode() for name, value in (*_ALWAYS, *answer.headers)}
    return Response(answer.body, status_code=answer.status, headers={**sent, **more})


def _routes(kernel: Kernel) -> list[Any]:
    # The hook's contract speaks no Litestar: here is where its objects become handlers.
    return list(kernel.routes())


async def _send_with_id(send: Send, identity: bytes, message: Message) -> None:
    if message["type"] == "http.response.start":
        message["headers"] = [*message["headers"], (b"x-request-id", identity)]
    await send(message)
