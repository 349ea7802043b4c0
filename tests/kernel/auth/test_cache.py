"""The credential cache: whom it remembers, for how long, and the uses that it records."""

import sys
import threading
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from unittest.mock import MagicMock

import pytest

from landyard import Actor, CallError, Credential
from landyard.auth import cache
from landyard.auth.cache import REMEMBERED_FOR, AskPlugins, CredentialCache
from landyard.core.errors import ExpiredToken, InvalidCredentials, UserAccessError

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nobody_in_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "look_up", lambda *_: None)


def cache_of(ask: AskPlugins, **more: Any) -> CredentialCache:
    """A cache in front of the answers of plugins."""
    store = MagicMock()
    return CredentialCache(store, ask, **more)


class Door:
    """A cache in front of a list of known credentials, with adjustable clocks."""

    def __init__(self) -> None:
        self.time = 0.0
        self.now = NOW
        self.listed: dict[str, Actor | Exception] = {}
        self.asked: list[str] = []
        self.stops = False
        self.cache = cache_of(
            self._ask, guard=self._guess, now=lambda: self.now, clock=lambda: self.time
        )

    def _ask(self, credential: Credential, *_: object) -> Actor | None:
        self.asked.append(credential.secret)
        answer = self.listed.get(credential.secret)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def let_in(self, secret: str, expires_at: datetime | None = None) -> Actor:
        """Put a credential on the list, and have it accepted."""
        actor = Actor(1, f"webhook:{len(self.listed)}", expires_at=expires_at)
        self.listed[secret] = actor
        return self.cache.actor(shown(secret))

    def knows(self, secret: str, user: str = "1") -> bool:
        """Tell whether the cache treats this credential as one that it accepted before."""
        with suppress(RuntimeError):
            try:
                self.stops = True
                self.cache.actor(shown(secret, user))
            except Stopped:
                return False
            finally:
                self.stops = False
        return True

    def _guess(self, *_: object) -> AbstractContextManager[None]:
        return Stops() if self.stops else nullcontext()


class Stopped(Exception):
    """A cache that looks nobody up."""


class Stops(AbstractContextManager[None]):
    def __enter__(self) -> None:
        raise Stopped

    def __exit__(self, *_: object) -> None:
        """Do nothing: the block is never entered."""


@pytest.fixture
def door() -> Door:
    return Door()


def shown(
    secret: str, user: str = "1", kind: Literal["webhook", "token"] = "webhook"
) -> Credential:
    return Credential(kind, secret, user)


def test_an_accepted_credential_is_not_looked_up_again_for_half_a_second(door: Door) -> None:
    first = door.let_in("ann")
    door.time = REMEMBERED_FOR - 0.01

    assert door.cache.actor(shown("ann")) is first
    assert door.asked == ["ann"]
    door.time = REMEMBERED_FOR
    door.cache.actor(shown("ann"))
    assert door.asked == ["ann", "ann"]
    assert REMEMBERED_FOR <= 0.5


@pytest.mark.rule("C13")
def test_C13_no_credential_is_remembered_beyond_its_expiry(door: Door) -> None:
    door.let_in("ann", NOW + timedelta(seconds=0.1))
    door.now = NOW + timedelta(seconds=0.1)

    with pytest.raises(InvalidCredentials):
        door.cache.actor(shown("ann"))

    assert door.asked == ["ann", "ann"]


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    ("kind", "refusal"), [("webhook", InvalidCredentials), ("token", ExpiredToken)]
)
def test_C13_no_credential_is_accepted_beyond_the_answered_expiry(
    door: Door, kind: Any, refusal: type[CallError]
) -> None:
    door.listed["ann"] = Actor(1, "sso:1", expires_at=NOW)

    with pytest.raises(refusal):
        door.cache.actor(shown("ann", kind=kind))

    assert door.cache.take_used() == {}
    door.now = NOW - timedelta(microseconds=1)
    assert door.cache.actor(shown("ann", kind=kind)).credential == "sso:1"


def test_a_refusal_is_never_remembered(door: Door) -> None:
    with pytest.raises(InvalidCredentials):
        door.cache.actor(shown("ann"))

    door.let_in("ann")

    assert door.asked == ["ann", "ann"]


def test_an_accepted_credential_stays_known_however_long_ago_it_was(door: Door) -> None:
    door.let_in("ann")
    door.time = 3600.0

    assert door.knows("ann")
    assert not door.knows("ann", user="2")
    assert not door.knows("ben")


@pytest.mark.parametrize("refusal", [None, UserAccessError()])
def test_a_credential_refused_since_is_not_known(door: Door, refusal: Any) -> None:
    door.let_in("ann")
    door.time = REMEMBERED_FOR
    door.listed["ann"] = refusal
    with pytest.raises(CallError):
        door.cache.actor(shown("ann"))

    assert not door.knows("ann")


def test_a_failing_database_makes_no_credential_unknown(door: Door) -> None:
    door.let_in("ann")
    door.time = REMEMBERED_FOR
    door.listed["ann"] = RuntimeError("down")
    with pytest.raises(RuntimeError):
        door.cache.actor(shown("ann"))

    assert door.knows("ann")


def test_the_longest_unused_are_forgotten_first(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "REMEMBERED_AT_MOST", 3)
    for name in ("ann", "ben", "cid"):
        door.let_in(name)
    door.time = REMEMBERED_FOR
    door.cache.actor(shown("ann"))
    door.let_in("dan")

    remembered = [name for name in ("ann", "ben", "cid", "dan") if door.knows(name)]
    assert remembered == ["ann", "cid", "dan"]


def test_uses_are_reported_once(door: Door) -> None:
    door.let_in("ann")
    door.now = NOW + timedelta(minutes=1)
    door.let_in("ben")
    with pytest.raises(InvalidCredentials):
        door.cache.actor(shown("cid"))

    assert door.cache.take_used() == {"webhook:0": NOW, "webhook:1": NOW + timedelta(minutes=1)}
    assert door.cache.take_used() == {}


def test_threads_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "REMEMBERED_AT_MOST", 4)
    refused = {"3", "7"}
    recorded: list[str] = []
    failures: list[Exception] = []

    def ask(credential: Credential, *_: object) -> Actor | None:
        recorded.append(credential.secret)
        # Every other lookup is refused; a refusal drops the credential that another thread
        # accepted.
        if credential.secret in refused and len(recorded) % 2:
            return None
        return Actor(1, f"webhook:{credential.secret}")

    cached = cache_of(ask, clock=iter(range(10**9)).__next__)

    def work(first: int) -> None:
        try:
            for turn in range(2000):
                credential = shown(str((first + turn) % 10))
                try:
                    cached.actor(credential)
                except InvalidCredentials:
                    assert credential.secret in refused
                if turn % 10 == 0:
                    cached.take_used()
        except Exception as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(first,)) for first in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert failures == []
    assert len(recorded) == 12000
