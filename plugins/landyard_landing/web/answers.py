"""Answers over HTTP: the headers that all carry, and 304 where the visitor has it already (H4)."""

from typing import Any

from litestar import HttpMethod, Request, Response

from landyard_landing.delivered import ALWAYS, REVALIDATED

READING = [HttpMethod.GET, HttpMethod.HEAD]
REVALIDATE = REVALIDATED.decode()
FOREVER = "public, max-age=31536000, immutable"
# A file opened on its own must run nothing either: SVG is a document.
_ALONE = "base-uri 'none'; frame-ancestors 'none'"
FILE_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; {_ALONE}; sandbox"

_ALWAYS = {name.decode(): value.decode() for name, value in ALWAYS}


def is_shown(etag: str, sent: str) -> bool:
    """Tell whether a visitor who sent this `If-None-Match` has the very version, or any."""
    tags = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
    return etag in tags or "*" in tags


def conditional(
    request: Request[Any, Any, Any], body: bytes, kind: str, etag: str, headers: dict[str, str]
) -> Response[Any]:
    """Answer 304 where the visitor has this very version."""
    headers = {**headers, "ETag": etag}
    if is_shown(etag, request.headers.get("if-none-match", "")):
        return answer(b"", kind, headers, status=304)
    return answer(body, kind, headers)


def nothing_there() -> Response[Any]:
    """Answer 404 where no file is, or no longer."""
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "no-store"}
    return answer(b"", "text/plain; charset=utf-8", headers, status=404)


def answer(body: bytes, kind: str, headers: dict[str, str], status: int = 200) -> Response[Any]:
    # As a header, not as `media_type`: Litestar would add a second charset to that.
    headers = {**_ALWAYS, **headers, "Content-Type": kind}
    return Response(body, status_code=status, headers=headers)
