"""The samples that all workers of a machine share, in a SQLite file in the data directory.

Each worker counts in memory and adds its new counts to the file. Counts therefore survive the
worker, and workers do not query each other. A gauge belongs to one worker and is removed with it.
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

ALIVE = 10.0  # seconds since its last gauges after which a worker counts as gone

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
    """The samples of one worker, in memory until `write`, and the file of all samples."""

    def __init__(self, file: Path, *, clock: Callable[[], float] = time.time) -> None:
        """Open no file yet."""
        self._file = file
        self._clock = clock
        self._worker = uuid.uuid4().hex
        self._counted: Counter[Key] = Counter()
        self._lock = threading.Lock()

    def add(self, counts: Mapping[Key, float]) -> None:
        """Add counts to the samples in memory."""
        with self._lock:
            for key, count in counts.items():
                self._counted[key] += count  # type: ignore[assignment]

    def write(self, gauges: Mapping[Key, float]) -> None:
        """Write new counts, and the gauges of this worker, to the file; raises `sqlite3.Error`.

        After an error the counts are kept for the next attempt.
        """
        with self._lock:
            counts, self._counted = self._counted, Counter()
        now = self._clock()
        try:
            with self._connected() as connection:
                connection.executemany(_ADD, [(_encoded(key), counts[key]) for key in counts])
                connection.execute(
                    "DELETE FROM gauges WHERE worker = ? OR at < ?", (self._worker, now - ALIVE)
                )
                rows = [(self._worker, _encoded(key), gauges[key], now) for key in gauges]
                connection.executemany("INSERT INTO gauges VALUES (?, ?, ?, ?)", rows)
        except BaseException:
            self.add(counts)
            raise

    def read(self) -> dict[Key, float]:
        """Return the sums over all workers; raises `sqlite3.Error`."""
        with self._connected() as connection:
            rows = connection.execute(_SUMS, (self._clock() - ALIVE,)).fetchall()
        return {msgspec.json.decode(key, type=Key): value for key, value in rows}

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction on the file, which is created again if it was removed."""
        if not self._file.exists():
            self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, isolation_level=None)
        try:
            connection.execute(
                "PRAGMA synchronous=OFF"
            )  # counts lost in a power failure do no harm
            connection.execute("BEGIN IMMEDIATE")
            for each in _TABLES:
                connection.execute(each)
            yield connection
            connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # the file is damaged: start a new one
                self._file.unlink(missing_ok=True)
            raise
        finally:
            connection.close()


def _encoded(key: Key) -> str:
    return msgspec.json.encode(key).decode()
