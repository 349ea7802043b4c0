"""The ASGI application: sends requests to the call endpoint, the answer cache or Litestar."""

import asyncio
import logging
import re
import time
from contextlib import suppress
from typing import Any

import structlog
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from landyard.core.errors import OverloadLimit
from landyard.kernel import Kernel
from landyard.logs import about, configure, path_of
from landyard.web.bodies import Bodies, HeldBody
from landyard.web.call_endpoint import PREFIX, ArrivingCall, CallEndpoint
from landyard.web.failure_pages import failure_page
from landyard.web.lifespan import lifespan
from landyard.web.public_answers import PROBES, READING, Chosen, Sent
from landyard.web.routes import Routes
from landyard.web.wire import encode_refusal, request_id, split

log = structlog.get_logger()

_LARGE_BODIES = 8  # as many of the largest are held at once, as long as they have room
_ROOM = 64 * 1024 * 1024  # bytes for all of them
_ANSWERS = 32 * 1024 * 1024  # bytes of the large answers that are being sent
# A letter, digit, `-`, `.`, `_`, `~` or `/` that is written as an escape in the first segment.
_DISGUISED = re.compile(rb"/*[^/]*?%(?:2[D-Fd-f]|3\d|[46][1-9A-Fa-f]|[57][\dAa]|5[Ff]|7[Ee])")


class Edge:
    """The ASGI application of a kernel, which it closes when the server stops.

    Calls go past Litestar, whose routing costs as much as half of a call's own work. So do public
    answers that are in memory and current.
    """

    def __init__(self, kernel: Kernel) -> None:
        if not structlog.is_configured():
            # structlog's default writes tracebacks with local variables, and those hold requests.
            configure(kernel.settings.log_level, kernel.settings.log_format)
        self._kernel = kernel
        largest = kernel.settings.max_body
        self._bodies = Bodies(max(largest, min(_LARGE_BODIES * largest, _ROOM)))
        self._answers = Bodies(_ANSWERS)
        self._calls = CallEndpoint(kernel, self._bodies, self._answers)
        self._routes = Routes(kernel)
        self._lifespan = lifespan(kernel)
        self._tells = bool(log.is_enabled_for(logging.INFO))
        trusted = kernel.settings.trusted_proxies
        self._proxy: Any = ProxyHeadersMiddleware(_nothing, trusted_hosts=trusted)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; a server's start-up and shutdown come here, too."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":  # and no websocket, of a server that is not ours
                await self._lifespan(scope, receive, send)
            return
        headers, identity = self._head(scope)
        about.set({"request_id": identity})
        raw = scope["raw_path"]
        if b"%" in raw and _DISGUISED.match(raw):
            # A proxy's rule for the service's own addresses may not have seen it: it is none.
            scope["path"] = raw.decode("latin-1")
        path = str(scope["path"])
        if path.startswith(f"{PREFIX}/") or path == PREFIX:
            target = split(path[len(PREFIX) :])
            await self._calls.answer(scope, headers, receive, send, identity, target=target)
        else:
            scope.setdefault("state", {}).update(request_id=identity, calls=self._calls)
            served = _Served(send, identity)
            held = HeldBody(self._bodies, receive)
            try:
                await self._routes.pages(scope, held, served)
            except asyncio.CancelledError:
                stopping = failure_page(encode_refusal(OverloadLimit()), scope, self._routes.style)
                with suppress(RuntimeError):  # the page had begun
                    await stopping(scope, receive, served)
                raise
            finally:
                held.release()
                served.log(path)

    def begin(self, scope: Any) -> ArrivingCall | None:
        """Begin a call that the connection receives and sends itself; None for all else."""
        plain = scope["path"].startswith(f"{PREFIX}/") and b"%" not in scope["raw_path"]
        if not plain or scope["method"] not in {"POST", "GET"}:
            return None
        headers, identity = self._head(scope)
        target = split(scope["path"][len(PREFIX) :])
        call = ArrivingCall(self._kernel, self._answers, scope, headers, identity, target=target)
        return call if call.is_small else None

    def _head(self, scope: Any) -> tuple[Sent, str]:
        """Read a request's headers and id; a proxy that is trusted says who calls."""
        headers = dict(scope["headers"])
        # Few requests have these, and the middleware costs as much as the way to a thread and back.
        if b"x-forwarded-for" in headers or b"x-forwarded-proto" in headers:
            with suppress(StopIteration):  # it waits for nothing
                self._proxy(scope, _nothing, _nothing).send(None)
        return headers, request_id(headers.get(b"x-request-id", b"").decode("latin-1"))

    def at_once(self, verb: str, target: bytes, asked: Sent) -> tuple[Chosen, bytes] | None:
        """Return what is in memory for a request whose headers came once each, and its id."""
        began = time.perf_counter()
        if verb not in READING or not (kept := self._routes.pages.find(target, asked[b"host"])):
            return None
        status, _, body = chosen = kept[0].chosen(verb, asked)
        identity = request_id(asked.get(b"x-request-id", b"").decode("latin-1"))
        if self._tells:
            log.info("page_served", **_described(kept[1], status, began, len(body), identity))
        return chosen, identity.encode()


async def _nothing(*_: object) -> Any:
    """Stand for an application that has nothing to do."""


def _described(path: str, status: int, began: float, size: int, identity: str) -> dict[str, Any]:
    """Describe a page for the log; its query stays out, it may hold a secret."""
    ms = round(1000 * (time.perf_counter() - began), 2)
    path = path_of(path, status)
    return {"path": path, "status": status, "ms": ms, "bytes": size, "request_id": identity}


class _Served:
    """Sends a page with the request's id, and logs it.

    Probes ask several times a minute: their requests are logged at the level `debug`.
    """

    def __init__(self, send: Any, identity: str) -> None:
        self._send = send
        self._identity = identity
        self._status = self._bytes = 0
        self._began = time.perf_counter()

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = [*message["headers"], (b"x-request-id", self._identity.encode())]
        elif message["type"] == "http.response.body":
            self._bytes += len(message.get("body", b""))
        await self._send(message)

    def log(self, path: str) -> None:
        told = _described(path, self._status, self._began, self._bytes, self._identity)
        (log.debug if path in PROBES else log.info)("page_served", **told)
