"""A task: work on its way to a worker thread, its result on the way back to an event loop."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from landyard.errors import OverloadLimit
from landyard.seats import Overrun, Seat, Term


class TimeIsUp(Exception):
    """A call ran longer than its limit of `seconds`, and is given up: it changes nothing.

    `owner` is the plugin whose code was running; the kernel or the database where that is empty.
    """

    def __init__(self, owner: str, seconds: float) -> None:
        super().__init__(owner, seconds)
        self.owner = owner
        self.seconds = seconds


class Outbox:
    """Results on their way back: what is ready together wakes the loop once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start empty."""
        self.loop = loop
        self._ready: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._announced = False

    def deliver(
        self, future: "asyncio.Future[Any]", result: Any, error: BaseException | None
    ) -> None:
        """Hand a result over, from any thread; of several for one future the first counts."""
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
            if future.done():  # cancelled, or its time was up
                continue
            if error is None:
                future.set_result(result)
            elif isinstance(error, Exception) and not isinstance(error, StopIteration):
                future.set_exception(error)
            else:  # a future takes no StopIteration, and SystemExit must not stop the loop
                future.set_exception(RuntimeError(f"{type(error).__name__} in a worker"))


class Task(Term, kw_only=True):
    """Work that waits or runs.

    `looks` counts how often it was seen at a plugin's code, `told` is when it was last asked to
    stop, `after` whether it is busy behind its answer, `used` what its thread had used of the
    processor, in seconds, when it was last looked at.
    """

    outbox: Outbox
    future: "asyncio.Future[Any]"
    work: Callable[..., Any]
    given: tuple[Any, ...]
    looks: int = 0
    told: float = 0.0
    after: bool = False
    used: float = math.inf

    def do(self, seat: Seat) -> None:
        """Do it in this thread, and deliver what comes of it."""
        self.since = time.monotonic()
        seat.term = self
        try:
            try:
                result = self.work(*self.given)
            finally:
                seat.owner = ""  # a step that nothing comes between; a call is none
                seat.rest()
        except Overrun:
            self._deliver(None, TimeIsUp(self.owner, self.seconds or 0.0))
        except BaseException as error:  # noqa: BLE001 - whoever awaits it is told
            self._deliver(None, error)
        else:
            self._deliver(result, None)

    def give_up(self, owner: str) -> None:
        """Tell whoever awaits it that the time is up, and whose code was running."""
        self._deliver(None, TimeIsUp(owner, self.seconds or 0.0))

    def refuse(self) -> None:
        """Tell whoever awaits it that too much is running already."""
        self._deliver(None, OverloadLimit())

    def _deliver(self, result: Any, error: BaseException | None) -> None:
        self.outbox.deliver(self.future, result, error)
