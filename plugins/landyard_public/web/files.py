"""The route `/files/`: uploaded files, sent by this process or by nginx (H4, U7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath
from litestar.response import Stream

from landyard import Host, PublicAnswer
from landyard_content import files
from landyard_public.answers import FOREVER, file_headers, not_there
from landyard_public.settings import FileSettings

_CHUNK = 256 * 1024  # bytes
_SMALL = 64 * 1024  # bytes; smaller files are sent whole and cached in memory


def file_route(host: Host) -> object:
    """Build the route of the uploaded files."""
    store = files.file_store(host.settings)
    nginx = host.section(FileSettings).accel_redirect

    @route("/files/{key:str}/{name:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def file(
        request: Request[Any, Any, Any], key: FromPath[str], name: FromPath[str]
    ) -> Response[Any] | PublicAnswer:
        """Serve an uploaded file; cached for good, since its key never names other bytes."""
        try:
            return _answer(store, key, name, request.headers.get("if-none-match", ""), nginx)
        except FileNotFoundError:  # it may have been removed meanwhile
            pass
        return not_there(request.url.path)

    return file


def _answer(
    store: files.FileStore, key: str, name: str, if_none_match: str, nginx: str
) -> Response[Any] | PublicAnswer:
    path = store.path(key, name)
    if path is None:
        raise FileNotFoundError
    # Checked first: an answer made while the file is being removed must not be cached.
    stays = not store.is_pending(key)
    size = path.stat().st_size
    etag = f'"{key}"'
    headers = file_headers(etag, FOREVER)
    if etag in if_none_match or if_none_match.strip() == "*":
        return PublicAnswer(304, headers)
    about_body = {
        "content-type": files.FILE_TYPES.get(path.suffix[1:], "application/octet-stream"),
        "content-disposition": f'inline; filename="{name}"',
        "content-length": str(0 if nginx else size),
    }
    if nginx:
        about_body["x-accel-redirect"] = f"{nginx}/{path.relative_to(store.root)}"
    elif size > _SMALL:
        lasting = {name.decode(): value.decode() for name, value in headers}
        return Stream(_chunks(path), headers={**lasting, **about_body})
    described = tuple((name.encode(), value.encode()) for name, value in about_body.items())
    body = b"" if nginx else path.read_bytes()
    return PublicAnswer(
        200, (*described, *headers), body, etag.encode() if stays else b"", unchanged=headers
    )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
