"""The routes of the descriptions: `/openapi.json`, `/openrpc.json`, and the explorer."""

import functools
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import HttpMethod, Request, route
from litestar.exceptions import NotFoundException

from landyard import Host, Method, PublicAnswer
from landyard_describe.answers import answer
from landyard_describe.explorer import PAGE, assets
from landyard_describe.openapi import openapi
from landyard_describe.openrpc import openrpc

_READING = (HttpMethod.GET, HttpMethod.HEAD)
_HEADERS = (
    # The descriptions are public: scripts of any origin may read them.
    (b"access-control-allow-origin", b"*"),
    (b"cache-control", b"no-cache"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


def routes(host: Host) -> list[object]:
    """Return the route handlers of the two documents and of the explorer."""
    return [
        _document(host, "/openapi.json", openapi),
        _document(host, "/openrpc.json", openrpc),
        explorer,
    ]


def _document(host: Host, path: str, describe: Callable[..., dict[str, Any]]) -> object:
    @functools.lru_cache(maxsize=1)  # switching a plugin makes a new table of methods
    def text(methods: Iterable[Method]) -> PublicAnswer:
        base = host.settings.base
        described = describe(methods, base=base, version=version("landyard"))
        return answer(msgspec.json.encode(described), "application/json", _HEADERS)

    @route(path, http_method=_READING, sync_to_thread=False)
    def document() -> PublicAnswer:
        """Answer the document of the active methods."""
        return text(host.methods)

    return document


@route([PAGE, f"{PAGE}/{{file:path}}"], http_method=_READING, sync_to_thread=False)
def explorer(request: Request[Any, Any, Any]) -> PublicAnswer:
    """Answer the explorer's page, or a file of it."""
    asset = assets().get(str(request.path_params.get("file", "")))
    if asset is None:
        raise NotFoundException
    return asset
