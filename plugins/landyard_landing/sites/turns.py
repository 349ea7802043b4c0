"""Turns of calls: those that look for what is free, and take it, come one after the other."""

from sqlalchemy import Connection, text

_LOCK = text("SELECT pg_advisory_xact_lock(hashtext(:name))")


def take_turn(connection: Connection, name: str) -> None:
    """Let no other call take the turn of this name until this one ends.

    SQLite has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"name": name})
