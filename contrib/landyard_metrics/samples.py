"""The samples that all workers of a machine share: a file in the data directory.

Each worker counts in memory, and adds to the file what is new. So counts of a worker that was
replaced stay, and no worker asks another. A gauge is a worker's own, and goes with it.
"""

import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from landyard_metrics.families import Key

ALIVE = 10.0  # seconds since a worker's last gauges after which it is taken for gone

_TABLES = (
    "CREATE TABLE IF NOT EXISTS counted (key PRIMARY KEY, value REAL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS gauges (worker, key, value REAL, at REAL)",
)
_ADD = (
    "INSERT INTO counted VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = value + excluded.value"
)
_SUMS = (
    "SELECT key, value FROM counted"
    " UNION ALL SELECT key, sum(value) FROM gauges WHERE at > ? GROUP BY key"
)


class Samples:
    """The samples of this worker, in memory until `write`, and those of all in the file."""

    def __init__(self, file: Path, *, clock: Callable[[], float] = time.time) -> None:
        """Open nothing yet."""
        self._file = file
        self._clock = clock
        self._worker = uuid.uuid4().hex
        self._counted: Counter[Key] = Counter()
        self._lock = threading.Lock()

    def add(self, counts: Mapping[Key, float]) -> None:
        """Count."""
        with self._lock:
            for key, count in counts.items():
                self._counted[key] += count  # type: ignore[assignment]

    def write(self, gauges: Mapping[Key, float]) -> None:
        """Write what is new, and the gauges of this worker; raises `sqlite3.Error`.

        What could not be written is kept for the next time.
        """
        with self._lock:
            taken, self._counted = self._counted, Counter()
        now = self._clock()
        try:
            with self._connected() as connection:
                connection.executemany(_ADD, [(_written(key), taken[key]) for key in taken])
                connection.execute(
                    "DELETE FROM gauges WHERE worker = ? OR at < ?", (self._worker, now - ALIVE)
                )
                rows = [(self._worker, _written(key), gauges[key], now) for key in gauges]
                connection.executemany("INSERT INTO gauges VALUES (?, ?, ?, ?)", rows)
        except BaseException:
            self.add(taken)
            raise

    def read(self) -> dict[Key, float]:
        """Return the sums over all workers; raises `sqlite3.Error`."""
        with self._connected() as connection:
            rows = connection.execute(_SUMS, (self._clock() - ALIVE,)).fetchall()
        return {msgspec.json.decode(key, type=Key): value for key, value in rows}

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Surround a transaction on the file, which may have been taken away since the last one."""
        if not self._file.exists():
            self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous=OFF")  # losing counts with the power is cheap
            connection.execute("BEGIN IMMEDIATE")
            for each in _TABLES:
                connection.execute(each)
            yield connection
            connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # it is damaged, and begun anew
                self._file.unlink(missing_ok=True)
            raise
        finally:
            connection.close()


def _written(key: Key) -> str:
    return msgspec.json.encode(key).decode()
