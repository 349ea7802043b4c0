"""The ledger: counts that all workers of a service share, and that nobody misses after a restart.

On SQLite they are in a file of their own, `limits.db`, so that counting never waits for the disk or
for a call that writes; on PostgreSQL in tables that it keeps out of its log.
"""

import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import structlog
from msgspec import Struct, to_builtins
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from landyard.operating import BUCKET, BUCKETS, Operating
from landyard.settings import Settings
from landyard.store import Store, UnitOfWork

T = TypeVar("T")

log = structlog.get_logger()

# Those of SQLite's own file; on PostgreSQL a migration makes them, for the service may not.
_TABLES = (
    text(
        """CREATE TABLE IF NOT EXISTS ledger_bucket (
        key VARCHAR PRIMARY KEY, level DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL)"""
    ),
    text(
        """CREATE TABLE IF NOT EXISTS ledger_operating (
        credential VARCHAR, method VARCHAR, bucket BIGINT, seconds DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (credential, method, bucket))"""
    ),
    text(
        """CREATE TABLE IF NOT EXISTS ledger_usage (
        plugin VARCHAR, minute BIGINT, worker VARCHAR, calls BIGINT NOT NULL,
        errors BIGINT NOT NULL, spread VARCHAR NOT NULL, PRIMARY KEY (plugin, minute, worker))"""
    ),
)
# What is left in a bucket by now. A host whose clock is a little behind finds what was there; what
# is dated far ahead, by a clock that was wrong, counts for nothing.
_LEFT = """CASE WHEN ledger_bucket.at > :now + 60 THEN 0
    WHEN :now <= ledger_bucket.at THEN ledger_bucket.level
    WHEN ledger_bucket.level <= (:now - ledger_bucket.at) * :leak THEN 0
    ELSE ledger_bucket.level - (:now - ledger_bucket.at) * :leak END"""
_POUR = text(
    f"""INSERT INTO ledger_bucket (key, level, at) VALUES (:key, 1, :now)
    ON CONFLICT (key) DO UPDATE SET level = 1 + {_LEFT},
        at = CASE WHEN ledger_bucket.at BETWEEN :now AND :now + 60 THEN ledger_bucket.at
            ELSE :now END
    WHERE 1 + {_LEFT} <= :size RETURNING level"""  # noqa: S608 - both parts stand above
)
_LEVEL = text(f"SELECT {_LEFT} FROM ledger_bucket WHERE key = :key")  # noqa: S608 - see above
_TAKE_BACK = text("UPDATE ledger_bucket SET level = level - 1 WHERE key = :key AND level >= 1")
_SPEND = text(
    """INSERT INTO ledger_operating (credential, method, bucket, seconds)
    VALUES (:credential, :method, :bucket, :seconds)
    ON CONFLICT (credential, method, bucket)
    DO UPDATE SET seconds = ledger_operating.seconds + excluded.seconds"""
)
_SPENT = text(
    """SELECT bucket, seconds FROM ledger_operating
    WHERE credential = :credential AND method = :method AND bucket > :bucket AND seconds > 0
    ORDER BY bucket"""
)
# A worker writes the whole of its minute each time, so that nothing is counted twice.
_KEEP_USES = text(
    """INSERT INTO ledger_usage (plugin, minute, worker, calls, errors, spread)
    VALUES (:plugin, :minute, :worker, :calls, :errors, :spread)
    ON CONFLICT (plugin, minute, worker)
    DO UPDATE SET calls = excluded.calls, errors = excluded.errors, spread = excluded.spread"""
)
_USES = text(
    """SELECT plugin, minute, worker, calls, errors, spread FROM ledger_usage
    WHERE minute > :minute - 60 AND minute <= :minute + 1"""
)
_FORGET = (
    text("DELETE FROM ledger_bucket WHERE at < :now - 86400 OR at > :now + 60"),
    text("DELETE FROM ledger_operating WHERE bucket <= :bucket"),
    text("DELETE FROM ledger_usage WHERE minute <= :minute - 60 OR minute > :minute + 1"),
)


class Bucket(Struct, frozen=True):
    """A leaky bucket: it holds `size` and loses `leak` a second."""

    size: float
    leak: float


class Use(Struct, frozen=True):
    """A plugin's calls in one minute and one worker; `spread` is written by `landyard.usage`."""

    plugin: str
    minute: int
    worker: str
    calls: int
    errors: int
    spread: str


