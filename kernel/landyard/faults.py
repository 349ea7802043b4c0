"""Faults of plugins: they are counted, and a plugin with too many of them rests in quarantine.

A quarantine ends in a probe: one call is let through, and how it goes decides for the others.
"""

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog
from msgspec import Struct

from landyard.errors import OverloadLimit
from landyard.wording import fit

log = structlog.get_logger()

# The points of a fault: what an unexpected error is worth, a call over its time limit, one that
# kept all others from writing, and a worker that died of a call.
UNEXPECTED = 1
TOO_LONG = 3
HELD = 3
KILLED = 3

_BLAMELESS = frozenset({"", "kernel"})


class FaultRules(Struct, frozen=True):
    """When a plugin is put into quarantine, and for how long.

    `faults` points `within` so many seconds bring a quarantine of `pause` seconds; each one that
    follows on another lasts twice as long, up to `longest` seconds.
    """

    faults: int = 5
    within: float = 60.0
    pause: float = 10.0
    longest: float = 600.0


class Quarantine(Struct, frozen=True):
    """A plugin that rests `since` then; `until` is when a call may try it again.

    `level` counts the quarantines that followed on one another, this one included.
    """

    plugin: str
    reason: str
    since: datetime
    until: datetime
    level: int


Changed = Callable[[str, Quarantine | None], None]


