"""A plugin's work: code of a plugin that is run in a thread for an answer, also piece by piece."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import structlog
from litestar.exceptions import HTTPException
from msgspec import Struct

from landyard.core.errors import CallError, InternalServerError, Postponed
from landyard.kernel import Kernel
from landyard.logs import hidden
from landyard.serving.thread_pool import ThreadPool, TimeIsUp

log = structlog.get_logger()

_END = object()


class PluginWork(Struct, frozen=True):
    """Runs a plugin's code in `pool`, each piece of it within `seconds`.

    `kind` begins the names of what is logged, with what is `told` of the work: `page` or `stream`.
    """

    kernel: Kernel
    pool: ThreadPool
    seconds: float
    kind: str
    label: str
    told: Mapping[str, str]

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run `work`; raises `HTTPException` or `CallError`."""
        told = self.told

        def logged(_: object) -> Any:
            try:
                return work()
            except (HTTPException, CallError, Postponed):
                raise
            except BaseException as error:
                event = f"{self.kind}_crashed"
                log.exception(event, **told)  # here the secret of who is signed in is known
                self.kernel.failures.note(told.get("plugin", ""), self.label, 0.0, error)
                raise InternalServerError from error
            finally:
                hidden.set(("", False))

        try:
            how = {"label": self.label, "request_id": told["request_id"]}
            return await self.pool.run(logged, **how, seconds=self.seconds)
        except TimeIsUp as late:
            event, text = f"{self.kind}_overran", f"The {self.kind} took too long and was given up."
            log.warning(event, **told, seconds=late.seconds)
            raise InternalServerError(text) from None

    async def chunks(self, iterator: Iterator[Any], *first: Any) -> AsyncIterator[Any]:
        """Answer what is there `first`, then one chunk after the other from a plugin's iterator.

        Where that fails it is logged here. Who sends it sends no end then, and the server closes
        the connection: the visitor sees that something is missing.
        """
        try:
            for chunk in first:
                yield chunk
            while (chunk := await self.run(lambda: next(iterator, _END))) is not _END:
                yield chunk
        except BaseException:  # the visitor has gone, or the time is up: let it close its file
            await asyncio.shield(self.run(lambda: _close(iterator)))
            raise


def _close(iterator: Any) -> None:
    with suppress(AttributeError, ValueError):  # it is no generator; it still runs
        iterator.close()
