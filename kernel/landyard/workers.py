"""The worker threads: the web edge is async, a call is not and runs whole in one of these."""

import asyncio
import itertools
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

import structlog

from landyard.errors import OverloadLimit
from landyard.recorder import Recorder
from landyard.seats import Seat, seated
from landyard.tasks import Outbox, Task

T = TypeVar("T")

log = structlog.get_logger()

MOST_WAITING = 1024
TICK = 0.1  # seconds between two looks at what runs
LONG = 3  # looks at the same work after which another thread takes a thread's place
STUCK = 20  # looks after which a plugin that has all its threads running is refused more
AGAIN = 1.0  # seconds until a thread that was asked to stop is asked again
LINGER = 2.0  # seconds that further threads stay when all is well again
MOST_MORE = 16  # times as many threads as there are
HURRY = 0.0005  # seconds until a thread gives way to others, while some work takes all it can get
_USUAL = sys.getswitchinterval()


class Workers:
    """A few threads behind one queue.

    `concurrent.futures` costs a lock, two futures and a wake-up of the loop for every call. Here
    results that are ready together wake the loop once: see `make bench` and docs/why.md.

    A plugin has as many of the threads as there are, and no more: where its work takes long,
    further threads do the work of others meanwhile. Nobody's work, the kernel's, has no share.
    """

    def __init__(
        self,
        threads: int,
        *,
        patient: bool = False,
        recorder: Recorder | None = None,
        on_overrun: Callable[[str, float], None] = lambda _owner, _seconds: None,
    ) -> None:
        """Start none yet: processes that only print a listing need none.

        In `patient` ones work takes long by its nature: what is more than a plugin's share waits,
        and is refused only where all before it is over its limit. `on_overrun` is told of each
        call over its limit whose code was running, nobody's for the kernel's, and the limit.
        """
        self._count = threads
        self._patient = patient
        self._recorder = recorder
        self._on_overrun = on_overrun
        self._waiting: SimpleQueue[Task | None] = SimpleQueue()
        self._outbox: Outbox | None = None
        self._changing = threading.Lock()  # guards the next three
        self._threads: list[threading.Thread] = []
        self._seats: list[Seat] = []
        self._parked: dict[str, deque[Task]] = {}
        self._numbers = itertools.count()
        self._more = 0  # threads beyond the usual ones
        self._calm_at = 0.0
        self._full: frozenset[str] = frozenset()  # who is refused more
        self._hurried = False
        self._open = False
        self._watcher = threading.Thread()
        self._closed = threading.Event()
        self._asleep = False
        self._awake = threading.Event()

    async def run(
        self, work: Callable[..., T], *given: Any, owner: str = "", seconds: float | None = None
    ) -> T:
        """Run `work` of the plugin `owner` in a thread, and answer what it returns.

        Raises what it raises, `TimeIsUp` when it runs for more than `seconds`, or `OverloadLimit`
        when too much is waiting already, or running for this plugin.
        """
        if self._waiting.qsize() >= MOST_WAITING or owner in self._full:
            raise OverloadLimit
        loop = asyncio.get_running_loop()
        if self._outbox is None or self._outbox.loop is not loop:
            self._outbox = Outbox(loop)
        if not self._open:
            self._start()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.put(
            Task(
                owner=owner,
                seconds=seconds,
                outbox=self._outbox,
                future=future,
                work=work,
                given=given,
            )
        )
        if self._asleep:
            self._awake.set()
        return await future

    def close(self, grace: float) -> None:
        """Let the work under way and waiting finish, for at most `grace` seconds."""
        with self._changing:
            self._open = False
            self._more = 0
            for owner in list(self._parked):
                self._release(owner, MOST_WAITING)
            threads, self._threads = self._threads, []
        for _ in threads:
            self._waiting.put(None)
        deadline = time.monotonic() + grace
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._closed.set()
        self._awake.set()
        self._hurry(False)
        if self._watcher.is_alive():
            self._watcher.join(TICK)

    def _start(self) -> None:
        self._closed.clear()
        with self._changing:
            self._open = True
            self._hire()
        self._watcher = threading.Thread(target=self._watch, name="landyard-watch", daemon=True)
        self._watcher.start()

    def _hire(self) -> None:
        """Start the threads that are missing."""
        while self._open and len(self._threads) < self._count + self._more:
            # Daemons: work that hangs must not keep a stopped service alive.
            name = f"landyard-{next(self._numbers)}"
            thread = threading.Thread(target=self._work, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def _work(self) -> None:
        cell = None if self._recorder is None else self._recorder.cell()
        with seated(cell) as seat:
            with self._changing:
                self._seats.append(seat)
            try:
                self._serve(seat)
            finally:
                with self._changing:
                    self._seats.remove(seat)
                    if threading.current_thread() in self._threads:
                        self._threads.remove(threading.current_thread())
                    self._hire()
        if cell is not None and self._recorder is not None:
            self._recorder.free(cell)

    def _serve(self, seat: Seat) -> None:
        while (task := self._waiting.get()) is not None:
            if self._more and not self._admitted(seat, task):
                continue
            task.do(seat)
            if self._parked:
                with self._changing:
                    self._release(task.owner, 1)
            if task.hit:
                return  # a thread that was interrupted does nothing more
            del task  # a thread that waits must not keep a body, and the secret in it, alive

    def _admitted(self, seat: Seat, task: Task) -> bool:
        """Seat the task, unless its plugin has its share of the threads already."""
        if task.owner in self._full:
            task.refuse()
            return False
        with self._changing:
            if not task.owner or self._running(task.owner) < self._count or not self._open:
                task.since = time.monotonic()
                seat.term = task
                return True
            self._parked.setdefault(task.owner, deque()).append(task)
            # One that ended between the two lines above has not seen the task.
            self._release(task.owner, self._count - self._running(task.owner))
        return False

    def _running(self, owner: str) -> int:
        return sum(seat.term.owner == owner for seat in self._seats)

    def _release(self, owner: str, most: int) -> None:
        parked = self._parked.get(owner, deque())
        for _ in range(min(most, len(parked))):
            self._waiting.put(parked.popleft())
        if not parked:
            self._parked.pop(owner, None)

    def _watch(self) -> None:
        quiet = 0
        while not self._closed.wait(TICK):
            try:
                quiet = 0 if self._look(time.monotonic()) else quiet + 1
            except Exception:
                log.exception("watch_failed")
            if self._asleep and quiet:
                # What was put before the mark would run by now, and what is put after it wakes.
                self._awake.wait()
            if self._asleep:
                self._asleep = False
            elif quiet > LINGER / TICK:
                self._awake.clear()
                self._asleep = True

    def _look(self, now: float) -> bool:
        """Look at what runs; tell whether anything does, or did lately."""
        with self._changing:
            terms = [(seat, seat.term) for seat in self._seats]
        long = busy = 0
        stuck: Counter[str] = Counter()
        for seat, task in terms:
            if not isinstance(task, Task):  # nothing runs there
                continue
            self._hold_to_limit(seat, task, now)
            held = bool(seat.owner) or task.expired  # else it waits for the database
            # Looks and not seconds: where the whole process was held up, nothing in it was slow.
            task.looks += held
            long += task.looks >= LONG
            stuck[task.owner] += task.expired if self._patient else held and task.looks >= STUCK
            busy += held and self._is_busy(seat, task)
        self._full = frozenset(owner for owner in stuck if owner and stuck[owner] >= self._count)
        self._make_room(long, now)
        self._hurry(busy > 0)
        return len(stuck) + self._more + self._waiting.qsize() > 0

    def _make_room(self, long: int, now: float) -> None:
        with self._changing:
            if long:
                self._calm_at = now + LINGER
                self._more = max(self._more, min(long, MOST_MORE * self._count))
                self._hire()
            elif self._more and now > self._calm_at:
                for _ in range(self._more):
                    self._waiting.put(None)
                self._more = 0
            for owner in list(self._parked):
                if owner in self._full:
                    for task in self._parked.pop(owner):
                        task.refuse()
                else:
                    self._release(owner, self._count - self._running(owner))

    def _hurry(self, hurry: bool) -> None:
        """Have threads that never wait give way sooner: each of them is in front of all others."""
        # Others in the process may have set it back: it is looked at each time.
        if hurry and sys.getswitchinterval() != HURRY:
            sys.setswitchinterval(HURRY)
        elif self._hurried and not hurry:
            sys.setswitchinterval(_USUAL)
        self._hurried = hurry

    def _is_busy(self, seat: Seat, task: Task) -> bool:
        """Tell whether a thread computes, rather than waits, since the last look."""
        if not hasattr(time, "pthread_getcpuclockid"):  # macOS
            return False
        with self._changing:
            if seat not in self._seats:  # a thread that has ended has no clock
                return False
            used = time.clock_gettime(time.pthread_getcpuclockid(seat.thread))
        computes = used - task.used > TICK / 50
        task.used = used
        return computes

    def _hold_to_limit(self, seat: Seat, task: Task, now: float) -> None:
        holding = seat.holding
        if holding is not None:
            holding.look(over=task.expired and now > task.told)
        if task.seconds is None:
            return
        if task.settled and not task.after:
            # What plugins do behind the answer has the same time again.
            task.after = True
            task.since = now
        if now - task.since <= task.seconds or now < task.told + AGAIN:
            return
        owner = seat.whose()
        if seat.expire(task):
            task.give_up(owner)
        elif not (task.expired or (task.after and owner)):
            return
        first = not task.told
        task.told = now
        seat.strike(task)
        if first:
            self._on_overrun(owner, task.seconds)
