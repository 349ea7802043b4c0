"""The gate: who is let in, remembered for a moment."""

import hashlib
import time
from collections.abc import Callable

from landyard.calls import Actor, Credential
from landyard.errors import InvalidCredentials, InvalidToken, NoAuthFound

REMEMBERED_FOR = 0.5  # seconds; a revocation must be effective within one
REMEMBERED_AT_MOST = 4096

Ask = Callable[[Credential], Actor | None]


class Gate:
    """Answers who shows a credential, asking `ask` at most twice a second for each.

    Only those let in are remembered, under a digest: a refusal is always asked again, and no
    secret stays in memory.
    """

    def __init__(self, ask: Ask, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember nobody yet."""
        self._ask = ask
        self._clock = clock
        self._known: dict[bytes, tuple[float, Actor]] = {}

    def actor(self, credential: Credential | None) -> Actor:
        """Let somebody in, or raise `NoAuthFound`, `InvalidCredentials`, `InvalidToken`, …"""
        if credential is None or not credential.secret:
            raise NoAuthFound
        key = _key(credential)
        known = self._known.get(key)
        now = self._clock()
        if known is not None and now < known[0]:
            return known[1]
        actor = self._ask(credential)
        if actor is None:
            raise InvalidCredentials if credential.kind == "webhook" else InvalidToken
        if len(self._known) >= REMEMBERED_AT_MOST:
            self._known.clear()
        self._known[key] = (now + REMEMBERED_FOR, actor)
        return actor


def _key(credential: Credential) -> bytes:
    # Lengths keep the parts apart: user "1" with code "2x" is not user "12" with code "x".
    text = f"{credential.kind}\0{len(credential.user)}\0{credential.user}\0{credential.secret}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
