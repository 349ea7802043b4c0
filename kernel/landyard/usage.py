"""Usage: how many calls of each plugin there were in the last hour, and how they went.

A worker counts in memory and writes to the ledger every few seconds. What all workers have
written is there for the command line, also while the service is down.
"""

import math
import secrets
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate

import msgspec
from msgspec import Struct

from landyard.ledger import Ledger, Use

_EVERY = 5.0  # seconds between two writes to the ledger
# A histogram tells calls apart by their seconds: from 10 us to 100 s, ten steps to each decade.
_STEPS = [10.0 ** (exponent / 10) for exponent in range(-50, 21)]
_FAILED = len(_STEPS) + 1  # where the unexpected errors are counted, behind the last step


class Hour(Struct, frozen=True):
    """`calls`, how many `errors` of them were unexpected, and in how many seconds 95 % were done.

    `p95` is exact to a tenth or so: it comes from a histogram.
    """

    calls: int
    errors: int
    p95: float


class Usage:
    """The calls of this worker that are not in the ledger yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with none; `clock` says, in seconds, when it is time to write."""
        self._clock = clock
        self._lock = threading.Lock()
        # One of each thread: nobody waits here. Those of threads that have ended are summed up.
        self._counted: list[tuple[threading.Thread, dict[str, list[int]]]] = []
        self._ended: dict[str, list[int]] = {}
        self._mine = threading.local()
        self._taken: dict[str, list[int]] = {}
        self._written: dict[str, list[int]] = {}
        self._minute = 0
        self._last = -math.inf
        self._worker = ""

    def note(self, plugin: str, seconds: float, *, failed: bool) -> None:
        """Count a call of `plugin` that took `seconds`; it `failed` with an unexpected error."""
        try:
            counts = self._mine.counted[plugin]
        except (AttributeError, KeyError):
            counts = self._begin(plugin)
        counts[bisect_left(_STEPS, seconds)] += 1
        if failed:
            counts[_FAILED] += 1

    def flush(self, ledger: Ledger, *, at_once: bool = False) -> None:
        """Write what is new, if anything is and the last write is some seconds ago, or `at_once`.

        Where that fails it is kept for the next time, and the error is raised.
        """
        with self._lock:
            now = self._clock()
            if now < self._last + _EVERY and not at_once:
                return
            counted = self._sum_up()
            fresh = {
                plugin: _less(counts, self._taken.get(plugin, _nothing()))
                for plugin, counts in counted.items()
                if counts != self._taken.get(plugin)
            }
            if fresh:
                self._last = now
                self._write(ledger, fresh)
                self._taken = counted

    def _sum_up(self) -> dict[str, list[int]]:
        """Add up all that was ever counted here."""
        counted: dict[str, list[int]] = {}
        for each in list(self._counted):
            thread, mine = each
            if thread.is_alive():
                counted = _together(counted, dict(mine))
            else:
                self._ended = _together(self._ended, mine)
                self._counted.remove(each)
        return _together(counted, self._ended)

    def _begin(self, plugin: str) -> list[int]:
        counted: dict[str, list[int]] | None = getattr(self._mine, "counted", None)
        if counted is None:
            counted = self._mine.counted = {}
            self._counted.append((threading.current_thread(), counted))
        counted[plugin] = _nothing()
        return counted[plugin]

    def _write(self, ledger: Ledger, taken: Mapping[str, list[int]]) -> None:
        # Drawn when the worker writes for the first time: it may be a copy of another process.
        self._worker = self._worker or secrets.token_hex(8)
        minute = ledger.minute
        before = self._written if minute == self._minute else {}
        whole = _together(before, taken)
        ledger.keep_uses([_use(plugin, minute, self._worker, whole[plugin]) for plugin in taken])
        self._written, self._minute = whole, minute


def last_hour(ledger: Ledger) -> dict[str, Hour]:
    """Sum up, by plugin, what all workers have written in the last hour."""
    calls: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    spreads: dict[str, Counter[int]] = {}
    for use in ledger.uses():
        calls[use.plugin] += use.calls
        errors[use.plugin] += use.errors
        spread = msgspec.json.decode(use.spread, type=dict[int, int])
        spreads.setdefault(use.plugin, Counter()).update(spread)
    return {
        plugin: Hour(calls[plugin], errors[plugin], _below(spreads[plugin], 0.95))
        for plugin in calls
    }


def _nothing() -> list[int]:
    return [0] * (_FAILED + 1)


def _use(plugin: str, minute: int, worker: str, counts: list[int]) -> Use:
    spread = {step: count for step, count in enumerate(counts[:_FAILED]) if count}
    text = msgspec.json.encode(spread).decode()
    return Use(plugin, minute, worker, sum(spread.values()), counts[_FAILED], text)


def _together(some: Mapping[str, list[int]], more: Mapping[str, list[int]]) -> dict[str, list[int]]:
    total = {plugin: list(counts) for plugin, counts in some.items()}
    for plugin, counts in more.items():
        total[plugin] = [a + b for a, b in zip(total.get(plugin, _nothing()), counts, strict=True)]
    return total


def _less(some: list[int], fewer: list[int]) -> list[int]:
    return [a - b for a, b in zip(some, fewer, strict=True)]


def _below(spread: Mapping[int, int], share: float) -> float:
    """Return the seconds within which `share` of the calls were done."""
    steps = sorted(spread)
    wanted = share * sum(spread.values())
    for step, reached in zip(steps, accumulate(spread[each] for each in steps), strict=True):
        if reached >= wanted:
            upper = _STEPS[min(step, len(_STEPS) - 1)]
            # Within a step they are taken to be spread evenly, on its logarithmic scale.
            return float(upper * 10 ** (-(reached - wanted) / spread[step] / 10))
    return 0.0
