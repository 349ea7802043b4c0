"""Uploaded files at their addresses (H4, U7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath
from litestar.response import Stream

from landyard import Kernel, PublicAnswer
from landyard_landing.files.records import FILE_TYPES, file_store
from landyard_landing.public.delivered import FOREVER, file_headers, missing
from landyard_landing.public.rendering import lost

_CHUNK = 256 * 1024


def file_route(kernel: Kernel) -> object:
    """Build the route of the uploaded files."""
    store = file_store(kernel.settings)

    @route("/files/{key:str}/{name:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def file(
        request: Request[Any, Any, Any], key: FromPath[str], name: FromPath[str]
    ) -> Response[Any] | PublicAnswer:
        """Serve an uploaded file: its bytes never change, and its key never names another."""
        path = store.path(key, name)
        size = None if path is None else _size(path)
        if path is None or size is None:
            return missing(lost(request.url.path))
        etag = f'"{key}"'
        headers = file_headers(etag, FOREVER)
        known = request.headers.get("if-none-match", "")
        if etag in known or known.strip() == "*":
            return PublicAnswer(304, headers)
        described = {
            "Content-Type": FILE_TYPES.get(path.suffix[1:], "application/octet-stream"),
            "Content-Disposition": f'inline; filename="{path.name}"',
            "Content-Length": str(size),
        }
        lasting = {name.decode(): value.decode() for name, value in headers}
        return Stream(_chunks(path), headers={**lasting, **described})

    return file


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
