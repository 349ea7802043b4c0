"""The counters of limits, leaky buckets and operating seconds, shared by all workers.

On SQLite they are in a separate file, `limits.db`, so counting waits neither for the disk nor for
writing calls. On PostgreSQL they are in unlogged tables.
"""

import math
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import structlog
from msgspec import Struct
from sqlalchemy import BigInteger, bindparam, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Host, Operating, Prepared, Settings, Store, Unavailable, UnitOfWork, table_of

T = TypeVar("T")

log = structlog.get_logger()

MINUTES = 10  # the window of operating seconds (C12)


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class BucketRow(Base, table=True):
    """A leaky bucket, stored as the time at which it is empty, in seconds since 1970."""

    __tablename__ = "limits_bucket"

    key: str = Field(primary_key=True)
    empty_at: float


_BUCKET = table_of(BucketRow).c


class OperatingRow(Base, table=True):
    """The seconds that a method has worked for a credential in one minute since 1970."""

    __tablename__ = "limits_operating"

    credential: str = Field(primary_key=True)
    method: str = Field(primary_key=True)
    minute: int = Field(primary_key=True, sa_type=BigInteger)
    seconds: float


_OPERATING = table_of(OperatingRow).c


# A time too far ahead was written by a wrong clock, so that bucket counts as empty. The clocks of
# hosts may differ by a minute.
_NEXT = """:each + CASE WHEN limits_bucket.empty_at BETWEEN :now AND :now + :full + 60
    THEN limits_bucket.empty_at ELSE :now END"""
_POUR = Prepared(
    text(
        f"""INSERT INTO limits_bucket (key, empty_at) VALUES (:key, :now + :each)
    ON CONFLICT (key) DO UPDATE SET empty_at = {_NEXT}
    WHERE {_NEXT} <= :now + :full RETURNING empty_at"""  # noqa: S608 - the constant above
    ).columns(_BUCKET.empty_at)
)
_EMPTY_AT = Prepared(select(_BUCKET.empty_at).where(_BUCKET.key == bindparam("key")))
_TAKE_BACK = Prepared(text("UPDATE limits_bucket SET empty_at = empty_at - :each WHERE key = :key"))
# Minutes after the next one were written by a wrong clock.
_SPEND = Prepared(
    text(
        """INSERT INTO limits_operating (credential, method, minute, seconds)
    VALUES (:credential, :method, :minute, :seconds) ON CONFLICT (credential, method, minute)
    DO UPDATE SET seconds = limits_operating.seconds + excluded.seconds"""
    )
)
_SPENT = Prepared(
    text(
        f"""SELECT minute, seconds FROM limits_operating
    WHERE credential = :credential AND method = :method AND seconds > 0
        AND minute > :minute AND minute <= :minute + {MINUTES + 1}
    ORDER BY minute"""  # noqa: S608 - a number
    ).columns(_OPERATING.minute, _OPERATING.seconds)
)
_BUCKETS = select(_BUCKET.key, _BUCKET.empty_at).where(_BUCKET.empty_at > bindparam("now"))
_WORKED = (
    select(_OPERATING.credential, _OPERATING.method, func.sum(_OPERATING.seconds).label("seconds"))
    .where(
        _OPERATING.minute > bindparam("minute"),
        _OPERATING.minute <= bindparam("minute") + MINUTES + 1,
    )
    .group_by(_OPERATING.credential, _OPERATING.method)
)
_FORGET = (
    text("DELETE FROM limits_bucket WHERE empty_at < :now"),
    text(
        f"DELETE FROM limits_operating WHERE minute <= :minute OR minute > :minute + {MINUTES + 1}"  # noqa: S608 - a number
    ),
)


class Bucket(Struct, frozen=True):
    """A leaky bucket that holds `size` and loses `leak` per second."""

    size: float
    leak: float


