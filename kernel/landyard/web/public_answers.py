"""Response cache: public pages kept in memory until something is committed to the database."""

import gzip
import re
from contextlib import suppress
from typing import Any, Self

from msgspec import Struct, structs

from landyard.kernel import Kernel
from landyard.storage.changes import Changes, Mark

Headers = tuple[tuple[bytes, bytes], ...]
Key = tuple[bytes, ...]

LARGEST = 128 * 1024  # bytes of an answer that is kept, and of what was asked for
AT_MOST = 512  # answers
PROBES = frozenset({"/healthz", "/readyz"})  # asked several times a minute; never kept
_READING = frozenset({"GET", "HEAD"})
_VARIES = (b"vary", b"accept-encoding")
# Not where its weight is nought.
_TAKES_GZIP = re.compile(rb"(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))", re.IGNORECASE)


class PublicAnswer(Struct, frozen=True):
    """A whole HTTP answer that a route may return; one with an `etag` is sent again and again.

    Return one only for what is the same for every visitor: it may depend on the host, the path, the
    query and the database, and on nothing else. An answer of status 200 with an `etag` is kept, and
    sent without the route's code until something is committed to the database. `HEAD` gets no body.
    A visitor whose `If-None-Match` names the `etag` gets 304 with the headers `unchanged`. One who
    takes gzip gets `packed`, where it is there.
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

    def chosen(self, scope: Any) -> tuple[int, Headers, bytes]:
        """Return the status, headers and body for who asks, maybe 304 or packed."""
        if self.packed and _TAKES_GZIP.search(_sent(scope, b"accept-encoding")):
            return self.packed.chosen(scope)
        if self.etag and _knows(scope, self.etag):
            return 304, self.unchanged, b""
        return self.status, self.headers, b"" if scope["method"] == "HEAD" else self.body

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Send it as an ASGI application does."""
        status, headers, body = self.chosen(scope)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


class KeptAnswers:
    """Sends public answers from memory, and asks `app` for what is not there.

    All of them are of one state of the database. They go with the application: those of a plugin
    that is switched off are not sent any more.
    """

    def __init__(self, app: Any, changes: Changes, kernel: Kernel) -> None:
        """Keep the answers of `app` until there are `changes` in the database of `kernel`."""
        self._app = app
        self._changes = changes
        self._kernel = kernel
        self._mark: Mark | None = None
        self._answers: dict[Key, PublicAnswer] = {}

    def find(self, scope: Any) -> PublicAnswer | None:
        """Return the answer that is in memory, and current."""
        if scope["method"] not in _READING or (mark := self._changes.mark()) is None:
            return None
        return self._answers.get(_key(scope)) if mark == self._mark else None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; a route leaves its public answer in the scope's state."""
        # Asked before the answer is made: it may be older than what is committed meanwhile.
        asked = scope["method"] in _READING and scope["path"] not in PROBES
        mark = await self._ask() if asked else None
        await (self.find(scope) or self._app)(scope, receive, send)
        made = scope["state"].get("public_answer")
        # An answer to HEAD may be shorter than the same to GET.
        if made is not None and mark is not None and scope["method"] == "GET":
            self._keep(_key(scope), mark, made)

    async def _ask(self) -> Mark | None:
        mark = self._changes.mark()
        if mark is None and self._changes.asks:
            pool, seconds = self._kernel.pools.reading, self._kernel.rules.seconds
            with suppress(Exception):  # the route tells what is wrong, or has a stale page
                return await pool.run(lambda _: self._changes.ask(), label="ask", seconds=seconds)
        return mark

    def _keep(self, key: Key, mark: Mark, made: PublicAnswer) -> None:
        large = len(made.body) + sum(map(len, key)) > LARGEST
        if large or not made.etag or made.status != 200:
            return
        if mark != self._mark or len(self._answers) >= AT_MOST:
            self._answers.clear()
            self._mark = mark
        self._answers[key] = made


def _key(scope: Any) -> Key:
    # All hosts: were one of several left out, an answer for it would be kept for another.
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    return (scope["raw_path"], scope["query_string"], *hosts)


def _knows(scope: Any, etag: bytes) -> bool:
    sent = _sent(scope, b"if-none-match")
    if not sent or sent == etag:  # nearly always
        return bool(sent)
    tags = {tag.strip().removeprefix(b"W/") for tag in sent.split(b",")}
    return etag in tags or b"*" in tags


def _sent(scope: Any, header: bytes) -> bytes:
    return b",".join([value for name, value in scope["headers"] if name == header])
