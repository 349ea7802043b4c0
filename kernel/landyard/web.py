"""The web edge: one ASGI function for the calls, Litestar for everything else."""

import asyncio
import functools
import ipaddress
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
import structlog
from litestar import HttpMethod, Litestar, Response, route
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from sqlalchemy import text

from landyard.app import Kernel
from landyard.bodies import Bodies, Gone
from landyard.errors import (
    CallError,
    InternalServerError,
    InvalidRequest,
    MethodNotFound,
    OverloadLimit,
)
from landyard.jobs import Runner
from landyard.logs import configure
from landyard.ticker import Ticker
from landyard.wire import (
    Incoming,
    Outgoing,
    answerer,
    encode_refusal,
    request_id,
    split,
)

log = structlog.get_logger()

_CALLS = "/rest"
RECORDED_EVERY = 1.0  # seconds
_BODIES = 8  # as many of the largest are held at once
READING = (HttpMethod.GET, HttpMethod.HEAD)
_ALWAYS = (
    (b"content-type", b"application/json; charset=utf-8"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)


def web_app(kernel: Kernel) -> ASGIApp:
    """Build the ASGI application of `kernel`; it closes the kernel when the server stops.

    Between start-up and shutdown it also does the kernel's jobs and writes its records.

    Calls go past Litestar's routing, which would cost as much as half of a call's own work;
    everything else is a Litestar application.
    """
    if not structlog.is_configured():
        # Its default writes tracebacks with locals, and locals hold requests.
        configure(kernel.settings.log_level, kernel.settings.log_format)

    jobs = Runner(kernel)
    records = Ticker("records", RECORDED_EVERY, kernel.write_records)

    def stop() -> None:
        jobs.stop(grace=1.0)
        records.stop(grace=1.0)
        _write_last_records(kernel)
        kernel.close()
        log.info("worker_stopped", pid=os.getpid())

    calls = _calls(kernel)
    litestar = Litestar(
        route_handlers=[healthz, _readyz(kernel), *_routes(kernel)],
        on_startup=[jobs.start, records.start],
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
    answer = answerer(kernel.dispatch, kernel.bounds)
    bodies = Bodies(_BODIES * kernel.settings.max_body)

    async def calls(
        scope: HTTPScope, headers: Headers, receive: Receive, send: Send, identity: str
    ) -> None:
        path = scope["path"][len(_CALLS) :]
        parts = split(path)
        bounds = kernel.bounds(parts[2])
        limit = bounds.size
        assert limit is not None  # the operator's, where the group has none
        try:
            body = await bodies.take(receive, headers.get(b"content-length", b""), limit)
        except (InvalidRequest, OverloadLimit) as refusal:
            log.info(
                "request_refused",
                error=refusal.code,
                status=refusal.status,
                address=_address(scope),
                request_id=identity,
            )
            await _send(send, encode_refusal(refusal), identity, close=True)
            return
        except Gone:
            return
        incoming = Incoming(
            verb=scope["method"],
            path=path,
            query=scope["query_string"],
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            authorization=headers.get(b"authorization", b"").decode("latin-1"),
            body=body,
            id=identity,
            parts=parts,
            bounds=bounds,
            address=_address(scope),
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
        finally:
            bodies.give_back(body)
        await _send(send, out, identity)

    return calls


def _address(scope: HTTPScope) -> str:
    """Say where a request comes from; nothing, where a proxy's word for it is no address."""
    client = scope["client"]
    return _checked_address(client[0]) if client else ""


@functools.lru_cache(maxsize=4096)
def _checked_address(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


def _write_last_records(kernel: Kernel) -> None:
    try:
        kernel.write_records()
    except Exception as error:  # noqa: BLE001 - the service stops either way
        log.warning("records_lost", error=type(error).__name__)


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
def healthz() -> Response[bytes]:
    """Tell that the process answers."""
    return _status("ok")


def _readyz(kernel: Kernel) -> Any:
    @route("/readyz", http_method=READING)
    async def readyz() -> Response[bytes]:
        """Tell whether calls can be answered: the database is there."""
        try:
            await kernel.in_worker(_ping, kernel)
        except Exception as error:  # noqa: BLE001 - whatever it is, the service is not ready
            log.warning("readiness_failed", error=type(error).__name__)
            return _status("database unreachable", 503)
        return _status("ok")

    return readyz


def _ping(kernel: Kernel) -> None:
    with kernel.store.session() as session:
        session.execute(text("SELECT 1"))


def _status(text: str, status: int = 200) -> Response[bytes]:
    return _json(Outgoing(status, msgspec.json.encode({"status": text})))


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
