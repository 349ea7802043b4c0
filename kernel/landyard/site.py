"""The site: what is at an address and is no call. Pages of plugins, health, descriptions."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import structlog
from litestar import Litestar, Response, Router, route
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Scope, Send
from sqlalchemy import text

from landyard.app import Kernel
from landyard.descriptions import READING, description_routes
from landyard.errors import CallError, InternalServerError, InvalidRequest, MethodNotFound
from landyard.lineup import Lineup
from landyard.plugins import Loading, Plugin, PluginError, described
from landyard.tasks import TimeIsUp
from landyard.wire import Outgoing, encode_refusal

log = structlog.get_logger()

ALWAYS = (
    (b"content-type", b"application/json; charset=utf-8"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)
_KEPT = 8  # applications: for as many sets of plugins


class Site:
    """A Litestar application for each set of plugins that has been on; `now` is today's."""

    def __init__(self, kernel: Kernel) -> None:
        """Build the pages of what is on, and again whenever that changes."""
        self._kernel = kernel
        self._seconds = kernel.rules.import_seconds
        self._made: dict[tuple[tuple[str, int], ...], ASGIApp] = {}
        self._routes: dict[str, tuple[Any, list[object]]] = {}
        self.now: ASGIApp
        kernel.assembly.follow(self._change)

    def _change(self, lineup: Lineup) -> Mapping[str, str]:
        """Build the pages of a line-up; answer which plugins' cannot be had, and why."""
        failed: dict[str, str] = {}
        plugins = tuple(plugin for plugin in lineup.plugins if self._brings_pages(plugin, failed))
        if failed:
            return failed
        # A plugin's module may be an object of its own, and such that has no hash.
        which = tuple((plugin.name, id(plugin.module)) for plugin in plugins)
        if which not in self._made:
            try:
                self._made[which] = self._build(plugins)
            except Exception as error:  # noqa: BLE001 - whatever a plugin's routes bring about
                return self._culprits(plugins, error)
            while len(self._made) > _KEPT:
                del self._made[next(iter(self._made))]
        self.now = self._made[which]
        return {}

    def _brings_pages(self, plugin: Plugin, failed: dict[str, str]) -> bool:
        known = self._routes.get(plugin.name)
        if known is None or known[0] is not plugin.module:
            try:
                asked = Loading(lambda: self._kernel.routes(plugin), self._seconds)
                known = (plugin.module, asked.result())
            except PluginError as error:
                failed[plugin.name] = str(error)
                return False
            self._routes[plugin.name] = known
        return bool(known[1])

    def _build(self, plugins: tuple[Plugin, ...]) -> ASGIApp:
        kernel = self._kernel
        return Litestar(
            route_handlers=[
                healthz,
                _readyz(kernel),
                *description_routes(kernel),
                *[self._router(plugin) for plugin in plugins],
            ],
            openapi_config=None,
            logging_config=None,
            exception_handlers={
                HTTPException: _refuse,
                CallError: _overloaded,
                TimeIsUp: _given_up,
                Exception: self._crash,
            },
        )

    def _router(self, plugin: Plugin) -> Router:
        routes: list[Any] = self._routes[plugin.name][1]
        return Router(
            "/",
            route_handlers=routes,
            middleware=[self._resting(plugin.name)],
            opt={"landyard_plugin": plugin.name},
        )

    def _culprits(self, plugins: tuple[Plugin, ...], error: Exception) -> Mapping[str, str]:
        """Find out whose routes cannot be built, each beside those in front of it."""
        for count, plugin in enumerate(plugins, 1):
            try:
                self._build(plugins[:count])
            except Exception as fault:  # noqa: BLE001 - see above
                return {
                    plugin.name: f"its routes cannot be used (register_routes): {described(fault)}"
                }
        raise error

    def _resting(self, plugin: str) -> Callable[[ASGIApp], ASGIApp]:
        """Make the middleware that refuses the pages of a plugin while it is in quarantine."""
        faults = self._kernel.faults

        def middleware(app: ASGIApp) -> ASGIApp:
            async def run(scope: Scope, receive: Receive, send: Send) -> None:
                faults.admit(plugin)
                try:
                    await app(scope, receive, send)
                    faults.worked(plugin)  # unless it was blamed meanwhile
                finally:
                    faults.undecided(plugin)

            return run

        return middleware

    def _crash(self, request: Any, error: Exception) -> Response[bytes]:
        plugin = request.scope["route_handler"].opt.get("landyard_plugin", "")
        # The route's own path: what a visitor asks for is no part of a reason.
        page = min(request.scope["route_handler"].paths, default="")
        self._kernel.fences.blame(plugin, f"page {page}", error)
        log.error("page_crashed", plugin=plugin, exc_info=error)
        return _json(encode_refusal(InternalServerError()))


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


def _given_up(_request: Any, _late: TimeIsUp) -> Response[bytes]:
    return _json(encode_refusal(InternalServerError("The page took too long and was given up.")))


def _json(answer: Outgoing, **more: str) -> Response[bytes]:
    sent = {name.decode(): value.decode() for name, value in (*ALWAYS, *answer.headers)}
    return Response(answer.body, status_code=answer.status, headers={**sent, **more})
