"""Ports: Protocols for what the core uses from storage, authentication and serving."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from landyard.core.calls import Actor, Credential
from landyard.core.methods import Method
from landyard.core.timing import NO_DEADLINE, Deadline, Operating

_T = TypeVar("_T")


class UnitOfWork(Protocol):
    """One transaction, which begins when its connection or session is first used.

    `opened` is its connection, None before it begins; `opened_session` is its session, None before
    one is used. The property `connection` writes what a session holds, and so do hooks see it.
    """

    opened: Any
    opened_session: Any

    @property
    def connection(self) -> Any: ...
    @property
    def session(self) -> Any: ...
    def savepoint(self) -> AbstractContextManager[None]: ...
    def write(self, writes: Sequence[Any]) -> None: ...
    def on_commit(self, action: Callable[[], object]) -> None: ...
    def on_rollback(self, action: Callable[[], object]) -> None: ...


class Store(Protocol):
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
    def actor(self, credential: Credential | None, address: str = "", wait: bool = True) -> Actor:
        """Return the caller behind a credential, or raise `InvalidCredentials` and the like."""


class Breaker(Protocol):
    """The circuit breaker: it refuses methods whose calls hang, or end their process."""

    attentive: bool
    """Whether there is anything to refuse, or to be told of."""

    def admit(self, method: Method, caller: str = "") -> None:
        """Let a call of `method` begin, or raise `OverloadLimit`; `caller` is a credential's id."""

    def finished(self, method: Method, caller: str = "") -> None:
        """Take note that a call of `method` has come to its end."""


class ParamsReader(Protocol):
    def __call__(self, sent: Mapping[str, Any]) -> Struct:
        """Return the method's Struct, or raise `MissingParams`, `WrongType`, `InvalidRequest`."""

    def unknown(self, sent: Mapping[str, Any]) -> list[str]:
        """Name what was sent and is no parameter of the method."""


class Meter(Protocol):
    """Adds up what a method has cost a credential (C12)."""

    def spend(self, credential: str, method: str, seconds: float) -> Operating:
        """Add `seconds` and answer what the window of ten minutes now holds."""
