"""Usage: how many calls of each plugin there were in the last hour, and how they went."""

import secrets
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct, structs
from sqlalchemy import BigInteger, bindparam, delete, select
from sqlmodel import Field, SQLModel

from landyard.core.hook_calls import Outcome
from landyard.logs import blanked, fit
from landyard.plugin_host.host_faults import is_host_fault
from landyard.plugin_host.loading import described
from landyard.storage.prepared import Moment
from landyard.storage.schema import table_of, upsert
from landyard.storage.store import Store, UnitOfWork

# Calls are told apart by their seconds: from 10 us to 100 s, twenty steps to each decade.
_STEPS: list[float] = [10.0 ** (exponent / 20) for exponent in range(-100, 41)]


class UsageRow(SQLModel, table=True):
    """The calls of a plugin in one minute and one worker; `spread` counts them by duration."""

    __tablename__ = "landyard_usage"

    plugin: str = Field(primary_key=True)
    minute: int = Field(primary_key=True, sa_type=BigInteger)
    worker: str = Field(primary_key=True)
    errors: int
    spread: str
    last_error: str = ""
    last_error_at: datetime | None = Field(default=None, sa_type=Moment)


class Hour(Struct, frozen=True):
    """How the calls of a plugin went: `errors` of them were unexpected, `last_error` the last one.

    95 % took no longer than `p95` seconds, which is exact to an eighth.
    """

    calls: int = 0
    errors: int = 0
    p95: float = 0.0
    last_error: str = ""


_ROW = table_of(UsageRow).c
_FORGET = delete(_ROW.minute.table).where(_ROW.minute <= bindparam("old"))


def failure(error: BaseException, where: str) -> str:
    """Say what went wrong where; nothing where the database or the machine is at fault."""
    return "" if is_host_fault(error) else blanked(f"{described(error)} in {where}", quoting=True)


class Usage:
    """The calls of this worker, counted in memory and written every few seconds."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        """Start with none."""
        self._now = now
        self._lock = threading.Lock()
        self._new: dict[str, _Counts] = {}  # by plugin, and not written yet
        self.called: Counter[str] = Counter()  # by method; whoever reads it may empty it
        self._written: dict[str, _Counts] = {}  # in this minute
        self._minute = 0
        self._worker = secrets.token_hex(8)

    def call(self, outcome: Outcome) -> None:
        """Count an answered call."""
        if (method := outcome.method) is not None:
            error = failure(outcome.crash, method.name) if outcome.crash else ""
            self.called[method.name] += 1
            self.count(method.plugin, outcome.seconds, error)

    def count(self, plugin: str, seconds: float, error: str) -> None:
        """Count what a plugin did, or what went wrong in it beside its calls: `error` in words."""
        step = bisect_left(_STEPS, seconds)
        with self._lock:
            counts = self._new.get(plugin)
            if counts is None:
                counts = self._new[plugin] = _Counts()
            counts.spread[step] += 1
            if error:
                counts.errors += 1
                counts.last_error, counts.last_error_at = fit(error), self._now()

    def flush(self, store: Store) -> None:
        """Write what is new."""
        with self._lock:
            new, self._new = self._new, {}
        minute = int(self._now().timestamp() // 60)
        if minute != self._minute:
            self._minute, self._written = minute, {}
        for plugin, counts in new.items():
            self._written.setdefault(plugin, _Counts()).add(counts)
        rows = [self._written[plugin].row(plugin, minute, self._worker) for plugin in new]

        def write(unit: UnitOfWork) -> None:
            # The whole of this worker's minute each time, so that nothing is counted twice.
            unit.connection.execute(upsert(UsageRow, unit.connection), rows)
            unit.connection.execute(_FORGET, {"old": minute - 60})

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

    def row(self, plugin: str, minute: int, worker: str) -> dict[str, Any]:
        known = {"plugin": plugin, "minute": minute, "worker": worker}
        spread = msgspec.json.encode(self.spread).decode()
        return {**known, **structs.asdict(self), "spread": spread}


def last_hour(store: Store, now: datetime) -> dict[str, Hour]:
    """Sum up, by plugin, what all workers have written of the last hour."""
    since = int(now.timestamp() // 60) - 60
    query = select(*_ROW).where(_ROW.minute > since).order_by(_ROW.plugin, _ROW.last_error_at)
    with store.unit(writes=False) as unit:
        rows = unit.connection.execute(query).all()
    return {plugin: _hour(each) for plugin, each in groupby(rows, attrgetter("plugin"))}


def _hour(rows: Iterable[Any]) -> Hour:
    spread, errors, last = Counter[int](), 0, ""
    for row in rows:
        spread.update(msgspec.json.decode(row.spread, type=dict[int, int]))
        errors += row.errors
        last = row.last_error or last
    return Hour(spread.total(), errors, _p95(spread), last)


def _p95(spread: Counter[int]) -> float:
    reached = 0
    for step in sorted(spread):
        reached += spread[step]
        if reached >= 0.95 * spread.total():
            return _STEPS[min(step, len(_STEPS) - 1)]
    return 0.0
