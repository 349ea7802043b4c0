"""The descriptions as pages: the OpenAPI and OpenRPC documents of what is on, and the explorer."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import HttpMethod, MediaType, Request, Response, route
from litestar.exceptions import NotFoundException

from landyard.app import Kernel
from landyard.explorer import PAGE, asset
from landyard.lineup import Lineup
from landyard.openapi import openapi
from landyard.openrpc import openrpc

READING = (HttpMethod.GET, HttpMethod.HEAD)
_HEADERS = {
    # Anybody's tools may read what is public; with which answers nobody needs to wait for it.
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Describe = Callable[..., dict[str, Any]]


def description_routes(kernel: Kernel) -> list[Any]:
    """Build the routes of everything that describes the methods that are on."""
    return [
        _document(kernel, "/openapi.json", openapi),
        _document(kernel, "/openrpc.json", openrpc),
        _explorer(kernel),
    ]


def _document(kernel: Kernel, path: str, describe: Describe) -> Any:
    written: tuple[Lineup | None, bytes] = (None, b"")

    def write() -> bytes:
        nonlocal written
        lineup, text = kernel.lineup, written[1]
        if written[0] is not lineup:
            said = {"base": kernel.settings.base, "version": version("landyard")}
            text = msgspec.json.encode(describe(lineup.methods, **said))
            written = (lineup, text)
        return text

    @route(path, http_method=READING)
    async def document() -> Response[bytes]:
        """Describe the methods that are on."""
        text = await kernel.in_worker(write)
        return Response(text, media_type=MediaType.JSON, headers=_HEADERS)

    return document


def _explorer(kernel: Kernel) -> Any:
    @route([PAGE, f"{PAGE}/{{file:path}}"], http_method=READING)
    async def explorer(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Show the methods that are on, and call them."""
        file = str(request.path_params.get("file", ""))
        packed = "gzip" in request.headers.get("accept-encoding", "")
        found = await kernel.in_worker(lambda: asset(file, packed=packed))
        if found is None:
            raise NotFoundException
        return Response(found.body, headers=found.headers, media_type=found.headers["Content-Type"])

    return explorer
