"""The gate: who is let in, remembered for a moment."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime
from typing import TypeVar

from landyard.calls import Actor, Credential
from landyard.errors import (
    CallError,
    ExpiredToken,
    InvalidCredentials,
    InvalidToken,
    NoAuthFound,
)
from landyard.secret import mistyped

REMEMBERED_FOR = 0.5  # seconds; a revocation must be effective within one
REMEMBERED_AT_MOST = 4096

Ask = Callable[[Credential], Actor | None]
Guess = Callable[[str], AbstractContextManager[None]]
_K = TypeVar("_K")
_V = TypeVar("_V")


class Gate:
    """Answers who shows a credential, asking `ask` at most twice a second for each.

    Only those let in are remembered, under a digest: a refusal is always asked again, and no
    secret stays in memory. Of all threads none waits here: each step is one operation of a dict.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        guess: Guess = lambda _: nullcontext(),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Remember nobody yet; `now` is what expiry is held against.

        `guess(address)` surrounds the look at a credential that was not let in before, or was
        refused since: of the last few thousand it is remembered that they were.
        """
        self._ask = ask
        self._guess = guess
        self._now = now
        self._clock = clock
        self._known: OrderedDict[bytes, tuple[float, Actor]] = OrderedDict()
        self._used: OrderedDict[str, datetime] = OrderedDict()

    def actor(self, credential: Credential | None, address: str = "") -> Actor:
        """Let somebody in, or raise `NoAuthFound`, `InvalidCredentials`, `InvalidToken`, …

        Who is past `expires_at` is refused (C13), whichever plugin answered: a token with
        `ExpiredToken`, a webhook like any wrong one. One without a time zone is a `TypeError`.
        """
        if credential is None or not credential.secret:
            raise NoAuthFound
        key = _key(credential)
        known = self._known.get(key)
        asked_at = self._clock()
        if known is not None:
            until, actor = known
            expires = actor.expires_at
            if asked_at < until and (expires is None or self._now() < expires):
                return actor
        try:
            with self._guess(address) if known is None else nullcontext():
                actor = self._let_in(credential)
        except CallError:
            self._known.pop(key, None)
            raise
        _keep(self._known, key, (asked_at + REMEMBERED_FOR, actor))
        _keep(self._used, actor.credential, self._now())
        return actor

    def forget(self) -> None:
        """Ask again for every credential: who answers for them has changed."""
        self._known.clear()

    def take_used(self) -> dict[str, datetime]:
        """Hand over when each credential was last let in, to half a second, and forget it."""
        used: dict[str, datetime] = {}
        with suppress(KeyError):  # none is left
            while True:
                name, moment = self._used.popitem()
                used.setdefault(name, moment)
        return used

    def _let_in(self, credential: Credential) -> Actor:
        # A typo costs the database nothing.
        actor = None if mistyped(credential.secret) else self._ask(credential)
        webhook = credential.kind == "webhook"
        if actor is None:
            raise InvalidCredentials if webhook else InvalidToken
        expires = actor.expires_at
        if expires is not None:
            if expires.tzinfo is None:
                raise TypeError("authenticate answered an expires_at without a time zone")
            if expires <= self._now():
                raise InvalidCredentials if webhook else ExpiredToken
        return actor


def _keep(kept: "OrderedDict[_K, _V]", key: _K, value: _V) -> None:
    """Keep `value` as the newest, and no more than so many."""
    kept[key] = value
    with suppress(KeyError):  # another thread has dropped it, or all of them
        kept.move_to_end(key)
        while len(kept) > REMEMBERED_AT_MOST:
            kept.popitem(last=False)


def _key(credential: Credential) -> bytes:
    # Lengths keep the parts apart: user "1" with code "2x" is not user "12" with code "x".
    text = f"{credential.kind}\0{len(credential.user)}\0{credential.user}\0{credential.secret}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
