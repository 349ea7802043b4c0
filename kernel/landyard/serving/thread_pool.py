"""The thread pool: runs calls within a time limit in its threads, quick ones on the event loop."""

import asyncio
import functools
import math
import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeVar

from msgspec import Struct

from landyard.core.errors import OverloadLimit, Postponed
from landyard.core.timing import AT_ONCE, Deadline
from landyard.logs import about
from landyard.serving.scoreboard import Scoreboard
from landyard.serving.ticker import Ticker

T = TypeVar("T")
Future = asyncio.Future[Any]

MOST_WAITING = 1024
TICK = 0.1  # average seconds between two looks at the running work
LONG = 3  # looks at the same work before a further thread is started
STUCK = 20  # looks at the same work before the work counts as stuck for its label
MOST_MORE = 16  # most further threads, as a multiple of the usual threads

Overrun = Callable[[str, float, FrameType | None], str]


class TimeIsUp(Exception):
    """Work ran longer than its limit of `seconds`, and is given up: it changes nothing.

    `plugin` is the one whose method's handler was running; empty where none was.
    """

    def __init__(self, plugin: str, seconds: float) -> None:
        super().__init__(plugin, seconds)
        self.plugin = plugin
        self.seconds = seconds


class Load(Struct, frozen=True):
    """How busy a pool is: its threads, how many of them work, and how much work waits for one."""

    threads: int
    busy: int
    waiting: int


