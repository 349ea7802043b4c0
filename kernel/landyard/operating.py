"""What a method has cost a credential in the running ten minutes (C12)."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

BUCKET = 60  # seconds
BUCKETS = 10


class Operating(Struct, frozen=True):
    """`spent` seconds in the window; the oldest bucket in use leaves it at `reset_at`."""

    spent: float
    reset_at: float


class OperatingMeter(Protocol):
    """The seam: a worker's own window, or the ledger's for all of them."""

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window now holds."""
        ...


class WorkerMeter:
    """Keeps the window of this worker in memory."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Start an empty window."""
        self._clock = clock
        self._lock = threading.Lock()
        self._spent: dict[tuple[str, str], dict[int, float]] = {}
        self._swept = 0

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window now holds."""
        now = int(self._clock()) // BUCKET
        key = (credential, method)
        with self._lock:
            if now != self._swept:
                self._sweep(now)
            buckets = self._spent.get(key)
            if buckets is None:
                buckets = self._spent[key] = {}
            spent = buckets[now] = buckets.get(now, 0.0) + seconds
            if len(buckets) == 1:
                return Operating(spent, (now + BUCKETS) * BUCKET)
            for old in [bucket for bucket in buckets if bucket <= now - BUCKETS]:
                del buckets[old]
            return Operating(sum(buckets.values()), (min(buckets) + BUCKETS) * BUCKET)

    def _sweep(self, now: int) -> None:
        """Forget who has not called for a whole window, once a minute."""
        self._swept = now
        for key in [key for key, used in self._spent.items() if max(used) <= now - BUCKETS]:
            del self._spent[key]
