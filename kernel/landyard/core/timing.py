"""Deadlines of calls, the timing in each answer, and the meter of operating seconds (C12)."""

import functools
import math
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from landyard.core.errors import DeadlineExceeded

BUCKET = 60  # seconds
BUCKETS = 10
CLOCKS_DIFFER = timedelta(minutes=1)
"""By so much the clocks of hosts may differ.

A stored moment that is further ahead of now than it can be was written by a clock that was wrong.
"""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Deadline(Struct, eq=False):
    """The time limit of one call, on which the call's thread and its watcher agree, once.

    `ends_at` is a moment of `time.monotonic`, set when the work begins. `settled` counts the
    transactions whose writes stand. `expired`: the caller was told that the time is up. `doing`:
    the label of the work, or the method that it has invoked. `in_line`: seconds in which it waited
    for a turn, while others wrote. `note_caller` is told whose call it is, once that is known.
    """

    seconds: float
    ends_at: float = math.inf
    in_line: float = 0.0
    settled: int = 0
    expired: bool = False
    doing: str = ""
    note_caller: Callable[[str], object] = str
    _lock: Any = field(default_factory=threading.Lock)

    def settle(self) -> None:
        """Decide that what the work wrote stands: the time limit does not apply from here on.

        Raises `DeadlineExceeded` when the caller was already told that the time is up.
        """
        with self._lock:
            if self.expired:
                raise DeadlineExceeded
            self.settled += 1

    def reopen(self) -> None:
        """Take one `settle` back: the commit did not happen, and the call runs again."""
        with self._lock:
            self.settled -= 1

    def expire(self) -> bool:
        """Decide that the time is up; False where the answer stands, or that was decided."""
        with self._lock:
            if self.settled or self.expired:
                return False
            self.expired = True
            return True


NO_DEADLINE = Deadline(math.inf)
"""A time limit that is never reached: of the command line, of tests."""
AT_ONCE = Deadline(math.inf)  # of a call on the event loop: what would have to wait is `Postponed`


class Timing(Struct, frozen=True):
    """When a call ran and what it cost (C12): numbers are seconds, dates are ISO 8601."""

    start: float
    finish: float
    duration: float
    processing: float
    date_start: str
    date_finish: str
    operating: float = 0.0
    operating_reset_at: float | UnsetType = UNSET


@functools.lru_cache(maxsize=16)  # a date costs more than the second it is good for
def date_of(second: int, zone: tzinfo) -> str:
    """Write a moment, given in seconds since 1970, as ISO 8601 with the offset of `zone`."""
    return datetime.fromtimestamp(second, zone).isoformat()


class Operating(Struct, frozen=True):
    """`spent` seconds in the window; the oldest bucket in use leaves it at `reset_at`."""

    spent: float
    reset_at: float


class WorkerMeter:
    """Keeps the window of ten one-minute buckets in the memory of this worker."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._spent: dict[tuple[str, str], dict[int, float]] = {}
        self._swept = 0

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        now = int(self._clock()) // BUCKET
        with self._lock:
            if now != self._swept:
                self._sweep(now)
            buckets = self._spent.setdefault((credential, method), {})
            if now not in buckets:
                for old in [bucket for bucket in buckets if bucket <= now - BUCKETS]:
                    del buckets[old]
            buckets[now] = buckets.get(now, 0.0) + seconds
            return Operating(sum(buckets.values()), (min(buckets) + BUCKETS) * BUCKET)

    def _sweep(self, now: int) -> None:
        """Forget, once a minute, the credentials that have not called for a whole window."""
        self._swept = now
        for key in [key for key, used in self._spent.items() if max(used) <= now - BUCKETS]:
            del self._spent[key]
