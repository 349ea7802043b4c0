"""Litestar routes: `/healthz`, `/readyz`, and the pages of the plugins that are on."""

import asyncio
import functools
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from litestar import HttpMethod, Litestar, Response, route
from litestar.exceptions import HTTPException
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.utils import is_class_and_subclass
from sqlmodel import SQLModel

from landyard.core import errors
from landyard.kernel import Kernel
from landyard.plugin_host.loading import PluginError, described
from landyard.plugin_host.resolution import Resolution
from landyard.plugin_host.switches import is_prepared
from landyard.storage.changes import Changes
from landyard.web.failure_pages import STYLE, failure_page, reads_html
from landyard.web.plugin_routes import in_pool
from landyard.web.public_answers import KeptAnswers
from landyard.web.wire import Headers, Outgoing, encode_refusal, headers_of

log = structlog.get_logger()

READING = (HttpMethod.GET, HttpMethod.HEAD)
_MODEL: Any = SQLModel.__base__  # pydantic's, of which routes may take and answer models
_is_model = functools.partial(is_class_and_subclass, type_or_type_tuple=_MODEL)
READY_WITHIN = 1.5  # seconds: whoever asks hears it within two


class Application(Litestar):
    """Litestar without its support for pydantic 1 and 2 and for attrs, which is slow to import."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


class Routes:
    """The pages of the plugins that are on now, made anew whenever that changes.

    `pages` answers; `style` is that of pages of failure.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._ready = _readyz(kernel)
        self._changes = Changes(kernel.store.reading)
        self.pages: KeptAnswers
        self.style = STYLE
        kernel.lifecycle.follow(self._change)

    def _change(self, resolution: Resolution) -> Mapping[str, str]:
        """Build the pages of a resolution; answer whose cannot be used, the first, and why."""
        style = resolution.failure_style or STYLE
        app = Application(
            route_handlers=[healthz, self._ready],
            openapi_config=None,
            logging_config=None,
            type_encoders={_MODEL: lambda model: model.model_dump(mode="json")},
            type_decoders=[(_is_model, lambda kind, sent: kind.model_validate(sent))],
            exception_handlers={Exception: functools.partial(_explain, style)},
        )
        for brought in resolution.contributions:
            name = brought.plugin.name
            try:
                for each in self._kernel.routes(brought):
                    app.register(in_pool(self._kernel, name, each))
            except PluginError as error:
                return {name: str(error)}
            except Exception as error:  # noqa: BLE001 - whatever a plugin's routes bring about
                return {name: f"its routes cannot be used (register_routes): {described(error)}"}
        self.pages, self.style = KeptAnswers(app, self._changes, self._kernel), style
        return {}


@route("/healthz", http_method=READING, sync_to_thread=False)
def healthz() -> Response[bytes]:
    """Tell that the process answers."""
    return _status("ok")


def _readyz(kernel: Kernel) -> Any:
    @route("/readyz", http_method=READING)
    async def readyz() -> Response[bytes]:
        """Tell within two seconds whether calls can be answered: the database is there."""
        try:
            # Where the database hangs, the pool refuses further ones of this label.
            pool, seconds = kernel.pools.reading, kernel.rules.seconds
            asked = pool.run(lambda _: _ping(kernel), label="readyz", seconds=seconds)
            await asyncio.wait_for(asked, READY_WITHIN)
        except Exception as error:  # noqa: BLE001 - whatever it is, the service is not ready
            log.warning("readiness_failed", error=type(error).__name__)
            return _status("database unreachable", 503)
        return _status("ok")

    return readyz


def _ping(kernel: Kernel) -> None:
    if not is_prepared(kernel.store):  # open connections go on with a file that was removed
        raise LookupError("the database has no tables")


def _status(text: str, status: int = 200) -> Response[bytes]:
    return _json(Outgoing(status, msgspec.json.encode({"status": text})))


def _explain(style: str, request: Any, error: Exception) -> Response[bytes]:
    refusal = _refusal(request, error)
    given = {name.lower(): text for name, text in (getattr(error, "headers", None) or {}).items()}
    later = given.get("retry-after", "5" if refusal.status == 429 else "")
    if later.isdecimal() and isinstance(error, HTTPException):
        refusal.retry_after = int(later)
    told = encode_refusal(refusal, *[(b"allow", b"GET, HEAD")] * (refusal.status == 405))
    if not reads_html(request.scope):
        return _json(told)
    page = failure_page(told, request.scope, style)
    return _response(page.status, page.body, page.headers)


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


def _json(answer: Outgoing) -> Response[bytes]:
    return _response(answer.status, answer.body, headers_of(answer))


def _response(status: int, body: bytes, headers: Headers) -> Response[bytes]:
    named = {name.decode(): value.decode() for name, value in headers}
    return Response(body, status_code=status, headers=named)
