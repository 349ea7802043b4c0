"""Answers requests for pages, from the cache or by a plugin's route, and logs them."""

import asyncio
import re
import time
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

import structlog

from landyard.core.errors import OverloadLimit
from landyard.logs import about, path_of
from landyard.web.answer_cache import PROBES
from landyard.web.bodies import Bodies, HeldBody
from landyard.web.call_endpoint import CallEndpoint
from landyard.web.failure_pages import failure_page
from landyard.web.routes import Routes
from landyard.web.wire import encode_refusal, request_id

log = structlog.get_logger()

# A letter, digit, `-`, `.`, `_`, `~` or `/` that is written as an escape in the first segment.
_DISGUISED = re.compile(rb"/*[^/]*?%(?:2[D-Fd-f]|3\d|[46][1-9A-Fa-f]|[57][\dAa]|5[Ff]|7[Ee])")


class Pages:
    """Answers requests for pages, as an ASGI application."""

    def __init__(self, routes: Routes, bodies: Bodies, calls: CallEndpoint) -> None:
        """Answer with `routes`; a page may forward a call to `calls`."""
        self._routes = routes
        self._bodies = bodies
        self._calls = calls

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        identity = request_id(headers.get(b"x-request-id", b"").decode("latin-1"))
        about.set({"request_id": identity})
        scope["path"] = path = path_as_sent(scope["raw_path"])
        scope["state"].update(request_id=identity, calls=self._calls)
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


def path_as_sent(raw: bytes) -> str:
    """Decode a path, but for one whose first segment hides what it names.

    A proxy's rule for the service's own addresses may not have seen such a path. So it names none
    of them.
    """
    path = raw.decode("latin-1")
    return path if b"%" not in raw or _DISGUISED.match(raw) else unquote(path)


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
        """Log the page; its query stays out, since it may hold a secret."""
        told = {
            "path": path_of(path, self._status),
            "status": self._status,
            "ms": round(1000 * (time.perf_counter() - self._began), 2),
            "bytes": self._bytes,
            "request_id": self._identity,
        }
        (log.debug if path in PROBES else log.info)("page_served", **told)
