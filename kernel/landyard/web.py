"""The web edge: one ASGI function for the calls, Litestar for everything else."""

import asyncio
import functools
import ipaddress
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import structlog
from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from msgspec import structs
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from landyard.app import Kernel
from landyard.bodies import Bodies, Gone
from landyard.errors import (
    CallError,
    InternalServerError,
    InvalidRequest,
    OverloadLimit,
    SystemFailure,
)
from landyard.jobs import Runner
from landyard.logs import configure
from landyard.methods import Deprecation, Method
from landyard.site import ALWAYS, Site
from landyard.tasks import TimeIsUp
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
DEATHS_EVERY = 0.1  # seconds
REFRESHED_EVERY = 0.4  # seconds, give or take a half: a switch is effective within one
_BODIES = 8  # as many of the largest are held at once


def web_app(kernel: Kernel) -> ASGIApp:
    """Build the ASGI application of `kernel`; it closes the kernel when the server stops.

    Between start-up and shutdown it also does the kernel's jobs and writes its records.

    Calls go past Litestar's routing, which would cost as much as half of a call's own work;
    everything else is a Litestar application.
    """
    if not structlog.is_configured():
        # Its default writes tracebacks with locals, and locals hold requests.
        configure(kernel.settings.log_level, kernel.settings.log_format)

    calls = _calls(kernel)
    site = Site(kernel)
    believe: Any = ProxyHeadersMiddleware(_nothing, trusted_hosts=kernel.settings.trusted_proxies)
    lifespan = _lifespan(kernel)

    async def edge(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await lifespan(scope, receive, send)  # start-up and shutdown
            return
        headers = dict(scope["headers"])
        # Few requests have them, and the middleware costs as much as the hop to a thread.
        if b"x-forwarded-for" in headers or b"x-forwarded-proto" in headers:
            await believe(scope, receive, send)
        identity = request_id(headers.get(b"x-request-id", b"").decode("latin-1"))
        path = scope["path"]
        if path.startswith("/rest/") or path == _CALLS:
            await calls(scope, headers, receive, send, identity)
        else:
            with_id = functools.partial(_send_with_id, send, identity.encode())
            await site.now(scope, receive, with_id)

    return edge


def _lifespan(kernel: Kernel) -> Litestar:
    """Build what answers a server's start-up and shutdown."""
    background: list[Runner | Ticker] = [
        Runner(kernel),
        Ticker("records", RECORDED_EVERY, kernel.write_records),
        Ticker("deaths", DEATHS_EVERY, kernel.note_deaths),
        Ticker("plugins", REFRESHED_EVERY, kernel.refresh),
    ]

    def start() -> None:
        try:
            kernel.assembly.write_report()
        except Exception as error:  # noqa: BLE001 - the service starts; it is not ready, and says so
            log.warning("report_lost", error=type(error).__name__)
        for each in background:
            each.start()

    def stop() -> None:
        for each in background:
            each.stop(grace=1.0)
        _write_last_records(kernel)
        kernel.close()
        log.info("worker_stopped", pid=os.getpid())

    return Litestar(
        on_startup=[start], on_shutdown=[stop], openapi_config=None, logging_config=None
    )


async def _nothing(_scope: Any, _receive: Any, _send: Any) -> None:
    """Stand behind a middleware that only changes the scope."""


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
        method = kernel.lineup.methods.find(parts[2])
        bounds = kernel.usual_bounds if method is None else method.bounds
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
            out = await kernel.call_in_worker(method, answer, incoming)
        except TimeIsUp as late:
            out = encode_refusal(_given_up(method, late))
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
        if method is not None and method.deprecated is not None:
            out = structs.replace(out, headers=(*out.headers, *_notice(method.deprecated)))
        await _send(send, out, identity)

    return calls


def _notice(deprecated: Deprecation) -> list[tuple[bytes, bytes]]:
    """Tell a client by HTTP that a method is deprecated (RFC 9745, RFC 8594)."""
    since, until = (
        datetime.combine(day, datetime.min.time(), UTC)
        for day in (deprecated.since, deprecated.until)
    )
    return [
        (b"deprecation", f"@{int(since.timestamp())}".encode()),
        (b"sunset", format_datetime(until, usegmt=True).encode()),
    ]


def _given_up(method: Method | None, late: TimeIsUp) -> CallError:
    if not late.owner:  # no plugin's code ran: it waited for the database
        return OverloadLimit()
    told = (
        f"The method ran longer than {late.seconds:g} seconds and was given up;"
        " nothing was changed."
    )
    known = method is not None and method.declares(SystemFailure)
    return SystemFailure(told) if known else InternalServerError(told)


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
        kernel.write_records(last=True)
    except Exception as error:  # noqa: BLE001 - the service stops either way
        log.warning("records_lost", error=type(error).__name__)


async def _send(send: Send, answer: Outgoing, identity: str, *, close: bool = False) -> None:
    headers = [
        *ALWAYS,
        (b"content-length", str(len(answer.body)).encode()),
        (b"x-request-id", identity.encode()),
        *answer.headers,
    ]
    if close:
        headers.append((b"connection", b"close"))
    start: Any = {"type": "http.response.start", "status": answer.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})


async def _send_with_id(send: Send, identity: bytes, message: Message) -> None:
    if message["type"] == "http.response.start":
        message["headers"] = [*message["headers"], (b"x-request-id", identity)]
    await send(message)
