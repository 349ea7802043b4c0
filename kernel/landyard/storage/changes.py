"""Change detection: a number that changes with every commit to an SQLite database."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, event


class Changes:
    """Watches one database through a connection of its own.

    SQLite tells a connection whether others have committed since it last asked, which takes three
    microseconds. The number changes before the committing call returns, so a cache keyed by it
    never answers with a state older than an acknowledged write.
    """

    def __init__(self, engine: Engine) -> None:
        """Prepare to watch the database of `engine`, until that is disposed of."""
        self._file = engine.url.database if engine.dialect.name == "sqlite" else None
        self._connection: sqlite3.Connection | None = None
        self._connected = 0  # how often: each connection counts from another number
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def mark(self) -> int | None:
        """Return a number that differs from any returned before the latest commit.

        None where that cannot be known: on PostgreSQL, and while the file is locked or away. It
        waits for nothing: the event loop may ask.
        """
        if self._file is None:
            return None
        try:
            connection = self._connection or self._connect(self._file)
            # Read to its end: an open statement would hold on to its moment.
            ((version,),) = connection.execute("PRAGMA data_version")
        except sqlite3.Error:
            self.close()
            return None
        return self._connected << 32 | int(version)

    def close(self) -> None:
        """Let go of the database; the next `mark` connects anew."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _connect(self, file: str) -> sqlite3.Connection:
        # The file is never made, if it is not there. Another thread may close the connection.
        address = f"{Path(file).absolute().as_uri()}?mode=rw"
        self._connection = sqlite3.connect(
            address, uri=True, timeout=0, isolation_level=None, check_same_thread=False
        )
        self._connected += 1
        return self._connection
