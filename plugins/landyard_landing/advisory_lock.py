"""An advisory lock for calls that check a limit, or pick a free value, before they write."""

from sqlalchemy import Connection, text

_LOCK = text("SELECT pg_advisory_xact_lock(hashtext(:name))")


def acquire(connection: Connection, name: str) -> None:
    """Wait for the advisory lock of this name, and hold it until the call ends.

    SQLite has one writer at a time and needs no lock.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"name": name})