class Ledger:
    """Leaky buckets by key, the operating seconds of credentials and methods, plugins' calls."""

    def __init__(
        self, settings: Settings, store: Store, *, clock: Callable[[], float] = time.time
    ) -> None:
        """Open nothing yet; `store` is the service's database."""
        self._file = settings.data.absolute() / "limits.db"
        self._own = Store(f"sqlite:///{self._file}", durable=False) if store.sqlite else None
        self._store = self._own or store
        self._clock = clock
        self._ready = False

    def pour(self, key: str, bucket: Bucket) -> int:
        """Pour one into a bucket: 0, or in how many seconds, rounded up, there is room again."""

        def pour(unit: UnitOfWork) -> int:
            poured = {"key": key, "now": self._clock(), "leak": bucket.leak}
            if unit.connection.execute(_POUR, {**poured, "size": bucket.size}).first():
                return 0
            level = float(unit.connection.execute(_LEVEL, poured).scalar_one())
            return max(1, math.ceil((level + 1 - bucket.size) / bucket.leak))

        return self._run(pour)

    def take_back(self, key: str) -> int:
        """Take back what was poured last; nobody waits for it: 0."""
        self._run(lambda unit: unit.connection.execute(_TAKE_BACK, {"key": key}))
        return 0

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window of all workers now holds."""

        def spend(unit: UnitOfWork) -> Operating:
            if seconds > 0:
                spent = {"credential": credential, "method": method, "seconds": seconds}
                unit.connection.execute(_SPEND, {**spent, "bucket": self._bucket()})
            window = self._window(unit, credential, method)
            oldest = min(window, default=self._bucket())
            return Operating(sum(window.values()), (oldest + BUCKETS) * BUCKET)

        return self._run(spend)

    def wait(self, credential: str, method: str, budget: float) -> int:
        """Tell in how many seconds, rounded up, less than `budget` is spent: 0 where it is now."""
        window = self._run(lambda unit: self._window(unit, credential, method))
        left = sum(window.values())
        if left < budget:
            return 0
        free = iter(window)
        while left >= budget:
            left -= window[bucket := next(free)]
        return max(1, math.ceil((bucket + BUCKETS) * BUCKET - self._clock()))

    @property
    def minute(self) -> int:
        """The minute it is now, counted from 1970 on."""
        return int(self._clock() // 60)

    def keep_uses(self, uses: Sequence[Use]) -> None:
        """Write each of `uses` in place of what its worker has written of that minute before."""
        rows = [to_builtins(use) for use in uses]
        self._run(lambda unit: unit.connection.execute(_KEEP_USES, rows))

    def uses(self) -> list[Use]:
        """Return those of the last hour; none where nothing has been counted yet.

        Where there is no file it makes none, and one that cannot be read holds nothing.
        """
        if self._own is None:
            return self._store.run(self._uses, writes=False)
        if not self._file.exists():
            return []
        try:
            return self._own.run(self._uses, writes=False)
        except DBAPIError as error:
            log.debug("uses_unreadable", error=str(error.orig))
            return []

    def forget(self) -> None:
        """Forget what no longer counts."""
        then = {
            "now": self._clock(),
            "bucket": self._bucket() - BUCKETS,
            "minute": self.minute,
        }
        self._run(lambda unit: [unit.connection.execute(each, then) for each in _FORGET])

    def close(self) -> None:
        """Close the file, where there is one."""
        if self._own is not None:
            self._own.close()

    def _uses(self, unit: UnitOfWork) -> list[Use]:
        rows = unit.connection.execute(_USES, {"minute": self.minute}).mappings()
        return [Use(**row) for row in rows]

    def _bucket(self) -> int:
        return int(self._clock() // BUCKET)

    def _window(self, unit: UnitOfWork, credential: str, method: str) -> dict[int, float]:
        """Return the seconds by bucket, the oldest first."""
        then = self._bucket() - BUCKETS
        asked = {"credential": credential, "method": method, "bucket": then}
        rows = unit.connection.execute(_SPENT, asked)
        return {row.bucket: row.seconds for row in rows}

    def _run(self, work: Callable[[UnitOfWork], T]) -> T:
        if self._own is None:
            return self._store.run(work, writes=True)
        try:
            return self._on_file(self._own, work)
        except DBAPIError as error:
            # Somebody took the file away, or it is none: nothing in it is worth stopping for.
            self._begin_anew(self._own, damaged=type(error.orig) is sqlite3.DatabaseError)
            return self._on_file(self._own, work)

    def _on_file(self, own: Store, work: Callable[[UnitOfWork], T]) -> T:
        if not self._ready:
            own.run(lambda unit: [unit.connection.execute(each) for each in _TABLES], writes=True)
            self._ready = True
        return own.run(work, writes=True)

    def _begin_anew(self, own: Store, *, damaged: bool) -> None:
        log.warning("ledger_begun_anew", damaged=damaged)
        own.close()
        self._ready = False
        if damaged:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._file}{suffix}").unlink(missing_ok=True)
