"""The route `/files/`: uploaded files, sent by this process, by nginx or by a bucket (H4, U7)."""

import re
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath
from litestar.response import Stream
from msgspec import Struct

from landyard import Host, PublicAnswer
from landyard_content import files
from landyard_public.answers import FOREVER, Headers, file_headers, not_there, sent_elsewhere
from landyard_public.edge_headers import EdgeHeaders
from landyard_public.edge_tags import PublicSettings

_SMALL = 64 * 1024  # bytes; smaller files are sent whole and cached in memory
_VERSION = re.compile(r"v=\d{1,9}")  # of a variant: other bytes at the same key and name
_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))")


class _Asked(Struct, frozen=True):
    """A request for a file; `etag` and `span` are the headers `If-None-Match` and `Range`.

    `span` is empty where the header `If-Range` names another file. `query` may have a version.
    """

    key: str
    name: str
    verb: str
    etag: str
    span: str
    query: str


def file_route(host: Host) -> object:
    """Build the route of the uploaded files."""
    store = files.file_store(host)
    edge = EdgeHeaders(host.section(PublicSettings))

    @route("/files/{key:str}/{name:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def file(
        request: Request[Any, Any, Any], key: FromPath[str], name: FromPath[str]
    ) -> Response[Any] | PublicAnswer:
        """Serve an uploaded file; cached for good, since its key never names other bytes."""
        sent = request.headers
        is_same = sent.get("if-range", f'"{key}"') == f'"{key}"'
        span = sent.get("range", "") if is_same else ""
        etag, query = sent.get("if-none-match", ""), request.scope["query_string"].decode("latin-1")
        asked = _Asked(key, name, request.method, etag, span, query)
        try:
            return _answer(host, store, asked, edge)
        except FileNotFoundError:  # it may have been removed meanwhile
            pass
        return not_there(request.scope["path"])

    return file


def _answer(
    host: Host, store: files.FileStore, asked: _Asked, edge: EdgeHeaders
) -> Response[Any] | PublicAnswer:
    key, name = asked.key, asked.name
    if not store.has(key, name):
        raise FileNotFoundError
    # Checked first: an answer made while the file is being removed must not be cached.
    stays = files.is_settled(host, store, key)
    if address := store.public_address(key, name):
        version = f"?{asked.query}" if _VERSION.fullmatch(asked.query) else ""
        return sent_elsewhere(f"{address}{version}")
    path = store.nginx_path(key, name)
    size = store.size(key, name) if path or asked.verb == "HEAD" or asked.span else None
    etag = f'"{key}"'
    headers = (*file_headers(etag, FOREVER), *edge.of_file(key))
    if etag in asked.etag or asked.etag.strip() == "*":
        return PublicAnswer(304, headers)
    about_body = {
        "content-type": files.type_of(name),
        "content-disposition": f'inline; filename="{name}"',
    }
    if path:
        about_body |= {"content-length": "0", "x-accel-redirect": path}
        return _whole(about_body, headers, b"", etag if stays else "")
    if size is not None and size > _SMALL:
        return _large(store, asked, size, about_body, headers)
    opened = store.open(key, name)
    about_body["content-length"] = str(opened.size)
    if opened.size > _SMALL:
        return _stream(200, opened, about_body, headers)
    return _whole(about_body, headers, b"".join(opened.chunks), etag if stays else "")


def _large(
    store: files.FileStore, asked: _Asked, size: int, about_body: dict[str, str], headers: Headers
) -> Response[Any] | PublicAnswer:
    """Answer a request for a part of a large file, or for its headers."""
    about_body["accept-ranges"] = "bytes"
    start, stop = _span(asked.span, size) or (0, size)
    if start >= stop:
        unsatisfied = (b"content-range", f"bytes */{size}".encode())
        return PublicAnswer(416, (*headers, unsatisfied, (b"content-length", b"0")))
    is_part = (start, stop) != (0, size)
    if is_part:
        about_body["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    about_body["content-length"] = str(stop - start)
    opened = (
        files.OpenFile(size, iter(()))
        if asked.verb == "HEAD"
        else store.open(asked.key, asked.name, *((start, stop) if is_part else ()))
    )
    return _stream(206 if is_part else 200, opened, about_body, headers)


def _span(written: str, size: int) -> tuple[int, int] | None:
    """Read the header `Range`: the first byte and the end of the part.

    Return None for several parts or another unit, which means the whole file.
    """
    match = _RANGE.fullmatch(written.strip())
    if match is None:
        return None
    first, last, length = match.groups()
    if length:
        return max(size - int(length), 0) if int(length) else size, size
    if last and int(last) < int(first):
        return None
    return int(first), min(int(last) + 1, size) if last else size


def _stream(
    status: int, opened: files.OpenFile, about_body: dict[str, str], headers: Headers
) -> Response[Any]:
    lasting = {name.decode(): value.decode() for name, value in headers}
    return Stream(
        opened.chunks,
        status_code=status,
        headers={"accept-ranges": "bytes", **lasting, **about_body},
    )


def _whole(about_body: dict[str, str], headers: Headers, body: bytes, etag: str) -> PublicAnswer:
    described = tuple((name.encode(), value.encode()) for name, value in about_body.items())
    return PublicAnswer(200, (*described, *headers), body, etag.encode(), unchanged=headers)
