"""Time: what a call took, and what a method has cost a credential in ten minutes (C12)."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

from msgspec import UNSET, Struct, UnsetType

BUCKET = 60  # seconds
BUCKETS = 10


def utc_now() -> datetime:
    """Return the moment it is."""
    return datetime.now(UTC)


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


class Calendar:
    """Writes moments in the service's time zone, to the second."""

    def __init__(self, zone: tzinfo) -> None:
        """Write dates with the offset of `zone`."""
        self._zone = zone
        self._last = (0, "")  # writing a date costs more than the second it is good for

    def date(self, second: int) -> str:
        """Write a moment, given in seconds since 1970, as ISO 8601."""
        known = self._last
        if known[0] != second:
            known = (second, datetime.fromtimestamp(second, self._zone).isoformat())
            self._last = known
        return known[1]

    def timing(
        self,
        *,
        start: float,
        duration: float,
        processing: float,
        spent: float,
        reset_at: float | UnsetType,
    ) -> Timing:
        """Write down a call that began at `start`, in seconds since 1970, and ends now."""
        finish = start + duration
        return Timing(
            start=start,
            finish=finish,
            duration=duration,
            processing=processing,
            date_start=self.date(int(start)),
            date_finish=self.date(int(finish)),
            operating=spent,
            operating_reset_at=reset_at,
        )


class Operating(Struct, frozen=True):
    """`spent` seconds in the window; the oldest bucket in use leaves it at `reset_at`."""

    spent: float
    reset_at: float


class WorkerMeter:
    """Keeps the window of ten one-minute buckets in the memory of this worker."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Start with an empty window."""
        self._clock = clock
        self._lock = threading.Lock()
        self._spent: dict[tuple[str, str], dict[int, float]] = {}
        self._swept = 0

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window now holds."""
        now = int(self._clock()) // BUCKET
        with self._lock:
            if now != self._swept:
                self._sweep(now)
            buckets = self._spent.setdefault((credential, method), {})
            spent = buckets[now] = buckets.get(now, 0.0) + seconds
            if len(buckets) == 1:
                return Operating(spent, (now + BUCKETS) * BUCKET)
            for old in [bucket for bucket in buckets if bucket <= now - BUCKETS]:
                del buckets[old]
            return Operating(sum(buckets.values()), (min(buckets) + BUCKETS) * BUCKET)

    def _sweep(self, now: int) -> None:
        """Forget, once a minute, the credentials that have not called for a whole window."""
        self._swept = now
        for key in [key for key, used in self._spent.items() if max(used) <= now - BUCKETS]:
            del self._spent[key]
