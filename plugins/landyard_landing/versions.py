"""The version of what is public: another one after any change that visitors see."""

import sqlite3
import threading
from pathlib import Path

from sqlalchemy import Connection, Engine, event, select, text

from landyard_landing.tables import PublicVersion

_VERSION = select(PublicVersion.__table__.c.version)  # type: ignore[attr-defined]
_ONE_MOMENT = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def begin_reading(connection: Connection) -> int:
    """Answer the version that everything read through this new transaction belongs to.

    0 as long as nothing public was ever written.
    """
    if connection.dialect.name == "postgresql":
        # Else each statement would see what was committed just before it: a page in pieces.
        connection.execute(_ONE_MOMENT)
    return int(connection.execute(_VERSION).scalar() or 0)


class Watch:
    """Tells the current version at once, where the database lets it: on SQLite.

    SQLite tells a connection whether others have committed anything since it last asked, which
    costs three microseconds; the version is read only when they have. A commit is told before
    whoever made it knows that it is done, so nobody sees less than was acknowledged.
    """

    def __init__(self, engine: Engine) -> None:
        """Prepare to watch the database of `engine`, until that is disposed of."""
        self._address = _address(engine)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._commits = -1
        self._version = 0
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def current(self) -> int | None:
        """Return the current version, or None where it takes a transaction to know it.

        It waits for nothing: the event loop may ask.
        """
        if self._address is None:
            return None
        with self._lock:
            try:
                return self._look(self._connection or self._connect(self._address))
            except sqlite3.Error:  # locked, or gone: whoever reads the database will see
                self._disconnect()
                return None

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            self._disconnect()

    def _look(self, connection: sqlite3.Connection) -> int:
        # Read to its end, as every row here: an open statement would hold on to its moment.
        ((commits,),) = connection.execute("PRAGMA data_version")
        if commits != self._commits:
            rows = connection.execute("SELECT version FROM landing_public").fetchall()
            self._version = rows[0][0] if rows else 0
            # As it was before the version was read: a commit in between will be noticed.
            self._commits = commits
        return self._version

    def _connect(self, address: str) -> sqlite3.Connection:
        # Any thread may ask, one at a time. Never made, if it is not there.
        self._connection = sqlite3.connect(
            address, uri=True, timeout=0, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA query_only=ON").close()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._commits = -1  # another connection counts from another number


def _address(engine: Engine) -> str | None:
    file = engine.url.database
    if engine.dialect.name != "sqlite" or not file or file.startswith((":", "file:")):
        return None
    return f"{Path(file).absolute().as_uri()}?mode=rw"
