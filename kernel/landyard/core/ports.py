"""Protocols that the core calls: transactions, sign-in, circuit breaker, parameters, metering."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from landyard.core.calls import Actor, Credential
from landyard.core.methods import Method
from landyard.core.timing import NO_DEADLINE, Deadline, Operating

_T = TypeVar("_T")


class UnitOfWork(Protocol):
    """A database transaction. It begins when `connection` or `session` is first read.

    `opened` is the connection in use, or None before the transaction has begun. `opened_session` is
    the session in use, or None before `session` was read.
    """

    opened: Any
    opened_session: Any

    @property
    def connection(self) -> Any:
        """The SQLAlchemy connection; the session's pending changes are flushed to it first."""

    @property
    def session(self) -> Any:
        """The SQLModel session in the same transaction."""

    def savepoint(self) -> AbstractContextManager[None]:
        """Return a context whose writes are rolled back if it ends with an exception."""

    def write(self, writes: Sequence[Any]) -> None:
        """Run prepared statements that write, each with its values, in any order."""

    def on_commit(self, action: Callable[[], object]) -> None:
        """Call `action` after the transaction was committed."""

    def on_rollback(self, action: Callable[[], object]) -> None:
        """Call `action` after the transaction was rolled back."""


class Store(Protocol):
    def run(
        self,
        work: Callable[[Any], _T],  # is given a UnitOfWork
        *,
        writes: bool,
        deadline: Deadline = NO_DEADLINE,
        label: str = "",
    ) -> _T:
        """Run `work` in a new transaction, commit it, and return its result.

        After a deadlock or a conflict with other transactions `work` runs again, so it must have no
        effect outside the database. `label` names it in the log, and where other calls wait for it.
        Raises `Busy` if the database stays locked for too long, and `DeadlineExceeded` if the call
        has run out of time; then nothing is committed.
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
