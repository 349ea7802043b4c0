"""Counts the calls of each method in the last hour, with their errors and durations."""

import secrets
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, structs
from sqlalchemy import BigInteger, delete, select
from sqlmodel import Field

from landyard.core.hook_calls import Outcome
from landyard.logs import blanked, fit
from landyard.plugin_host.host_faults import is_host_fault
from landyard.plugin_host.loading import described
from landyard.storage.prepared import Moment, json_text
from landyard.storage.schema import Base, table_of, upsert
from landyard.storage.store import Store, UnitOfWork

# Calls are told apart by their seconds: from 10 us to 100 s, twenty steps to each decade.
_STEPS: list[float] = [10.0 ** (exponent / 20) for exponent in range(-100, 41)]


class UsageRow(Base, table=True):
    """How often a method was called, or a plugin failed, in one minute in one worker process.

    `plugin` is the name of a method, or `plugin:` with the name of a plugin. `minute` is counted
    since 1970. `spread` is a JSON object: by the index of a duration in `_STEPS`, the number of
    calls that took this long.
    """

    __tablename__ = "landyard_usage"

    plugin: str = Field(primary_key=True)
    minute: int = Field(primary_key=True, sa_type=BigInteger)
    worker: str = Field(primary_key=True)
    errors: int
    spread: str
    last_error: str = ""
    last_error_at: datetime | None = Field(default=None, sa_type=Moment)


_USAGE = table_of(UsageRow)


class Hour(Struct, frozen=True):
    """How calls went: `errors` of them were unexpected, `last_error` the last one.

    95 % took no longer than `p95` seconds, which is exact to an eighth.
    """

    calls: int = 0
    errors: int = 0
    p95: float = 0.0
    last_error: str = ""


def failure(error: BaseException, where: str) -> str:
    """Say what went wrong where; nothing where the database or the machine is at fault."""
    return "" if is_host_fault(error) else blanked(f"{described(error)} in {where}", quoting=True)


class Usage:
    """The calls of this worker, counted in memory and written every few seconds."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._new = defaultdict[str, _Counts](_Counts)  # by name, and not written yet
        self.called: set[str] = set()  # methods; whoever reads it may empty it
        self._written = defaultdict[str, _Counts](_Counts)  # in this minute
        self._minute = 0
        self._worker = secrets.token_hex(8)

    def call(self, outcome: Outcome) -> None:
        """Count a call that has ended, by the name of its method."""
        if (method := outcome.method) is not None:
            error = failure(outcome.crash, method.name) if outcome.crash else ""
            self.called.add(method.name)
            self.count(method.name, outcome.seconds, error)

    def count(self, name: str, seconds: float, error: str) -> None:
        """Count a call of a method, or a failure of a plugin outside of calls.

        `name` is that of the method, or `plugin:` with that of the plugin.
        `seconds` is how long it took. `error` is the text of an unexpected error, or empty.
        """
        step = bisect_left(_STEPS, seconds)
        with self._lock:
            counts = self._new[name]
            counts.spread[step] += 1
            if error:
                counts.errors += 1
                counts.last_error, counts.last_error_at = fit(error), self._now()

    def flush(self, store: Store) -> None:
        """Write the new counts to the database, and remove rows that are older than an hour."""
        with self._lock:
            new, self._new = self._new, defaultdict(_Counts)
        minute = int(self._now().timestamp() // 60)
        if minute != self._minute:
            self._minute, self._written = minute, defaultdict(_Counts)
        for name, counts in new.items():
            self._written[name].add(counts)
        rows = [self._written[name].row(name, minute, self._worker) for name in new]

        def write(unit: UnitOfWork) -> None:
            # The whole of this worker's minute each time, so that nothing is counted twice.
            unit.connection.execute(upsert(_USAGE, unit.connection), rows)
            unit.connection.execute(delete(_USAGE).where(_USAGE.c.minute <= minute - 60))

        if rows:
            store.run(write, writes=True)


class _Counts(Struct):
    spread: Counter[int] = msgspec.field(default_factory=Counter)
    errors: int = 0
    last_error: str = ""
    last_error_at: datetime | None = None

    def add(self, later: "_Counts") -> None:
        self.spread += later.spread
        self.errors += later.errors
        if later.last_error:
            self.last_error, self.last_error_at = later.last_error, later.last_error_at

    def row(self, name: str, minute: int, worker: str) -> dict[str, Any]:
        known = {"plugin": name, "minute": minute, "worker": worker}
        return {**known, **structs.asdict(self), "spread": json_text(self.spread)}


def last_hour(store: Store, now: datetime) -> Mapping[str, _Counts]:
    """Add up the counts that all workers wrote in the last hour, by method or plugin name."""
    since = int(now.timestamp() // 60) - 60
    query = select(_USAGE).where(_USAGE.c.minute > since).order_by(_USAGE.c.last_error_at)
    found = defaultdict[str, _Counts](_Counts)
    with store.unit(writes=False) as unit:
        for row in unit.connection.execute(query):
            spread = Counter(msgspec.json.decode(row.spread, type=dict[int, int]))
            found[row.plugin].add(_Counts(spread, row.errors, row.last_error, row.last_error_at))
    return found


def hour_of(counts: Mapping[str, _Counts], *names: str) -> Hour:
    """Add up the counts of these `names` of methods or plugins, as the figures of one hour."""
    whole = _Counts()
    for each in sorted(filter(None, map(counts.get, names)), key=lambda it: str(it.last_error_at)):
        whole.add(each)
    return Hour(whole.spread.total(), whole.errors, _p95(whole.spread), whole.last_error)


def _p95(spread: Counter[int]) -> float:
    reached = 0
    for step in sorted(spread):
        reached += spread[step]
        if reached >= 0.95 * spread.total():
            return _STEPS[min(step, len(_STEPS) - 1)]
    return 0.0
