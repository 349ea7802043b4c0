"""A thread's seat: whose code runs there, since when, and whether its time is up.

A thread that runs over its limit is asked to stop by an exception that comes from outside, between
any two steps of its Python code. A plugin's code can be stopped like that; the kernel's cannot, for
it holds locks and turns. So whoever runs a plugin's code says so with its name, the `owner`, and
the kernel's own is "". The order of the steps below is what keeps the exception out of the kernel:
the owner is written before the strike is read, and a strike is written before the owner is read.
"""

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from msgspec import Struct

T = TypeVar("T")

# Holds the interpreter's lock while it runs, as the call asks for.
_set_exception = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)
_NOTHING = ctypes.py_object()


def interrupt(thread: int) -> None:
    """Raise `Overrun` in a thread, between any two steps of its Python code."""
    _set_exception(thread, Overrun)


class Overrun(BaseException):
    """Raised in a thread whose call is over its time limit: nothing that it does counts any more.

    No `Exception`, so that a handler which catches those is stopped as well.
    """


class Term(Struct):
    """How long a piece of work may run, and what has been decided about it.

    `owner` is the plugin it is for, `seconds` its limit, `since` the monotonic moment it began.
    `settled`: the answer stands. `expired`: the caller has been told that the time is up. `struck`:
    the plugin's code is to stop. `hit`: it was interrupted, its insides may be half way.
    """

    owner: str = ""
    seconds: float | None = None
    since: float = 0.0
    settled: bool = False
    expired: bool = False
    struck: bool = False
    hit: bool = False


class Row(Protocol):
    """Numbers that can be read and written one by one."""

    def __getitem__(self, at: int, /) -> int: ...
    def __setitem__(self, at: int, number: int, /) -> None: ...


class Marks(Protocol):
    """Where a seat notes whose code runs: see `landyard.recorder`."""

    @property
    def numbers(self) -> dict[str, int]: ...
    @property
    def cells(self) -> Row: ...
    @property
    def counts(self) -> Row: ...
    @property
    def at(self) -> int: ...


class _NoMarks:
    """Notes go nowhere."""

    class _Unnumbered(dict[str, int]):
        def __missing__(self, _name: str) -> int:
            return 0

    def __init__(self) -> None:
        self.numbers: dict[str, int] = self._Unnumbered()
        self.cells: Row = [0]
        self.counts: Row = [0]
        self.at = 0


class Held(Protocol):
    """What a call holds that others wait for: the database's one turn to write."""

    def look(self, *, over: bool) -> None:
        """Take it away where it was held for too long, or the call is `over` its limit."""


