"""Builds the Litestar application of the plugins' routes, which run in the thread pool."""

import copy
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import structlog
from litestar import HttpMethod, Litestar, Request, Response, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream
from litestar.types import ASGIApp, Empty, Receive, Scope, Send
from litestar.utils import is_async_callable

from landyard.core import errors
from landyard.kernel import Kernel
from landyard.logs import about
from landyard.plugin_host.loading import PluginError, described
from landyard.plugin_host.resolution import Resolution
from landyard.public_answer import PublicAnswer
from landyard.web.answer_cache import PROBES
from landyard.web.bodies import SMALL
from landyard.web.contents import PluginWork
from landyard.web.failure_pages import failure_page
from landyard.web.probes import probe
from landyard.web.wire import encode_refusal

log = structlog.get_logger()

# Litestar would run these on the event loop, or in threads of its own without a limit.
_NOT_TAKEN = (
    *("after_request", "after_response", "background", "before_request", "cache", "dependencies"),
    *("dto", "exception_handlers", "guards", "middleware", "request_class", "response_class"),
    *("return_dto", "type_decoders", "type_encoders"),
)
# Of a page whose plugin does not say otherwise: it loads nothing from elsewhere, and runs no script
# that is written into it.
_USUAL = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'; object-src 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def application(kernel: Kernel, now: Resolution, style: str) -> tuple[Any, dict[str, str]]:
    """Build the pages of a resolution; answer also whose cannot be used, the first, and why."""

    @route(sorted(PROBES), http_method=(HttpMethod.GET, HttpMethod.HEAD))
    async def probes(request: Request[Any, Any, Any]) -> Response[bytes]:
        return _response(await probe(kernel, request.scope["path"]))

    app = Litestar(
        route_handlers=[probes],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=SMALL,  # of a route that does not declare another
        exception_handlers={Exception: functools.partial(_explain, style)},
    )
    for brought in now.contributions:
        name = brought.plugin.name
        try:
            for each in kernel.routes(brought):
                app.register(in_pool(kernel, name, each))
        except PluginError as error:
            return app, {name: str(error)}
        except Exception as error:  # noqa: BLE001 - whatever a plugin's routes bring about
            told = f"its routes cannot be used (register_routes): {described(error)}"
            return app, {name: told}
    return app, {}


def in_pool(kernel: Kernel, plugin: str, route: object) -> HTTPRouteHandler:
    """Return the route with its function run in the thread pool.

    Raises `PluginError` for a route that brings code to run elsewhere.
    """
    if not isinstance(route, HTTPRouteHandler):
        raise PluginError(
            f"register_routes: {route!r:.100} is no HTTP route; bring functions made routes with"
            " litestar's @get, @post or @route"
        )
    path = min(route.paths)
    function = route.fn
    extra = [name for name in _NOT_TAKEN if getattr(route, name) not in (None, False, Empty)]
    if is_async_callable(function) or inspect.isasyncgenfunction(function):
        extra.insert(0, "'async def'")
    if extra:
        brought = ", ".join(extra)
        raise PluginError(
            f"route {path} comes with {brought}: write 'def' and do it in the function,"
            " the kernel runs it in a thread"
        )

    @functools.wraps(function)
    def later(**given: Any) -> Response[Any]:
        told = {"plugin": plugin, "page": path}
        return _PooledResponse(kernel, told, functools.partial(function, **given))

    pooled = copy.copy(route)
    pooled.sync_to_thread = False  # it only remembers what to run
    if HttpMethod.GET in route.http_methods:  # the server sends no body to who asks with HEAD
        pooled.http_methods = route.http_methods | {HttpMethod.HEAD}
    return pooled(later)


class _PooledResponse(Response[Any]):
    """Litestar takes this for the answer of a route: the work that makes it, not yet done.

    Litestar has the parameters read by now, and tells how to render the answer. Both the work and
    the rendering are done in the pool at once. `told` has the route's path, not what was asked for.
    """

    def __init__(self, kernel: Kernel, told: dict[str, str], work: Callable[[], Any]) -> None:
        super().__init__(None)
        self._kernel = kernel
        self._told = told
        self._work = work

    def to_asgi_response(self, app: Any, request: Request[Any, Any, Any], **how: Any) -> Any:
        _ = app  # deprecated, always None

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            told = {**self._told, "request_id": scope["state"]["request_id"]}
            about.set(told)
            kernel = self._kernel
            work = PluginWork(kernel, kernel.process.pools.reading, kernel.rules.seconds, told)
            made = await work.run(lambda: self._make(request, how, work))
            if isinstance(made, PublicAnswer):
                scope["state"]["public_answer"] = made
            try:
                await made(scope, receive, send)
            except* (errors.CallError, HTTPException):
                pass  # a stream broke off

        return answer

    def _make(
        self, request: Request[Any, Any, Any], how: dict[str, Any], work: PluginWork
    ) -> ASGIApp:
        made = self._work()
        private = "private" in request.scope["state"]  # it is for one visitor
        if isinstance(made, PublicAnswer):
            if private and made.etag:
                raise TypeError("a PublicAnswer for one visitor would be kept for all")
            return made
        if not isinstance(made, Response):
            made = Response(made, media_type=how["media_type"], status_code=how["status_code"])
        if private:
            made.headers["Cache-Control"] = "no-store"
        said = {name.lower() for name in (*made.headers, *(how["headers"] or ()))}  # or its route's
        made.headers.update({name: it for name, it in _USUAL.items() if name.lower() not in said})
        if made.background is not None:
            raise TypeError("an answer with a background task: bring a job, or do it in the route")
        if isinstance(made, Stream):
            content: Any = () if request.method == "HEAD" else made.iterator
            if callable(content) and not isinstance(content, Iterable):
                content = content()
            # A `TypeError` for an async iterator: it would run on the event loop.
            made.iterator = work.chunks(iter(content))
        return made.to_asgi_response(app=None, request=request, **how)


def _explain(style: str, request: Any, error: Exception) -> Response[bytes]:
    refusal = _refusal(request, error)
    given = {name.lower(): text for name, text in (getattr(error, "headers", None) or {}).items()}
    later = given.get("retry-after", "5" if refusal.status == 429 else "")
    if later.isdecimal() and isinstance(error, HTTPException):
        refusal.retry_after = int(later)
    told = encode_refusal(refusal, *[(b"allow", b"GET, HEAD")] * (refusal.status == 405))
    return _response(failure_page(told, request.scope, style))


def _refusal(request: Any, error: Exception) -> errors.CallError:
    match error:
        case errors.CallError():
            return error
        case HTTPException(status_code=404):
            return errors.MethodNotFound("There is nothing at this address.")
        case HTTPException(status_code=405):
            return errors.InvalidRequest("Pages are read with GET.", status=405)
        case HTTPException(status_code=503):
            return errors.OverloadLimit()
        case HTTPException(status_code=status):  # below 500: the parameters, the body
            wrong = errors.InvalidRequest(error.detail, status=status)
            return wrong if status < 500 else errors.InternalServerError()
    log.error("page_crashed", page=min(request.scope["route_handler"].paths), exc_info=error)
    return errors.InternalServerError()


def _response(made: PublicAnswer) -> Response[bytes]:
    named = {name.decode(): value.decode() for name, value in made.headers}
    return Response(made.body, status_code=made.status, headers=named)
