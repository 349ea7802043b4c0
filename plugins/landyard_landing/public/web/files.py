"""Uploaded files at their addresses (H4, U7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath
from litestar.response import Stream

from landyard import Host, PublicAnswer
from landyard_landing.files.records import FILE_TYPES, file_store
from landyard_landing.files.store import FileSettings, FileStore
from landyard_landing.public.delivered import FOREVER, file_headers, not_there

_CHUNK = 256 * 1024  # bytes
_SMALL = 64 * 1024  # bytes of a file that is sent whole, and from memory


def file_route(host: Host) -> object:
    """Build the route of the uploaded files."""
    store = file_store(host.settings)
    nginx = host.section(FileSettings).accel_redirect

    @route("/files/{key:str}/{name:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def file(
        request: Request[Any, Any, Any], key: FromPath[str], name: FromPath[str]
    ) -> Response[Any] | PublicAnswer:
        """Serve an uploaded file: its bytes never change, and its key never names another."""
        try:
            return _answer(store, key, name, request.headers.get("if-none-match", ""), nginx)
        except FileNotFoundError:  # maybe only just
            pass
        return not_there(request.url.path)

    return file


def _answer(
    store: FileStore, key: str, name: str, known: str, nginx: str
) -> Response[Any] | PublicAnswer:
    path = store.path(key, name)
    if path is None:
        raise FileNotFoundError
    # Asked first: an answer made while the file is removed must not be kept.
    stays = not store.is_pending(key)
    size = path.stat().st_size
    etag = f'"{key}"'
    headers = file_headers(etag, FOREVER)
    if etag in known or known.strip() == "*":
        return PublicAnswer(304, headers)
    told = {
        "content-type": FILE_TYPES.get(path.suffix[1:], "application/octet-stream"),
        "content-disposition": f'inline; filename="{name}"',
        "content-length": str(0 if nginx else size),
    }
    if nginx:
        told["x-accel-redirect"] = f"{nginx}/{path.relative_to(store.root)}"
    elif size > _SMALL:
        lasting = {name.decode(): value.decode() for name, value in headers}
        return Stream(_chunks(path), headers={**lasting, **told})
    described = tuple((name.encode(), value.encode()) for name, value in told.items())
    body = b"" if nginx else path.read_bytes()
    return PublicAnswer(
        200, (*described, *headers), body, etag.encode() if stays else b"", unchanged=headers
    )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
