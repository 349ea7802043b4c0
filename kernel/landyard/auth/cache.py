"""Finds the user behind a credential, and caches accepted credentials for half a second."""

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from landyard.auth.credentials import look_up, mistyped
from landyard.core import errors
from landyard.core.calls import Actor, Credential
from landyard.core.timing import utc_now
from landyard.logs import hidden
from landyard.storage.store import Store, UnitOfWork

REMEMBERED_FOR = 0.5  # seconds; a revocation must be effective within one
REMEMBERED_AT_MOST = 4096

AskPlugins = Callable[[Credential, UnitOfWork, datetime], Actor | None]
Guard = Callable[[str, Credential], AbstractContextManager[None]]


class CredentialCache(Struct, eq=False):
    """Finds the actor behind a credential; an accepted one is looked up twice a second at most.

    Only accepted credentials are remembered, by their digest. Every refused one is looked up
    again, and no secret stays in memory. `ask_plugins` is called for credentials that the database
    does not accept. `guard(address, credential)` surrounds the look-up of one that is not
    remembered; limits count wrong ones there. `now` is the time that expiry is compared with.
    """

    store: Store
    ask_plugins: AskPlugins
    guard: Guard = lambda _address, _credential: nullcontext()
    now: Callable[[], datetime] = utc_now
    clock: Callable[[], float] = time.monotonic
    _changing: Any = field(default_factory=threading.Lock)
    _accepted: dict[bytes, tuple[Actor, float]] = {}  # and until when it is; the latest last
    _used: dict[str, datetime] = {}
    __repr__ = object.__repr__  # settings and what was sent have no business in a log

    def actor(self, credential: Credential | None, address: str = "", wait: bool = True) -> Actor:
        """Return whose credential this is, or raise `NoAuthFound`, `InvalidCredentials`, …

        An expired one is refused, whichever plugin accepts it (C13): a token with `ExpiredToken`,
        a webhook like a wrong one. From here on the secret is blanked in this thread's log. One
        that has to be looked up is `Postponed` where nobody can `wait`.
        """
        if credential is None or not credential.secret:
            raise errors.NoAuthFound
        key = _key(credential)
        actor, remembered_until = self._accepted.get(key, (None, 0.0))
        until = actor.expires_at if actor else None
        expired = until is not None and until <= self.now()
        if actor is None or expired or remembered_until <= self.clock():
            if not wait:
                raise errors.Postponed(0.0)
            guard = self.guard(address, credential) if actor is None else nullcontext()
            actor = self._renew(key, credential, guard)
        hidden.set((credential.secret, True))
        return actor

    def forget(self) -> None:
        """Look every credential up again: the plugins that answer for some have changed."""
        with self._changing:
            self._accepted.clear()

    def take_used(self) -> dict[str, datetime]:
        """Return when each credential was last looked up and accepted, since the last time."""
        with self._changing:
            used, self._used = self._used, {}
        return used

    def _renew(
        self, key: bytes, credential: Credential, guard: AbstractContextManager[None]
    ) -> Actor:
        asked_at = self.clock()
        try:
            with guard:
                actor = self._looked_up(credential)
        except errors.CallError:
            with self._changing:
                self._accepted.pop(key, None)
            raise
        with self._changing:
            self._accepted.pop(key, None)
            self._accepted[key] = actor, asked_at + REMEMBERED_FOR
            if len(self._accepted) > REMEMBERED_AT_MOST:
                del self._accepted[next(iter(self._accepted))]
            self._used[actor.credential] = self.now()
        return actor

    def _looked_up(self, credential: Credential) -> Actor:
        webhook = credential.kind == "webhook"
        wrong = errors.InvalidCredentials if webhook else errors.InvalidToken
        if mistyped(credential.secret):  # a typo costs the database nothing
            raise wrong
        now = self.now()
        with self.store.unit(writes=False) as unit:
            actor = look_up(credential, unit, now)
            actor = actor or self.ask_plugins(credential, unit, now)
        if actor is None:
            raise wrong
        if actor.expires_at is not None and actor.expires_at <= now:
            raise wrong if webhook else errors.ExpiredToken
        return actor


def _key(credential: Credential) -> bytes:
    # Lengths keep the parts apart: user "1" with code "2x" is not user "12" with code "x".
    text = f"{credential.kind}\0{len(credential.user)}\0{credential.user}\0{credential.secret}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
