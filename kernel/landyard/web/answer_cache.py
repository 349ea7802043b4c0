"""Caches public answers in memory until something is committed to the database."""

from contextlib import suppress
from typing import Any

from landyard.kernel import Kernel
from landyard.public_answer import PublicAnswer
from landyard.storage.changes import Changes, Mark

Key = tuple[bytes, ...]

LARGEST = 128 * 1024  # bytes of an answer that is kept, and of what was asked for
AT_MOST = 512  # answers
PROBES = frozenset({"/healthz", "/readyz"})  # asked several times a minute; never kept
_READING = frozenset({"GET", "HEAD"})


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
        self._answers: dict[Key, PublicAnswer] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; a route leaves its public answer in the scope's state."""
        if scope["method"] not in _READING or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        # Asked before the answer is made: it may be older than what is committed meanwhile.
        mark, key = await self._ask(), _key(scope)
        if mark is not None and mark == self._mark and (kept := self._answers.get(key)):
            await kept(scope, receive, send)
            return
        await self._app(scope, receive, send)
        made = scope["state"].get("public_answer")
        # An answer to HEAD may be shorter than the same to GET.
        if made is not None and mark is not None and scope["method"] == "GET":
            self._keep(key, mark, made)

    async def _ask(self) -> Mark | None:
        mark = self._changes.mark()
        if mark is None and self._changes.asks:
            pool, seconds = self._kernel.process.pools.reading, self._kernel.rules.seconds
            with suppress(Exception):  # the route tells what is wrong, or has a stale page
                return await pool.run(lambda _: self._changes.ask(), label="ask", seconds=seconds)
        return mark

    def _keep(self, key: Key, mark: Mark, made: PublicAnswer) -> None:
        if len(made.body) + sum(map(len, key)) > LARGEST or not made.etag or made.status != 200:
            return
        if mark != self._mark or len(self._answers) >= AT_MOST:
            self._answers.clear()
            self._mark = mark
        self._answers[key] = made


def _key(scope: Any) -> Key:
    target = b"?".join(filter(None, (scope["raw_path"], scope["query_string"])))
    # All hosts: were one of several left out, an answer for it would be kept for another.
    return (target, *(value for name, value in scope["headers"] if name == b"host"))