class Faults:
    """The points of each plugin in this worker, and the quarantines of all workers."""

    def __init__(self, rules: FaultRules, now: Callable[[], datetime], changed: Changed) -> None:
        """Tell `changed` of each quarantine that begins or is renewed here, None when it is lifted.

        What others did comes by `learn`.
        """
        self._rules = rules
        self._now = now
        self._changed = changed
        self._lock = threading.Lock()
        self.held: Mapping[str, Quarantine] = {}  # replaced, never changed: read without the lock
        self.probing: dict[str, _Probe] = {}  # the calls that decide, by plugin
        self._points: dict[str, deque[_Fault]] = {}
        self._lifted: dict[str, tuple[datetime, int]] = {}

    def admit(self, plugin: str, seconds: float = 30.0) -> None:
        """Let a call of this thread through, or raise `OverloadLimit`: `plugin` rests.

        A probe is let through as well. One that has not come to an end in `seconds`, the time
        limit of the call, makes room for another.
        """
        if plugin in self.held:
            self._admit(plugin, seconds)

    def worked(self, plugin: str) -> None:
        """Note that a call of this thread worked: if it was the probe, the quarantine is lifted."""
        if plugin in self.probing and self._end_probe(plugin, lift=True):
            self._tell(plugin, None)

    def undecided(self, plugin: str) -> None:
        """Note that a call of this thread ended without showing anything: another may probe."""
        if plugin in self.probing:
            self._end_probe(plugin, lift=False)

    def blame(self, plugin: str, reason: str, points: int = UNEXPECTED) -> None:
        """Count a fault of `plugin`; `reason` is short: "ZeroDivisionError in greeting.hello".

        While it rests nothing counts but what happens during a probe. The kernel is never blamed.
        """
        if plugin in _BLAMELESS:
            return
        with self._lock:
            quarantine = self._blame(plugin, _Fault(self._now(), fit(reason), points))
        if quarantine is not None:
            log.error("plugin_quarantined", plugin=plugin, reason=quarantine.reason)
            self._tell(plugin, quarantine)

    def quarantined(self, plugin: str) -> Quarantine | None:
        """Return the quarantine of `plugin`, also when it waits for its probe."""
        return self.held.get(plugin)

    def learn(self, rows: Mapping[str, Quarantine]) -> None:
        """Take over what all workers and the operator have come to, and tell nobody."""
        with self._lock:
            for plugin, quarantine in self.held.items():
                if plugin not in rows:
                    self._forget(plugin, quarantine)
            for plugin in [each for each in self.probing if rows.get(each) != self.held.get(each)]:
                del self.probing[plugin]
            self.held = dict(rows)

    def _admit(self, plugin: str, seconds: float) -> None:
        with self._lock:
            quarantine = self.held.get(plugin)
            if quarantine is None:
                return
            now = self._now()
            left = (quarantine.until - now).total_seconds()
            # One dated further ahead than any can be was written by a clock that was wrong.
            if not 0 < left <= self._rules.longest:
                probe = self.probing.get(plugin)
                left = (probe.until - now).total_seconds() if probe else 0.0
                if left <= 0:
                    until = now + timedelta(seconds=seconds)
                    self.probing[plugin] = _Probe(threading.get_ident(), until)
                    return
                left = 1.0  # it will be decided any moment
        wait = max(1, math.ceil(left))
        raise OverloadLimit(
            f"This method rests after faults; try again in {wait} seconds.", retry_after=wait
        )

    def _end_probe(self, plugin: str, *, lift: bool) -> bool:
        """End the probe, if this thread is it; tell whether a quarantine was lifted."""
        with self._lock:
            probe = self.probing.get(plugin)
            # A call that was let in before the quarantine began says nothing about now.
            if probe is None or probe.thread != threading.get_ident():
                return False
            del self.probing[plugin]
            if lift:
                self._forget(plugin, self.held[plugin])
                self.held = {name: held for name, held in self.held.items() if name != plugin}
            return lift

    def _blame(self, plugin: str, fault: "_Fault") -> Quarantine | None:
        held = self.held.get(plugin)
        if held is not None:
            probed = self.probing.pop(plugin, None) is not None
            # A probe that killed its worker is gone with it: the fault is all there is left of it.
            died = fault.points >= KILLED and fault.at >= held.until
            return self._rest(plugin, [fault], held.level + 1) if probed or died else None
        points = self._points.setdefault(plugin, deque())
        points.append(fault)
        while (fault.at - points[0].at).total_seconds() > self._rules.within:
            points.popleft()
        if sum(each.points for each in points) < self._rules.faults:
            return None
        return self._rest(plugin, list(points), self._level(plugin, fault.at))

    def _level(self, plugin: str, now: datetime) -> int:
        """Say how many quarantines a new one makes: a relapse follows on what was lifted."""
        lifted, level = self._lifted.get(plugin, (now, 0))
        return level + 1 if (now - lifted).total_seconds() <= self._rules.within else 1

    def _rest(self, plugin: str, faults: "list[_Fault]", level: int) -> Quarantine:
        now = faults[-1].at
        seconds = min(self._rules.pause * 2 ** min(level - 1, 32), self._rules.longest)
        until = now + timedelta(seconds=seconds)
        quarantine = Quarantine(plugin, _summed_up(faults), now, until, level)
        self.held = {**self.held, plugin: quarantine}
        return quarantine

    def _forget(self, plugin: str, quarantine: Quarantine) -> None:
        self._points.pop(plugin, None)
        self._lifted[plugin] = (self._now(), quarantine.level)

    def _tell(self, plugin: str, quarantine: Quarantine | None) -> None:
        if quarantine is None:
            log.info("quarantine_lifted", plugin=plugin)
        try:
            self._changed(plugin, quarantine)
        except Exception:
            # It holds in this worker all the same.
            log.exception("quarantine_not_shared", plugin=plugin)


class _Fault(Struct, frozen=True):
    at: datetime
    reason: str
    points: int


class _Probe(Struct, frozen=True):
    thread: int
    until: datetime


def _summed_up(faults: list[_Fault]) -> str:
    """Name the most frequent reason: "X in a.b, 5 times in 12 s, and 2 other faults"."""
    (reason, times), *_ = Counter(fault.reason for fault in faults).most_common(1)
    if len(faults) == 1:
        return reason
    seconds = math.ceil((faults[-1].at - faults[0].at).total_seconds())
    text = f"{reason}, {times} times in {max(1, seconds)} s" if times > 1 else reason
    others = len(faults) - times
    return f"{text}, and {others} other fault{'s' * (others > 1)}" if others else text
