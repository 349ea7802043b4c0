"""Passwords: hashed with Argon2id, and compared in a time that tells nothing."""

import functools
import threading
from collections.abc import Sequence
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, select

from landyard import Credential, Host, InvalidCredentials, credentials, fold, folded, spelt
from landyard_console.tables import PASSWORD, SESSION

MOST = 200  # characters
_USER = credentials.USER
_TURNS = threading.BoundedSemaphore(2)  # each takes 19 MiB, and a core


@functools.cache
def _hasher() -> PasswordHasher:
    """Argon2id with the least memory that OWASP advises, 19 MiB: a worker may check several."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@functools.cache
def _nobodys() -> str:
    """A hash that stands for one that is not there, so that the check takes as long."""
    return _hasher().hash("nobody's")


def hash_password(password: str) -> str:
    """Hash a password, which takes its time and memory: do it outside of a transaction."""
    with _TURNS:
        return _hasher().hash(password)


def set_password(connection: Connection, user_id: int, hashed: str, keep: int | None) -> None:
    """Give a user a hashed password, and end all sessions of the user but the one to `keep`."""
    connection.execute(delete(PASSWORD).where(PASSWORD.c.user_id == user_id))
    connection.execute(PASSWORD.insert().values(user_id=user_id, hashed=hashed))
    ended = delete(SESSION).where(SESSION.c.user_id == user_id, SESSION.c.id != (keep or 0))
    connection.execute(ended)


def find_hash(connection: Connection, user_id: int) -> str | None:
    """Return the hash of a user's password; None where there is none."""
    query = select(PASSWORD.c.hashed).where(PASSWORD.c.user_id == user_id)
    hashed: str | None = connection.execute(query).scalar()
    return hashed


def is_password(hashed: str, password: str) -> bool:
    """Tell whether a password is the one that was hashed; this takes its time, too."""
    try:
        with _TURNS:
            return _hasher().verify(hashed, password[: MOST + 1])
    except (VerificationError, InvalidHashError):
        return False


def guess_of(name: str, password: str) -> Credential:
    """Write a guess at a user's password as what guesses are counted by."""
    return Credential("webhook", f"password\0{password}", fold(name.strip())[:100])


def check(host: Host, name: str, password: str, address: str) -> int:
    """Return whose name and password these are; raises `InvalidCredentials`.

    Guesses are counted as wrong credentials are, by the address and by the name: raises
    `QueryLimitExceeded`, `Postponed`.
    """
    said = spelt(name).strip()
    guess = guess_of(said, password)
    with host.credentials.guard(address, guess):
        query = (
            select(_USER.c.id, PASSWORD.c.hashed, _USER.c.name)
            .join_from(_USER, PASSWORD, PASSWORD.c.user_id == _USER.c.id)
            .where(folded(_USER.c.name) == fold(said), _USER.c.active)
        )
        rows = host.store.run(lambda unit: unit.connection.execute(query).all(), writes=False)
        user_id, hashed, _ = _meant(rows, said) or (0, _nobodys(), "")
        if not is_password(hashed, password) or not user_id:
            raise InvalidCredentials
        return int(user_id)


def _meant(rows: Sequence[Any], said: str) -> Any:
    """Find the user whose name was said; None where it may be another's as well.

    Capitals and accents need not be right, unless they are what tells two users apart.
    """
    for alike in (fold, str.casefold, str):
        named = [row for row in rows if alike(spelt(row[2])) == alike(said)]
        if len(named) < 2:
            return named[0] if named else None
    return None
