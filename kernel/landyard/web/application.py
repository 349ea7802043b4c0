"""The Litestar application of a kernel: calls, the pages of plugins, start-up and shutdown."""

from typing import Any

import structlog
from litestar import HttpMethod, Litestar, Request, Response, asgi, route
from litestar.config.app import AppConfig
from litestar.exceptions import HTTPException, NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.plugins import InitPlugin
from litestar.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from landyard.core.errors import CallError, InternalServerError, InvalidRequest
from landyard.kernel import Kernel
from landyard.logs import configure
from landyard.settings import Settings, load_settings
from landyard.web.bodies import Bodies
from landyard.web.call_endpoint import CallEndpoint
from landyard.web.lifespan import lifespan
from landyard.web.pages import Pages
from landyard.web.routes import Routes
from landyard.web.wire import encode_refusal, log_refusal, request_id

log = structlog.get_logger()

PREFIX = "/rest"
_LARGE_BODIES = 8  # as many of the largest are held at once, as long as they have room
_ROOM = 64 * 1024 * 1024  # bytes for all of them
_ANSWERS = 32 * 1024 * 1024  # bytes of the large answers that are being sent


class LandyardPlugin(InitPlugin):
    """Puts a kernel's methods into a Litestar application, and with `pages` its plugins' pages.

    Calls are answered at `path`, below the middleware of the application. Pages take all addresses
    that the application has no route for. The application builds `kernel` as it is made, and closes
    it when the server stops.
    """

    kernel: Kernel

    def __init__(self, settings: Settings, *, path: str = PREFIX, pages: bool = False) -> None:
        """Build nothing yet."""
        self._settings = settings
        self._path = path
        self._pages = pages

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        """Build the kernel, and add its handlers and its lifespan."""
        self.kernel = _prepared(self._settings)
        app_config.route_handlers.extend(handlers(self.kernel, self._path, pages=self._pages))
        app_config.lifespan.append(lifespan(self.kernel))
        return app_config


def app() -> Litestar:
    """Build the application of the settings that `landyard serve` reads, for a server's factory."""
    return create_app(_prepared(load_settings()))


def create_app(kernel: Kernel) -> Litestar:
    """Build the application of a kernel: calls at `/rest`, all other addresses are pages.

    The application closes the kernel when the server stops. Raises `PluginError` where
    `settings.strict` is on and the pages of a plugin cannot be built.
    """
    _configure_logs(kernel.settings)
    return Litestar(
        route_handlers=handlers(kernel, PREFIX, pages=True),
        lifespan=[lifespan(kernel)],
        exception_handlers={Exception: _refuse},
        openapi_config=None,
        logging_config=None,
    )


def _prepared(settings: Settings) -> Kernel:
    _configure_logs(settings)
    kernel = Kernel(settings)
    kernel.prepare()
    return kernel


def _configure_logs(settings: Settings) -> None:
    if not structlog.is_configured():
        # structlog's default writes tracebacks with local variables, and those hold requests.
        configure(settings.log_level, settings.log_format)


def handlers(kernel: Kernel, path: str, *, pages: bool) -> list[BaseRouteHandler]:
    """Build the route handlers of a kernel: calls at `path`, and with `pages` all other paths."""
    largest = kernel.settings.max_body
    bodies = Bodies(max(largest, min(_LARGE_BODIES * largest, _ROOM)))
    endpoint = CallEndpoint(kernel, bodies, Bodies(_ANSWERS))
    proxies = kernel.settings.trusted_proxies
    calls: Any = ProxyHeadersMiddleware(endpoint, proxies)
    others: Any = _nothing_here
    if pages:
        others = ProxyHeadersMiddleware(Pages(Routes(kernel), bodies, endpoint), proxies)
    plain = path.encode()

    @asgi(path, is_mount=True, copy_scope=False)
    async def landyard_call(scope: Any, receive: Any, send: Any) -> None:
        # Litestar takes `/restaurant`, `//rest` and `/%72est` for the same as `/rest`.
        sent = scope["raw_path"].removeprefix(scope.get("root_path", "").encode())
        own = sent.startswith(plain) and sent[len(plain) :][:1] in {b"", b"/"}
        await (calls if own else others)(scope, receive, send)

    @route(["/", "/{address:path}"], http_method=[*HttpMethod], include_in_schema=False)
    async def landyard_page() -> ASGIApp:
        return others  # type: ignore[no-any-return]

    return [landyard_call, landyard_page] if pages else [landyard_call]


async def _nothing_here(_scope: Any, _receive: Any, _send: Any) -> None:
    """Answer for an address below that of calls which is another spelling of it."""
    raise NotFoundException


def _refuse(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer a request that reaches no route, since its Host is none; or a fault of ours."""
    identity = request_id(request.headers.get("x-request-id", ""))
    if isinstance(error, HTTPException):
        refusal: CallError = InvalidRequest(error.detail, status=error.status_code)
        log_refusal(refusal, "", identity)
    else:
        refusal = InternalServerError()
        log.error("request_lost", request_id=identity, exc_info=error)
    out = encode_refusal(refusal, (b"x-request-id", identity.encode()))
    headers = {name.decode(): value.decode() for name, value in out.headers}
    return Response(out.body, status_code=out.status, headers=headers)
