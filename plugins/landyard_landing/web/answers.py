"""Answers over HTTP: the headers that all carry, and 304 where the visitor has it already (H4)."""

from typing import Any

from litestar import HttpMethod, Request, Response

READING = [HttpMethod.GET, HttpMethod.HEAD]
REVALIDATE = "public, max-age=0, must-revalidate"
FOREVER = "public, max-age=31536000, immutable"
# A file opened on its own must run nothing either: SVG is a document.
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}


def conditional(
    request: Request[Any, Any, Any], body: bytes, kind: str, etag: str, headers: dict[str, str]
) -> Response[Any]:
    """Answer 304 where the visitor has this very version."""
    headers = {**headers, "ETag": etag}
    sent = request.headers.get("if-none-match", "")
    known = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
    if etag in known or "*" in known:
        return answer(b"", kind, headers, status=304)
    return answer(body, kind, headers)


def answer(body: bytes, kind: str, headers: dict[str, str], status: int = 200) -> Response[Any]:
    # As a header, not as `media_type`: Litestar would add a second charset to that.
    headers = {**_ALWAYS, **headers, "Content-Type": kind}
    return Response(body, status_code=status, headers=headers)
