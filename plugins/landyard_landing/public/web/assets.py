"""The catalogue's files at their addresses."""

import functools
from typing import Any

from litestar import HttpMethod, Request, route
from litestar.params import FromPath

from landyard import PublicAnswer
from landyard_landing.public.assets import assets
from landyard_landing.public.delivered import FOREVER, REVALIDATED, found_file, missing
from landyard_landing.public.rendering import lost


@route("/assets/{path:path}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
def asset(request: Request[Any, Any, Any], path: FromPath[str]) -> PublicAnswer:
    """Serve a file of the built-in catalogue."""
    name = path.lstrip("/")
    found = assets().get(name)
    if found is None:
        return missing(lost(request.url.path))
    return _answer(name, versioned=request.query_params.get("v", "") == found.etag[1:13])


@functools.cache
def _answer(name: str, *, versioned: bool) -> PublicAnswer:
    found = assets()[name]
    kept = FOREVER if versioned else REVALIDATED
    return found_file(found.content, found.type, found.etag, kept)
