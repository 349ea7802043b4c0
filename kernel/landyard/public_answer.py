"""Public answers: whole HTTP answers that routes return, the same for every visitor."""

import gzip
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

from msgspec import Struct, structs

Headers = tuple[tuple[bytes, bytes], ...]
Sent = Mapping[bytes, bytes]
Chosen = tuple[int, Headers, bytes]

_VARIES = (b"vary", b"accept-encoding")
# Not where its weight is nought.
_TAKES_GZIP = re.compile(rb"(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))", re.IGNORECASE)


class PublicAnswer(Struct, frozen=True):
    """A whole HTTP answer that a route may return; one with an `etag` is sent again and again.

    Return one only if every visitor gets the same answer. The answer may depend on the host, the
    path, the query and the database, and on nothing else. An answer of status 200 with an `etag` is
    kept, and sent without the route's code until something is committed to the database. `HEAD`
    gets no body. A visitor whose `If-None-Match` names the `etag` gets 304 with the headers
    `unchanged`. A visitor who takes gzip gets `packed`, where there is one.
    """

    status: int
    headers: Headers
    body: bytes = b""
    etag: bytes = b""
    unchanged: Headers = ()
    packed: Self | None = None

    def with_packed(self) -> Self:
        """Return it with `packed`, where that saves a tenth; it has to have an `etag`.

        The packed one has another `etag`: its bytes are others. Call this once, it takes time.
        """
        body = gzip.compress(self.body, mtime=0)
        if len(body) > 0.9 * len(self.body):
            return self
        etag = self.etag.removesuffix(b'"') + b'-gzip"'
        changed = {b"etag": etag, b"content-length": str(len(body)).encode()}

        def of_packed(headers: Headers) -> Headers:
            return (*((name, changed.get(name, value)) for name, value in headers), _VARIES)

        headers = (*of_packed(self.headers), (b"content-encoding", b"gzip"))
        packed = structs.replace(
            self, headers=headers, body=body, etag=etag, unchanged=of_packed(self.unchanged)
        )
        varying = {"headers": (*self.headers, _VARIES), "unchanged": (*self.unchanged, _VARIES)}
        return structs.replace(self, **varying, packed=packed)

    def chosen(self, verb: str, asked: Sent) -> Chosen:
        """Return status, headers and body for who sends what is `asked`, maybe 304 or packed."""
        if self.packed and _TAKES_GZIP.search(asked.get(b"accept-encoding", b"")):
            return self.packed.chosen(verb, asked)
        tags = asked.get(b"if-none-match")
        if tags and self.etag and (tags == self.etag or _knows(tags, self.etag)):
            return 304, self.unchanged, b""
        return self.status, self.headers, b"" if verb == "HEAD" else self.body

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Send it as an ASGI application does."""
        asked = dict(scope["headers"])
        if len(asked) < len(scope["headers"]):  # some came more than once
            asked = _joined(scope["headers"])
        status, headers, body = self.chosen(scope["method"], asked)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    joined: dict[bytes, bytes] = {}
    for name, value in headers:
        joined[name] = b"%b,%b" % (joined[name], value) if name in joined else value
    return joined


def _knows(tags: bytes, etag: bytes) -> bool:
    return not {etag, b"*"}.isdisjoint(tag.strip().removeprefix(b"W/") for tag in tags.split(b","))
