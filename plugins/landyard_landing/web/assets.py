"""The catalogue's files at their addresses."""

from typing import Any

from litestar import Request, Response, route
from litestar.params import FromPath

from landyard_landing.assets import assets
from landyard_landing.web.answers import (
    FILE_POLICY,
    FOREVER,
    READING,
    REVALIDATE,
    conditional,
    nothing_there,
)


@route("/assets/{path:path}", http_method=READING, sync_to_thread=False)
def asset(request: Request[Any, Any, Any], path: FromPath[str]) -> Response[Any]:
    """Serve a file of the built-in catalogue."""
    found = assets().get(path.lstrip("/"))
    if found is None:
        return nothing_there()
    versioned = request.query_params.get("v", "") == found.etag[1:13]
    headers = {
        "Content-Security-Policy": FILE_POLICY,
        "Cache-Control": FOREVER if versioned else REVALIDATE,
    }
    return conditional(request, found.content, found.type, found.etag, headers)