class Seat:
    """The place of one thread. `owner` is the plugin whose code runs now, "" the kernel."""

    __slots__ = (
        *("_at", "_cells", "_counts", "_lock", "_numbers"),
        *("holding", "idle", "owner", "term", "thread"),
    )

    def __init__(self, marks: Marks | None = None) -> None:
        """Make the seat of this thread; it notes whose code runs in `marks`."""
        marks = marks or _NoMarks()
        self.thread = threading.get_ident()
        self.owner = ""
        self.idle = self.term = Term()
        self.holding: Held | None = None
        self._lock = threading.Lock()
        self._numbers = marks.numbers
        self._cells = marks.cells
        self._counts = marks.counts
        self._at = marks.at

    def take(self, owner: str) -> str:
        """Say whose code runs from here on, and answer whose did before.

        Raises `Overrun` for a plugin's name once the time is up. What asks for "" right behind a
        plugin's code may be met by the `Overrun` that was meant for that; nothing comes later.
        """
        before = self.owner
        self.owner = owner
        if self.term.struck:
            try:
                self._meet(owner)
            except Overrun:
                self.owner = before
                raise
        number = self._numbers[owner]
        self._cells[self._at] = number
        self._counts[number] += 1
        return before

    def run(self, owner: str, work: Callable[..., T], *given: Any) -> T:
        """Run a plugin's `work`; raises `Overrun` where its time is up."""
        before = self.owner
        numbers = self._numbers
        try:
            # `take` and `back`, without a call of their own: this is on every call's way.
            self.owner = owner
            if self.term.struck:
                self._meet(owner)
            number = numbers[owner]
            self._cells[self._at] = number
            self._counts[number] += 1
            return work(*given)
        finally:
            self.owner = before  # a step that nothing comes between; a call is none
            self._cells[self._at] = numbers[before]
            if self.term.struck:
                self._meet(before)

    def aside(self, work: Callable[[], T]) -> T:
        """Run the kernel's own `work` inside a plugin's call: it is not interrupted.

        Raises `Overrun` before it begins or after it is done; what it returns is lost then.
        """
        before = self.owner
        self.owner = ""
        try:
            if self.term.struck:
                self._meet("", stopping=before)
            self._cells[self._at] = 0
            return work()
        finally:
            self.back(before)

    def back(self, owner: str) -> None:
        """Go back from the kernel's code to that of `owner`; raises `Overrun` as `take` does."""
        self.owner = owner
        self._cells[self._at] = self._numbers[owner]
        if self.term.struck:
            self._meet(owner)

    def settle(self) -> None:
        """Decide that the answer stands: no time limit applies from here on.

        Raises `Overrun` when the caller was told already that the time is up.
        """
        term = self.term
        with self._lock:
            if term.expired:
                raise Overrun
            term.settled = True

    def check(self) -> None:
        """Raise `Overrun` when the caller was told that the time is up."""
        if self.term.expired:
            raise Overrun

    def whose(self) -> str:
        """Say whose code runs here; nobody's, where it waits for a database server to answer."""
        frame = sys._current_frames().get(self.thread)  # noqa: SLF001 - there is no other way
        module = "" if frame is None else frame.f_globals.get("__name__", "")
        return "" if module.partition(".")[0] == "psycopg" else self.owner

    def rest(self) -> None:
        """Say that nothing runs here any more; an `Overrun` under way comes here, or never."""
        if self.term.struck:
            self._meet("")
        self.owner = ""
        self.term = self.idle
        self.holding = None
        self._cells[self._at] = 0

    def expire(self, term: Term) -> bool:
        """Decide that the time is up, unless the answer stands; called by whoever watches."""
        with self._lock:
            if self.term is not term or term.settled or term.expired:
                return False
            term.expired = term.struck = True
            return True

    def strike(self, term: Term) -> None:
        """Ask the plugin's code that runs here to stop; called by whoever watches."""
        with self._lock:
            if self.term is not term:
                return
            term.struck = True
            if self.owner:
                term.hit = True
                _set_exception(self.thread, Overrun)
            elif term.settled:  # what comes next is somebody else's
                term.struck = False

    def _meet(self, owner: str, *, stopping: str | None = None) -> None:
        """Deal with a strike where plugin and kernel meet, and go on as `owner`.

        None is under way after this. Raises `Overrun` where it is a plugin that would go on, or is
        `stopping` for the kernel, and the time is up.
        """
        self.owner = ""
        try:
            with self._lock:
                _set_exception(self.thread, _NOTHING)
                if self.term.settled:
                    self.term.struck = False
        finally:
            self.owner = owner
        if (owner or stopping) and self.term.expired:
            raise Overrun


_THREAD = threading.local()


def here() -> Seat:
    """Return the seat of this thread; outside of the worker threads it has no limit."""
    try:
        seat: Seat = _THREAD.seat
    except AttributeError:
        seat = _THREAD.seat = Seat()
    return seat


@contextmanager
def seated(marks: Marks | None) -> Iterator[Seat]:
    """Surround the life of a worker thread, whose seat notes whose code runs in `marks`."""
    seat = _THREAD.seat = Seat(marks)
    try:
        yield seat
    finally:
        del _THREAD.seat
