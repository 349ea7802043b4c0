"""Response cache: public pages kept in memory until something is committed to the database."""

import gzip
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from msgspec import Struct, structs

from landyard.kernel import Kernel
from landyard.storage.changes import Changes, Mark

Headers = tuple[tuple[bytes, bytes], ...]
Key = tuple[bytes, ...]
Sent = Mapping[bytes, bytes]
Chosen = tuple[int, Headers, bytes]

LARGEST = 128 * 1024  # bytes of an answer that is kept, and of what was asked for
AT_MOST = 512  # answers
PROBES = frozenset({"/healthz", "/readyz"})  # asked several times a minute; never kept
READING = frozenset({"GET", "HEAD"})
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
        asked: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            asked[name] = b"%b,%b" % (asked[name], value) if name in asked else value
        status, headers, body = self.chosen(scope["method"], asked)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


class KeptAnswers:
    """Sends public answers from memory, and asks `app` for what is not there.

    All of them are of one state of the database. They go with the application: those of a plugin
    that is switched off are not sent any more.
    """

    def __init__(self, app: Any, changes: Changes, kernel: Kernel) -> None:
        self._app = app
        self._changes = changes
        self._kernel = kernel
        self._mark: Mark | None = None
        self._answers: dict[Key, tuple[PublicAnswer, str]] = {}

    def find(self, *key: bytes) -> tuple[PublicAnswer, str] | None:
        """Return what was answered to a target and host, if it is current, and the path."""
        kept = self._answers.get(key)
        return kept if kept and self._changes.mark() == self._mark else None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; a route leaves its public answer in the scope's state."""
        # Asked before the answer is made: it may be older than what is committed meanwhile.
        path = scope["path"]  # a route may see it without its slash
        asked = scope["method"] in READING and path not in PROBES
        mark = await self._ask() if asked else None
        found = self.find(*_key(scope)) if asked else None
        await (found[0] if found else self._app)(scope, receive, send)
        made = scope["state"].get("public_answer")
        # An answer to HEAD may be shorter than the same to GET.
        if made is not None and mark is not None and scope["method"] == "GET":
            self._keep(_key(scope), mark, made, path)

    async def _ask(self) -> Mark | None:
        mark = self._changes.mark()
        if mark is None and self._changes.asks:
            pool, seconds = self._kernel.process.pools.reading, self._kernel.rules.seconds
            with suppress(Exception):  # the route tells what is wrong, or has a stale page
                return await pool.run(lambda _: self._changes.ask(), label="ask", seconds=seconds)
        return mark

    def _keep(self, key: Key, mark: Mark, made: PublicAnswer, path: str) -> None:
        if len(made.body) + sum(map(len, key)) > LARGEST or not made.etag or made.status != 200:
            return
        if mark != self._mark or len(self._answers) >= AT_MOST:
            self._answers.clear()
            self._mark = mark
        self._answers[key] = made, path


def _key(scope: Any) -> Key:
    target = b"?".join(filter(None, (scope["raw_path"], scope["query_string"])))
    # All hosts: were one of several left out, an answer for it would be kept for another.
    return (target, *(value for name, value in scope["headers"] if name == b"host"))


def _knows(tags: bytes, etag: bytes) -> bool:
    return not {etag, b"*"}.isdisjoint(tag.strip().removeprefix(b"W/") for tag in tags.split(b","))
