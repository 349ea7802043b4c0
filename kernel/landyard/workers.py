"""The worker threads: the web edge is async, a call is not and runs whole in one of these."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from landyard.errors import OverloadLimit

T = TypeVar("T")

MOST_WAITING = 1024


class Workers:
    """A few threads behind one queue.

    `concurrent.futures` costs a lock, two futures and a wake-up of the loop for every call. Here
    results that are ready together wake the loop once: see `make bench` and docs/why.md.
    """

    def __init__(self, threads: int) -> None:
        """Start none yet: processes that only print a listing need none."""
        self._count = threads
        self._threads: list[threading.Thread] = []
        self._waiting: SimpleQueue[_Task | None] = SimpleQueue()
        self._outbox: _Outbox | None = None

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Run `work` in a thread and answer what it returns; raises what it raises.

        Raises `OverloadLimit` when too much is waiting already.
        """
        if self._waiting.qsize() >= MOST_WAITING:
            raise OverloadLimit
        loop = asyncio.get_running_loop()
        if self._outbox is None or self._outbox.loop is not loop:
            self._outbox = _Outbox(loop)
        if not self._threads:
            self._start()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.put((self._outbox, future, work, given))
        return await future

    def close(self, grace: float) -> None:
        """Let the work under way and waiting finish, for at most `grace` seconds."""
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + grace
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._threads = []

    def _start(self) -> None:
        for number in range(self._count):
            # Daemons: work that hangs must not keep a stopped service alive.
            thread = threading.Thread(target=self._work, name=f"landyard-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            _do(*task)
            del task  # a thread that waits must not keep a body, and the secret in it, alive


class _Outbox:
    """Results on their way back to one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._ready: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._announced = False

    def deliver(
        self, future: "asyncio.Future[Any]", result: Any, error: BaseException | None
    ) -> None:
        """Hand a result over; called in a worker thread."""
        self._ready.append((future, result, error))
        if not self._announced:
            self._announced = True
            try:
                self.loop.call_soon_threadsafe(self._unpack)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _unpack(self) -> None:
        # First, so that what arrives while this runs is announced again.
        self._announced = False
        while self._ready:
            future, result, error = self._ready.popleft()
            if future.cancelled():
                continue
            if error is None:
                future.set_result(result)
            elif isinstance(error, Exception) and not isinstance(error, StopIteration):
                future.set_exception(error)
            else:  # a future takes no StopIteration, and SystemExit must not stop the loop
                future.set_exception(RuntimeError(f"{type(error).__name__} in a worker"))


def _do(
    outbox: _Outbox,
    future: "asyncio.Future[Any]",
    work: Callable[..., Any],
    given: tuple[Any, ...],
) -> None:
    try:
        result = work(*given)
    except BaseException as error:  # noqa: BLE001 - whoever awaits it is told
        outbox.deliver(future, None, error)
    else:
        outbox.deliver(future, result, None)


_Task = tuple[_Outbox, "asyncio.Future[Any]", Callable[..., Any], tuple[Any, ...]]