class Counters:
    """Leaky buckets by key, and the operating seconds of methods by credential."""

    def __init__(
        self, settings: Settings, store: Store, *, clock: Callable[[], float] = time.time
    ) -> None:
        """Open no file yet; `store` is the service's database."""
        self._file = settings.data.absolute() / "limits.db"
        self._own = Store(f"sqlite:///{self._file}", durable=False) if store.sqlite else None
        self._store = self._own or store
        self._clock = clock
        self._ready = self._own is None

    def pour(self, key: str, bucket: Bucket) -> int:
        """Add one to a bucket; return 0, or if it is full the seconds to wait, rounded up."""
        now, each, full = self._clock(), 1 / bucket.leak, bucket.size / bucket.leak
        values = {"key": key, "now": now, "each": each, "full": full}

        def pour(unit: UnitOfWork) -> int:
            if _POUR.first(unit.connection, **values):
                return 0
            ((empty_at,),) = _EMPTY_AT.all(unit.connection, key=key)
            return max(1, math.ceil(float(empty_at) + each - full - now))

        return self._run(pour)

    def take_back(self, key: str, bucket: Bucket) -> int:
        """Remove one from a bucket; return 0, as nobody has to wait."""
        each = 1 / bucket.leak
        self._run(lambda unit: _TAKE_BACK.run(unit.connection, key=key, each=each))
        return 0

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds`, and return the operating time of all workers in the window."""
        now = self._minute()

        def spend(unit: UnitOfWork) -> Operating:
            if seconds > 0:
                spent = {"credential": credential, "method": method, "seconds": seconds}
                _SPEND.run(unit.connection, **spent, minute=now)
            window = self._window(unit, credential, method)
            oldest = min(window, default=now)
            return Operating(sum(window.values()), (oldest + MINUTES) * 60)

        return self._run(spend)

    def wait(self, credential: str, method: str, budget: float) -> int:
        """Return the seconds, rounded up, until less than `budget` is spent; 0 if it is already."""
        window = self._run(lambda unit: self._window(unit, credential, method))
        remaining, wait = sum(window.values()), 0
        for minute, seconds in window.items():
            if remaining < budget:
                break
            remaining -= seconds
            wait = max(1, math.ceil((minute + MINUTES) * 60 - self._clock()))
        return wait

    def poured(self) -> dict[str, float]:
        """Return the seconds until each filled bucket is empty, by its key."""
        now = self._clock()
        rows = self._run(lambda unit: unit.connection.execute(_BUCKETS, {"now": now}).all())
        return {row.key: row.empty_at - now for row in rows}

    def worked(self) -> list[tuple[str, str, float]]:
        """Return each credential and method with its seconds in the window."""
        then = {"minute": self._minute() - MINUTES}
        rows = self._run(lambda unit: unit.connection.execute(_WORKED, then).all())
        return [(row.credential, row.method, row.seconds) for row in rows]

    def forget(self) -> None:
        """Remove expired counters."""
        then = {"now": self._clock(), "minute": self._minute() - MINUTES}
        self._run(lambda unit: [unit.connection.execute(each, then) for each in _FORGET])

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._own is not None:
            self._own.close()

    def _minute(self) -> int:
        return int(self._clock() // 60)

    def _window(self, unit: UnitOfWork, credential: str, method: str) -> dict[int, float]:
        """Return the operating seconds by minute, the oldest first."""
        values = {"credential": credential, "method": method, "minute": self._minute() - MINUTES}
        return dict(_SPENT.all(unit.connection, **values))

    def _run(self, work: Callable[[UnitOfWork], T]) -> T:
        try:
            if not self._ready:
                self._store.run(_make_tables, writes=True)
                self._ready = True
            return self._store.run(work, writes=True)
        except (DBAPIError, Unavailable) as error:
            if self._own is not None:
                damaged = type(getattr(error, "orig", None)) is sqlite3.DatabaseError
                self._start_over(damaged=damaged)
            raise

    def _start_over(self, *, damaged: bool) -> None:
        """Create the file again at the next count, because it was removed or is damaged."""
        log.warning("counters_begun_anew", damaged=damaged)
        self.close()
        self._ready = False
        for suffix in ("", "-wal", "-shm") if damaged else ():
            Path(f"{self._file}{suffix}").unlink(missing_ok=True)


def _make_tables(unit: UnitOfWork) -> None:
    tables = [table_of(BucketRow), table_of(OperatingRow)]
    SQLModel.metadata.create_all(unit.connection, tables=tables)


def forget(host: Host) -> None:
    """Remove expired counters: the work of a job."""
    with closing(Counters(host.settings, host.store)) as counters:
        counters.forget()
