"""Ports: Protocols for what the core uses from storage and authentication; a call's deadline."""

import math
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from msgspec import Struct, field

from landyard.core.calls import Actor, Credential
from landyard.core.errors import DeadlineExceeded
from landyard.core.methods import Method
from landyard.core.timing import Operating

_T = TypeVar("_T")


class Deadline(Struct, eq=False):
    """The time limit of one call, on which the call's thread and its watcher agree, once.

    `ends_at` is a moment of `time.monotonic`, set when the work begins. `settled` counts the
    transactions whose writes stand. `expired`: the caller was told that the time is up. `doing`:
    the label of the work, or the method that it has invoked. `in_line`: seconds in which it waited
    for a turn, while others wrote.
    """

    seconds: float
    ends_at: float = math.inf
    in_line: float = 0.0
    settled: int = 0
    expired: bool = False
    doing: str = ""
    _lock: Any = field(default_factory=threading.Lock)

    def settle(self) -> None:
        """Decide that what the work wrote stands: the time limit does not apply from here on.

        Raises `DeadlineExceeded` when the caller was already told that the time is up.
        """
        with self._lock:
            if self.expired:
                raise DeadlineExceeded
            self.settled += 1

    def reopen(self) -> None:
        """Take one `settle` back: the commit did not happen, and the call runs again."""
        with self._lock:
            self.settled -= 1

    def expire(self) -> bool:
        """Decide that the time is up; False where the answer stands, or that was decided."""
        with self._lock:
            if self.settled or self.expired:
                return False
            self.expired = True
            return True


NO_DEADLINE = Deadline(math.inf)
"""A time limit that is never reached: of the command line, of tests."""


class UnitOfWork(Protocol):
    """One transaction, which begins when its connection or session is first asked for."""

    opened: Any  # its connection, or None before it begins

    @property
    def connection(self) -> Any: ...
    @property
    def session(self) -> Any: ...
    def savepoint(self) -> AbstractContextManager[None]: ...
    def on_commit(self, action: Callable[[], object]) -> None: ...
    def on_rollback(self, action: Callable[[], object]) -> None: ...


class Store(Protocol):
    """The database."""

    def run(
        self,
        work: Callable[[Any], _T],  # is given a UnitOfWork
        *,
        writes: bool,
        deadline: Deadline = NO_DEADLINE,
        label: str = "",
    ) -> _T:
        """Do `work` in a transaction of its own, again where the database asks for it.

        `label` names the work where it keeps others waiting. Raises `Busy`, `DeadlineExceeded`.
        """


class Authenticator(Protocol):
    """Finds out who calls."""

    def actor(self, credential: Credential | None, address: str = "") -> Actor:
        """Return the caller behind a credential, or raise `InvalidCredentials` and the like."""


class Breaker(Protocol):
    """The circuit breaker: it refuses methods whose calls hang, or end their process."""

    attentive: bool
    """Whether there is anything to refuse, or to be told of."""

    def admit(self, method: Method) -> None:
        """Let a call of `method` begin, or raise `OverloadLimit`."""

    def finished(self, method: Method) -> None:
        """Take note that a call of `method` has come to its end."""


class ParamsReader(Protocol):
    """Reads the parameters of one method."""

    def __call__(self, sent: Mapping[str, Any]) -> Struct:
        """Return the method's Struct, or raise `MissingParams`, `WrongType`, `InvalidRequest`."""

    def unknown(self, sent: Mapping[str, Any]) -> list[str]:
        """Name what was sent and is no parameter of the method."""


class Meter(Protocol):
    """Adds up what a method has cost a credential (C12)."""

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window of ten minutes now holds."""
