"""Detects changes of the database, by a mark that is different after each commit."""

import sqlite3
import threading
import time
from pathlib import Path

from sqlalchemy import Engine

from landyard.storage.engines import kept_by

Mark = int | str
KNOWN_FOR = 0.25  # seconds that a mark of PostgreSQL counts


class Changes:
    """Watches one database.

    SQLite tells a connection of our own whether others have committed since it last asked, which
    takes three microseconds. The number changes before the committing call returns, so a cache
    keyed by it never answers with a state older than an acknowledged write.

    PostgreSQL is asked which transactions a new one would see, which takes a query: once in a
    while, and after each commit of this process. Behind those of others such a cache is a quarter
    of a second at most.
    """

    def __init__(self, engine: Engine) -> None:
        self._file = engine.url.database if engine.dialect.name == "sqlite" else None
        self._engine = engine
        self.asks = self._file is None
        self._kept = kept_by(engine)
        # When PostgreSQL was asked, after how many commits of ours, and its answer.
        self._seen = (0.0, 0, "")
        # SQLite that is closed in one thread and used in another closes files of anybody.
        self._using = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._connected = 0  # how often: each connection counts from another number
        # For a listener to the engine each connection makes places, of all events.
        self._kept.closing.append(self.close)

    def mark(self) -> Mark | None:
        """Return a value that is different after each commit to the database; None if unknown.

        It is unknown while SQLite's file is locked or missing, and on PostgreSQL when the last
        answer is too old: then call `ask`. This method never waits, so the event loop may call it.
        """
        if self._file is None:
            at, commits, snapshot = self._seen
            current = commits == self._kept.commits and time.monotonic() - at < KNOWN_FOR
            return snapshot if current else None
        try:
            with self._using:
                if self._connection is None:
                    # The file is never made, if it is not there. Another thread may close it.
                    address = f"{Path(self._file).absolute().as_uri()}?mode=rw"
                    self._connection = sqlite3.connect(
                        address, uri=True, timeout=0, isolation_level=None, check_same_thread=False
                    )
                    self._connected += 1
                # Read to its end: an open statement would hold on to its moment.
                ((version,),) = self._connection.execute("PRAGMA data_version")
        except sqlite3.Error:
            self.close()
            return None
        return self._connected << 32 | int(version)

    def ask(self) -> Mark:
        """Read the mark from PostgreSQL by a query, for this caller and for `mark`.

        Between two equal marks nothing was committed.
        """
        at, commits = time.monotonic(), self._kept.commits
        with self._engine.connect() as connection:
            snapshot = connection.exec_driver_sql("SELECT pg_current_snapshot()::text").scalar_one()
        self._seen = (at, commits, snapshot)
        return str(snapshot)

    def close(self) -> None:
        """Let go of the database; the next `mark` connects anew."""
        with self._using:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
