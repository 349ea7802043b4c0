"""The circuit breaker: refuses a method for a while if its calls hang or end their process.

A plain failure opens nothing: it costs nobody else anything.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog
from msgspec import Struct, structs

from landyard.core.errors import OverloadLimit
from landyard.core.methods import Method
from landyard.core.timing import CLOCKS_DIFFER

log = structlog.get_logger()

HANGS = 3  # calls over their time limit open the breaker of their method
WITHIN = 60.0  # if they come within so many seconds, and the time that they take themselves
SEVERAL = 3  # methods with open breakers, at which all methods of their plugin are refused
PAUSE = 10.0  # seconds; twice as long each time the trial call fails as well
LONGEST = 600.0


def pause(times: int) -> float:
    """Say for how many seconds a method is refused, when it was opened so many times in a row."""
    seconds: float = min(PAUSE * 2 ** min(times - 1, 16), LONGEST)
    return seconds


class OpenBreaker(Struct, frozen=True):
    """A method that is refused until a moment, for a reason; then one call may try it.

    `times` counts how often it was opened without a call that came to its end in between.
    """

    method: str
    plugin: str
    reason: str
    until: datetime
    times: int = 1


class CircuitBreaker:
    """The methods that are refused. `learn` takes over the breakers of other workers.

    `changes` pairs a method with its breaker when this worker opened the breaker, and with None
    when this worker closed it. The code that stores the changes may remove them.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.changes: deque[tuple[str, OpenBreaker | None]] = deque()
        self._lock = threading.Lock()
        self.open: dict[str, OpenBreaker] = {}  # by the method's name
        self._trials: set[str] = set()  # open methods of which a trial call runs here
        self._hangs: dict[str, deque[datetime]] = {}
        # Both by the method's name and the id of a credential.
        self._suspects: dict[tuple[str, str], Callable[[str], object]] = {}
        self._refused: dict[tuple[str, str], datetime] = {}  # until when
        self.attentive = False  # whether calls must ask, and tell when they have come to their end

    def admit(self, method: Method, caller: str = "") -> None:
        """Let a call begin, or raise `OverloadLimit`; `caller` is the id of its credential.

        When the pause is over the call that comes first is the trial: others are refused for as
        long as it may take.
        """
        with self._lock:
            if until := self._refused.get((method.name, caller)):
                wait = math.ceil((until - self._now()).total_seconds())
                if wait > 0:
                    raise OverloadLimit(
                        "Calls of this method with your credential have ended workers: it is"
                        f" refused for a while. Try again in {wait} seconds.",
                        retry_after=wait,
                    )
            breaker = self.open.get(method.name) or self._of_plugin(method.plugin)
            if breaker is None:
                return
            now = self._now()
            left = (breaker.until - now).total_seconds()
            seconds = min((method.seconds or WITHIN) + 1, LONGEST)
            longest = max(seconds, pause(breaker.times))
            if left > longest + CLOCKS_DIFFER.total_seconds():  # a clock was ahead
                until, left = now + timedelta(seconds=longest), longest
                self.open[breaker.method] = structs.replace(breaker, until=until)
            elif left <= 0:
                until = now + timedelta(seconds=seconds)
                self.open[breaker.method] = structs.replace(breaker, until=until)
                self._trials.add(breaker.method)
                return
        wait = max(1, math.ceil(left))
        raise OverloadLimit(
            f"This method is refused for a while: {breaker.reason}. Try again in {wait} seconds.",
            retry_after=wait,
        )

    def finished(self, method: Method, caller: str = "") -> None:
        """Note that a call has come to its end: it hangs no more, and is no suspect.

        Of a suspect that is one caller's alone another caller's call says nothing.
        """
        with self._lock:
            self._hangs.pop(method.name, None)
            suspect = self._suspects.pop((method.name, caller), None)
            self._refused.pop((method.name, caller), None)
            closed = self.open.pop(method.name, None)
            self._trials.discard(method.name)
            self._mind()
        if suspect is not None:
            suspect(method.name)
        if closed is not None:
            log.info("breaker_closed", method=method.name, plugin=method.plugin)
            self.changes.append((method.name, None))

    def hung(self, method: str, plugin: str, seconds: float) -> None:
        """Note that a call ran longer than its limit of `seconds`."""
        now = self._now()
        with self._lock:
            hangs = self._hangs.setdefault(method, deque(maxlen=HANGS))
            hangs.append(now)
            self.attentive = True
            passed = (now - hangs[0]).total_seconds()
            often = len(hangs) == HANGS and passed <= WITHIN + HANGS * seconds
            # Calls that began before it was opened say nothing new: only a trial makes it longer.
            fails = method in self._trials if method in self.open else often
            self._trials.discard(method)
        if fails:
            times = f"{len(hangs)} calls" if len(hangs) > 1 else "a call"
            self.open_for(method, plugin, f"{times} ran longer than {seconds:g} s")

    def open_for(self, method: str, plugin: str, reason: str) -> None:
        """Refuse a method from now on, for a time that doubles while its trial calls fail."""
        with self._lock:
            known = self.open.get(method)
            times = known.times + 1 if known else 1
            seconds = pause(times)
            until = self._now() + timedelta(seconds=seconds)
            breaker = self.open[method] = OpenBreaker(method, plugin, reason, until, times)
            self.attentive = True
        log.error("breaker_opened", method=method, plugin=plugin, reason=reason, seconds=seconds)
        self.changes.append((method, breaker))

    def suspect(self, method: str, finished: Callable[[str], object], caller: str = "") -> None:
        """Tell `finished` once when the caller's call of this method comes to its end here."""
        with self._lock:
            self._suspects[method, caller] = finished
            self.attentive = True

    def refuse_caller(self, method: str, caller: str, seconds: float) -> None:
        """Refuse a method for one credential alone, which was in every death that it caused.

        Nobody keeps this: the supervisor tells all workers.
        """
        with self._lock:
            self._refused[method, caller] = self._now() + timedelta(seconds=seconds)
            self.attentive = True

    def learn(self, breakers: Mapping[str, OpenBreaker]) -> None:
        """Take over what other workers and the operator have come to; nobody is told of it."""
        with self._lock:
            for closed in self.open.keys() - breakers.keys():
                self._hangs.pop(closed, None)
            self._trials &= breakers.keys()
            self.open = dict(breakers)
            self._mind()

    def _mind(self) -> None:
        self.attentive = bool(self.open or self._hangs or self._suspects or self._refused)

    def _of_plugin(self, plugin: str) -> OpenBreaker | None:
        """Find a breaker that stands for the whole plugin: several of its methods are open."""
        mine = [each for each in self.open.values() if plugin and each.plugin == plugin]
        return max(mine, key=lambda each: each.until) if len(mine) >= SEVERAL else None