class ThreadPool:
    """A few threads behind one queue, and a further one for each whose work takes long.

    `concurrent.futures` costs a lock, two futures and a wake-up of the loop for every call. Here
    results that are ready together wake the loop once: see `make bench` and docs/decisions.md.
    """

    nice = 0
    """The nice value of the threads on Linux; the higher it is, the more other threads go first."""

    def __init__(
        self, threads: int, scoreboard: Scoreboard, on_overrun: Overrun, *, patient: bool = False
    ) -> None:
        """Start none yet: processes that only print a listing need none.

        Threads note on the `scoreboard` what they do. `on_overrun(label, seconds, frame)` is told
        of work over its limit, with what its thread does, and answers the plugin whose handler
        that is. In a `patient` pool work takes long by its nature: only work over its limit is
        stuck.
        """
        self._count = self._wanted = threads
        self._scoreboard = scoreboard
        self._slot = scoreboard.take_slot()  # of the event loop
        self._on_overrun = on_overrun
        self._patient = patient
        self._waiting: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads: dict[threading.Thread, _Task | None] = {}
        self._full: frozenset[str] = frozenset()  # labels that are refused
        self._watch: Ticker | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: deque[tuple[Future, Any, BaseException | None]] = deque()
        self._announced = False  # the loop knows that something is ready

    def run_at_once(self, work: Callable[[Deadline], T], label: str, request_id: str) -> T | None:
        """Run `work` on the event loop; None where it is `Postponed`, because it would wait."""
        self._scoreboard.begin(self._slot, label, request_id)
        try:
            return work(AT_ONCE)
        except Postponed:
            return None
        except BaseException as error:
            if isinstance(error, Exception):
                raise
            raise RuntimeError(f"{type(error).__name__} on the event loop") from error
        finally:
            self._scoreboard.end(self._slot)

    async def run(
        self,
        work: Callable[[Deadline], T],
        label: str = "",
        request_id: str = "",
        *,
        seconds: float = math.inf,
    ) -> T:
        """Run `work` in a thread, again where it is `Postponed`, and answer what it returns.

        Raises what it raises, `TimeIsUp` when it runs for more than `seconds`, or `OverloadLimit`
        when too much is waiting already, or too much of this label is stuck.
        """
        while True:
            try:
                return await self._queued(work, label, request_id, seconds)
            except Postponed as until:
                await asyncio.sleep(until.seconds)

    def _queued(
        self, work: Callable[[Deadline], T], label: str, request_id: str, seconds: float
    ) -> asyncio.Future[T]:
        if self._waiting.qsize() >= MOST_WAITING or label in self._full:
            raise OverloadLimit
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._announced = loop, False
        if self._watch is None:
            watch = Ticker("watch", TICK, self._look)
            try:
                self._hire()
                watch.start()
            except RuntimeError:  # there is no memory for a thread
                raise OverloadLimit from None
            self._watch = watch
        future: asyncio.Future[T] = loop.create_future()
        deadline = Deadline(seconds, doing=label)
        self._waiting.put(_Task(work, label, request_id, deadline, future, about.get()))
        return future

    def load(self) -> Load:
        """Say how busy it is."""
        tasks = list(self._threads.values())
        return Load(self._wanted, len(tasks) - tasks.count(None), self._waiting.qsize())

    def over_limit(self) -> tuple[float, str] | None:
        """Return the earliest end of a time limit that has passed, and the label of the work.

        Only work that still runs counts; None if none is over its limit. The end is a moment of
        `time.monotonic`.
        """
        tasks = [task for task in list(self._threads.values()) if task is not None]
        ends = min(((task.deadline.ends_at, task.deadline.doing) for task in tasks), default=None)
        return ends if ends and ends[0] < time.monotonic() else None

    def close(self, grace: float) -> None:
        """Let the work under way and waiting finish, for at most `grace` seconds."""
        if self._watch is None:
            return
        self._watch.stop(TICK)
        self._watch = None
        threads = list(self._threads)
        for _ in threads:
            self._waiting.put(None)
        deadline = time.monotonic() + grace
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _hire(self) -> None:
        """Start the threads that are missing; a few will do where there is no memory for more."""
        while len(self._threads) < self._wanted:
            # A daemon: work that hangs must not keep a stopped service alive.
            thread = threading.Thread(target=self._work, name="landyard-call", daemon=True)
            self._threads[thread] = None
            try:
                thread.start()
            except RuntimeError:
                del self._threads[thread]
                if self._threads:
                    break
                raise

    def _work(self) -> None:
        thread = threading.current_thread()
        slot = self._scoreboard.take_slot()
        if sys.platform == "linux":  # elsewhere it would be that of the whole process
            os.nice(self.nice)
        while (task := self._waiting.get()) is not None:
            self._threads[thread] = task
            about.set(task.about)
            self._scoreboard.begin(slot, task.label, task.request_id)
            task.deadline.note_caller = functools.partial(self._scoreboard.note_caller, slot)
            task.deadline.ends_at = time.monotonic() + task.deadline.seconds
            try:
                if task.label in self._full:
                    raise OverloadLimit  # noqa: TRY301 - as if the work had raised it
                self._deliver(task.future, task.work(task.deadline))
            except BaseException as error:  # noqa: BLE001 - whoever awaits it is told
                self._deliver(task.future, None, error)
            self._scoreboard.end(slot)
            self._threads[thread] = None
            del task  # a thread that waits must not keep a body, and the secret in it, alive
            if len(self._threads) > self._wanted:  # where too many leave at once some are hired
                break
        del self._threads[thread]
        self._scoreboard.give_back(slot)

    def _look(self) -> None:
        """Hold what runs to its limit, and see that enough threads are free."""
        long, stuck = 0, Counter[str]()
        for thread, task in list(self._threads.items()):
            if task is None:
                continue
            self._hold_to_limit(thread, task)
            # Looks and not seconds: where the whole process was held up, nothing in it was slow.
            task.looks += 1
            late = task.deadline.expired
            long += late or (task.looks >= LONG and not self._patient)
            stuck[task.label] += late or (task.looks >= STUCK and not self._patient)
        self._full = frozenset(each for each in stuck if each and stuck[each] >= 2 * self._count)
        self._wanted = self._count + min(long, MOST_MORE * self._count)
        self._hire()

    def _hold_to_limit(self, thread: threading.Thread, task: "_Task") -> None:
        deadline = task.deadline
        if time.monotonic() < deadline.ends_at or not deadline.expire():
            return
        frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - there is no other way
        if deadline.in_line > deadline.seconds / 2:
            frame = None  # the wait for a turn to write took most of the time
        plugin = ""
        about.set(task.about)
        try:
            plugin = self._on_overrun(deadline.doing, deadline.seconds, frame)
        finally:
            self._deliver(task.future, None, TimeIsUp(plugin, deadline.seconds))

    def _deliver(self, future: Future, result: Any, error: BaseException | None = None) -> None:
        """Hand a result to the event loop; of several for one future the first counts."""
        self._ready.append((future, result, error))
        if not self._announced and self._loop is not None:
            self._announced = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._unpack)

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
                future.set_exception(RuntimeError(f"{type(error).__name__} in a thread"))


class _Task(Struct, eq=False):
    """Work that waits or runs; `looks` counts how often it was seen running."""

    work: Callable[[Deadline], Any]
    label: str
    request_id: str
    deadline: Deadline
    future: Future
    about: Mapping[str, str]
    looks: int = 0
