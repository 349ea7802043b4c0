"""Hashes passwords by Argon2id, and checks them in a time that reveals nothing."""

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
_TURNS = threading.BoundedSemaphore(2)  # each hash takes 19 MiB and a core


@functools.cache
def _hasher() -> PasswordHasher:
    """Argon2id with OWASP's least memory, 19 MiB, because a worker may check several at once."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@functools.cache
def _dummy_hash() -> str:
    """A hash to check if a user has none, so that the check takes as long."""
    return _hasher().hash("nobody's")


def hash_password(password: str) -> str:
    """Return the hash of a password; slow, so call it outside of a transaction."""
    with _TURNS:
        return _hasher().hash(password)


def set_password(connection: Connection, user_id: int, hashed: str, keep: int | None) -> None:
    """Store a user's hashed password, and end the user's sessions except `keep`."""
    connection.execute(delete(PASSWORD).where(PASSWORD.c.user_id == user_id))
    connection.execute(PASSWORD.insert().values(user_id=user_id, hashed=hashed))
    ended = delete(SESSION).where(SESSION.c.user_id == user_id, SESSION.c.id != (keep or 0))
    connection.execute(ended)


def find_hash(connection: Connection, user_id: int) -> str | None:
    """Return the hash of a user's password; None if there is none."""
    query = select(PASSWORD.c.hashed).where(PASSWORD.c.user_id == user_id)
    hashed: str | None = connection.execute(query).scalar()
    return hashed


def is_password(hashed: str, password: str) -> bool:
    """Tell whether a password matches a hash; slow, too."""
    try:
        with _TURNS:
            return _hasher().verify(hashed, password[: MOST + 1])
    except (VerificationError, InvalidHashError):
        return False


def guess_of(name: str, password: str) -> Credential:
    """Return the credential by which guesses at a user's password are counted."""
    return Credential("webhook", f"password\0{password}", fold(name.strip())[:100])


def check(host: Host, name: str, password: str, address: str) -> int:
    """Return the id of the user with this name and password; raises `InvalidCredentials`.

    Guesses are counted like wrong credentials, by address and by name: raises `QueryLimitExceeded`
    and `Postponed`.
    """
    clean_name = spelt(name).strip()
    guess = guess_of(clean_name, password)
    with host.credentials.guard(address, guess):
        query = (
            select(_USER.c.id, PASSWORD.c.hashed, _USER.c.name)
            .join_from(_USER, PASSWORD, PASSWORD.c.user_id == _USER.c.id)
            .where(folded(_USER.c.name) == fold(clean_name), _USER.c.active)
        )
        rows = host.store.run(lambda unit: unit.connection.execute(query).all(), writes=False)
        user_id, hashed, _ = _match(rows, clean_name) or (0, _dummy_hash(), "")
        if not is_password(hashed, password) or not user_id:
            raise InvalidCredentials
        return int(user_id)


def _match(rows: Sequence[Any], name: str) -> Any:
    """Return the row of the user with this name; None if it fits several users.

    Case and accents are ignored, unless only they distinguish two users.
    """
    for alike in (fold, str.casefold, str):
        matching = [row for row in rows if alike(spelt(row[2])) == alike(name)]
        if len(matching) < 2:
            return matching[0] if matching else None
    return None
