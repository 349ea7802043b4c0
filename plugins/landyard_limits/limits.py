"""The hooks that refuse calls over a limit, and the section `[limits]` of the settings."""

import functools
import hashlib
import ipaddress
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import structlog
from msgspec import Meta, Struct

from landyard import (
    Actor,
    CallError,
    Credential,
    ExpiredToken,
    Method,
    OperationTimeLimit,
    Postponed,
    QueryLimitExceeded,
    UserAccessError,
    hookimpl,
)
from landyard_limits.counters import Bucket, Counters

SLOWED = 2.0  # seconds that a guess waits after too many wrong credentials of one user
_AT_ONCE = 256  # the most guesses waiting in a worker; further ones wait for a place

log = structlog.get_logger()


class LimitSettings(Struct, frozen=True):
    """The settings in section `[limits]`: limits for one caller; 0 is no limit.

    `burst`: calls that a credential may make at once, and `per_second` further calls each second
    (`QUERY_LIMIT_EXCEEDED`). `operating_seconds`: the time that a method may work for a credential
    in ten minutes (`OPERATION_TIME_LIMIT`). `wrong_credentials`: the number that an address may
    send in a minute. After that its calls are refused without checking their credentials, except
    recently verified ones. Each user may get as many from all addresses in a minute; every further
    one waits for two seconds, and none is refused.
    """

    burst: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    per_second: Annotated[float, Meta(gt=0)] = 2.0
    operating_seconds: Annotated[float, Meta(ge=0)] = 0.0
    wrong_credentials: Annotated[int, Meta(ge=0, le=1_000_000)] = 60


class Guesses:
    """Refuses addresses that send too many wrong credentials, and slows guessing for a user.

    If counting fails, nothing is refused.
    """

    def __init__(self, settings: LimitSettings, counters: Counters) -> None:
        """Count nothing yet; limits that are off do not touch the counters."""
        self.counters = counters
        self._guesses = Bucket(settings.wrong_credentials, settings.wrong_credentials / 60)
        self._due: dict[bytes, float] = {}  # the time to check a waiting guess, by its digest

    @hookimpl
    @contextmanager
    def guard_authentication(self, address: str, credential: Credential) -> Iterator[None]:
        """Guard the look-up of a credential; raises `QueryLimitExceeded` and `Postponed`.

        A credential counts as wrong until it is found, so that parallel requests cannot evade the
        limit.
        """
        if not self._guesses.size or not address:
            yield
            return
        poured, guesses = [f"wrong:{network(address)}"], self._guesses
        limit = functools.partial(
            _limit, QueryLimitExceeded, "Too many wrong credentials from your address"
        )
        limit(lambda: self.counters.pour(poured[0], guesses))
        wrong = False
        try:
            poured += self._slow_down(credential)
            yield
        except CallError as error:
            # An expired token, or one of a refused user, proves a known secret, so it is no guess.
            # Without a database nothing is known.
            wrong = not isinstance(error, ExpiredToken | UserAccessError) and error.status < 500
            raise
        finally:
            if not wrong:
                for key in poured:
                    limit(functools.partial(self.counters.take_back, key, guesses))

    def _slow_down(self, credential: Credential) -> list[str]:
        """Count a guess at a user's credentials, or let it wait by raising `Postponed`.

        Tokens name no user, so they are counted together. A guess that has waited is checked, so a
        right credential works however many others are guessing.
        """
        guess = f"{credential.user}\0{credential.secret}"
        digest, now = (
            hashlib.sha256(guess.encode("utf-8", "surrogatepass")).digest(),
            time.monotonic(),
        )
        due = self._due.get(digest)
        if due is not None and due <= now:
            self._due.pop(digest, None)
            return []
        if due is None:
            key = f"guessed:{credential.user[:20]}"
            if not _seconds(lambda: self.counters.pour(key, self._guesses)):
                return [key]
            if len(self._due) >= _AT_ONCE:  # some of them never return
                self._due = {each: at for each, at in list(self._due.items()) if now < at + SLOWED}
            if len(self._due) < _AT_ONCE:
                self._due[digest] = due = now + SLOWED
        raise Postponed(SLOWED if due is None else due - now)

    def close(self) -> None:
        """Close the counters."""
        self.counters.close()


class Limits(Guesses):
    """Refuses calls over the other limits, too; a hook of every call, so used only if needed."""

    def __init__(self, settings: LimitSettings, counters: Counters) -> None:
        """Count nothing yet."""
        super().__init__(settings, counters)
        self._calls = Bucket(settings.burst, settings.per_second)
        self._budget = settings.operating_seconds

    @hookimpl
    def register_meter(self) -> Counters | None:
        """Share operating seconds between workers if there is a budget; else None."""
        return self.counters if self._budget else None

    @hookimpl
    def before_call(self, actor: Actor, method: Method | None) -> None:
        """Raise `QueryLimitExceeded` or `OperationTimeLimit` for a call beyond the limits."""
        who, calls, budget = actor.credential, self._calls, self._budget
        if calls.size:
            limit = functools.partial(_limit, QueryLimitExceeded, "Too many requests")
            limit(lambda: self.counters.pour(f"calls:{who}", calls))
        if budget and method is not None:
            name = method.name
            worked = f"This method has worked for you for {budget:g} seconds in ten minutes"
            _limit(OperationTimeLimit, worked, lambda: self.counters.wait(who, name, budget))


def limits(settings: LimitSettings, counters: Counters) -> Guesses:
    """Return the object with the hooks that the settings need."""
    kind = Limits if settings.burst or settings.operating_seconds else Guesses
    return kind(settings, counters)


def _limit(refusal: Callable[..., CallError], why: str, count: Callable[[], int]) -> None:
    """Raise `refusal` if `count` returns seconds to wait; ignore a failure of `count`."""
    if wait := _seconds(count):
        raise refusal(f"{why}; try again in {wait} seconds.", retry_after=wait)


def _seconds(count: Callable[[], int]) -> int:
    try:
        return count()
    except Exception as error:  # noqa: BLE001 - a failure of counting must not stop calls
        log.warning("counting_failed", error=type(error).__name__)
        return 0


def network(address: str) -> str:
    """Return the network for counting wrong credentials: an IPv4 address, or an IPv6 /64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(parsed.ipv4_mapped or ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))
    return str(parsed)
