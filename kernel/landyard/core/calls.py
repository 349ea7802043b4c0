"""The types of a call: credential, actor, request, reply, and the `Call` a handler is given."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard.core.timing import Timing

if TYPE_CHECKING:  # for annotations: the core imports no SQLAlchemy at run time
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection
    from sqlmodel import Session

    from landyard.core.dispatch import Running
    from landyard.core.hooks import Event
    from landyard.core.methods import MethodTable
    from landyard.core.ports import UnitOfWork

_S = TypeVar("_S", bound=Struct)
_T = TypeVar("_T")
ADMIN = "admin"
"""The scope of methods for administrators alone."""
MEDIA_TYPE = re.compile(r"[\w.+*-]+/[\w.+*-]+(;[ -~]+)?", re.ASCII)


class Credential(Struct, frozen=True):
    """What a caller shows to be let in: a webhook (user id and code) or an access token."""

    kind: Literal["webhook", "token"]
    secret: str
    user: str = ""

    def __repr__(self) -> str:
        """Leave the secret out: what has a repr ends up in a log some day."""
        return f"Credential(kind={self.kind!r}, user={self.user!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("kind", self.kind), ("user", self.user)]


class Actor(Struct, frozen=True):
    """Who is calling, once let in, and until when the credential is good.

    `credential` is a public id such as `webhook:3`. The scope `admin` is an administrator's alone:
    it is taken off anybody else, whatever the credential says.
    """

    user_id: int
    credential: str
    scopes: frozenset[str] = frozenset()
    name: str = ""
    admin: bool = False
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        if ADMIN in self.scopes and not self.admin:
            msgspec.structs.force_setattr(self, "scopes", self.scopes - {ADMIN})


class Request(Struct, frozen=True):
    """A call as it came off the wire, whatever form it had there, and the address it came from.

    `traceparent` is the header of this name, as it was sent: anything, or empty. The
    hook `begin_call` sees to `options`, which may be asked of any method.
    """

    method: str
    params: Mapping[str, Any] = {}
    credential: Credential | None = None
    id: str = ""
    address: str = ""
    traceparent: str = ""
    options: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        """Leave the parameters out: they may carry secrets and whole pages."""
        return f"Request(method={self.method!r}, id={self.id!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("method", self.method), ("id", self.id)]


class Download(Struct, frozen=True):
    """A handler's result that is a file, which is saved as `name`, whatever its characters.

    `content` is bytes; or the path of a file, or pieces, which come behind the commit, while they
    are sent: each in a thread and within the method's time limit. Where one fails the connection
    is broken off. The `media_type` is the method's own where none is given.
    """

    content: bytes | Path | Iterable[bytes]
    name: str = ""
    media_type: str = ""

    def __post_init__(self) -> None:
        if self.media_type and not MEDIA_TYPE.fullmatch(self.media_type):
            raise ValueError(f"{self.media_type!r:.80} is no media type")


class NoContent(Struct, frozen=True):
    """A handler's result that is nothing: the answer is 204, without a body."""


class Success(Struct, frozen=True):
    """The answer of a call that did its work. `result` is JSON already, if it is to be."""

    result: Raw | Download | NoContent
    time: Timing
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET  # in a header, not in the body
    dry_run: bool | UnsetType = UNSET
    changes: Raw | UnsetType = UNSET

    status = 200


class Failure(Struct, frozen=True):
    """The answer of a call that failed: `error`, `error_description`, and what more there is.

    `data` is answered as `error_data`; `argument` names the parameter that was wrong.
    """

    error: str
    error_description: str
    time: Timing
    status: int = 400
    retry_after: int | None = None
    data: bytes | None = None
    argument: str | None = None


Reply = Success | Failure
"""What became of a call, as its caller is told."""


class Paged(Struct, Generic[_T], frozen=True):
    """A handler's result that is one page of a longer list: `next` is the following offset (B3).

    Both numbers stay out of the answer when the list is complete.
    """

    items: list[_T]
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


class Result(Struct, frozen=True):
    """A handler's result as it is sent, with the numbers of a page; or what a dry run found."""

    body: Raw | Download | NoContent
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    dry_run: bool | UnsetType = UNSET
    changes: Raw | UnsetType = UNSET


def encoded(result: object, media_type: str) -> Result:
    """Write a handler's result as JSON, or see that its file is there.

    `media_type` is that of a file that says none. Raises what msgspec does for a result that cannot
    be written, and `OSError`.
    """
    if isinstance(result, Paged):
        return Result(Raw(msgspec.json.encode(result.items)), result.next, result.total)
    if isinstance(result, Download):
        if isinstance(result.content, Path):
            result.content.open("rb").close()
        return Result(msgspec.structs.replace(result, media_type=result.media_type or media_type))
    return Result(result if isinstance(result, NoContent) else Raw(msgspec.json.encode(result)))


class Call:
    """What a handler is given: the caller, the request, a database session and a clock."""

    __slots__ = ("_now", "_running", "_unit", "actor", "method", "request", "subscribers")

    def __init__(self, running: "Running", unit: "UnitOfWork") -> None:
        """Open nothing yet; `method` is the registered name, however the caller spelt it.

        Where there are no `subscribers` at all nothing need be published.
        """
        assert running.actor is not None
        assert running.method is not None
        self.request = running.request
        self.actor: Actor = running.actor
        self.method = running.method.name
        self.subscribers = running.registry.subscribers
        self._running = running
        self._unit = unit
        self._now: datetime | None = None

    @property
    def listing(self) -> "MethodTable":
        """The methods that are on."""
        return self._running.registry.methods

    def now(self) -> datetime:
        """Return the moment of this transaction, aware of its time zone: of its first question."""
        self._now = self._now or self._running.dispatcher.now()
        return self._now

    @property
    def dry_run(self) -> bool:
        """Whether nothing will be kept: then leave alone what no transaction takes back."""
        return self._running.dry

    @property
    def subject(self) -> str:
        """What the call is about, e.g. `page:10`: hooks such as the audit's tell it."""
        return self._running.subject

    @subject.setter
    def subject(self, subject: str) -> None:
        self._running.subject = subject

    def warn(self, text: str) -> None:
        """Tell the caller in the header `Landyard-Warning` of an answer that is no error."""
        self._running.warnings[text] = None

    @property
    def connection(self) -> "Connection":
        """The connection of this call's one transaction, for Core statements: the fast way."""
        unit = self._unit
        connection: Connection = unit.opened or unit.connection
        return connection

    @property
    def session(self) -> "Session":
        """A session on the same transaction, for the ORM. All commits when the handler returns."""
        session: Session = self._unit.session
        return session

    def transaction(self, work: "Callable[[Call], _T]", *, writes: bool = False) -> _T:
        """Do `work` in a transaction of its own, which is kept when it returns.

        For a method with long work between looking and writing, such as a download: with two of
        these around it nobody waits for it. Like a whole call, `work` may be run again. Raises
        `RuntimeError` once the call's own transaction has begun, which would wait for itself.
        """
        if self._unit.opened is not None:
            raise RuntimeError("the call's own transaction is open: `transaction` makes another")
        return self._running.dispatcher.transact(self._running, work, writes=writes)

    def look(self, work: "Callable[[Call], _T]") -> _T:
        """Do `work`, which only reads, before the call's own transaction begins.

        For a method that writes and has long work of its own to do first: it asks for rights here,
        and others do not wait for it. Where the transaction has begun, as in a batch of one
        transaction, it is done in that.
        """
        return work(self) if self._unit.opened is not None else self.transaction(work)

    def invoke(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Call another method for the same caller, in this transaction; returns its result.

        Scope, rights and hooks are asked again, and it counts as a call. What it refuses is raised
        as a `CallError`; what it wrote is then undone, and this call may go on. Raises
        `RuntimeError` where a method that reads invokes one that writes.
        """
        return self._running.dispatcher.invoke(self._running, self._unit, method, params or {})

    def ask(self, method: str, params: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        """Call another method as `invoke` does; returns its reply, also that of a failure."""
        return self._running.dispatcher.ask(self._running, self._unit, method, params or {}, **more)

    def guess(self, secret: Credential) -> "AbstractContextManager[None]":
        """Surround a look at a secret that was sent: it counts as a credential of its user does.

        A `CallError` that leaves it says that the secret was wrong. Raises `QueryLimitExceeded`
        where there were too many.
        """
        running = self._running
        return running.dispatcher.hooks.guess(running.registry, self.request.address, secret)

    def publish(self, event: "Event") -> None:
        """Tell the subscribers of `event`, in this transaction; one that fails refuses the call."""
        self._running.dispatcher.hooks.publish(self._running.registry, self, event)

    def on_commit(self, action: Callable[[], object]) -> None:
        """Do `action` once the call is committed: what no rollback takes back, a file's removal."""
        self._unit.on_commit(action)

    def on_rollback(self, action: Callable[[], object]) -> None:
        """Do `action` if the call fails or is rerun: it takes back a file that was written."""
        self._unit.on_rollback(action)

    def records(self, kind: type[_T]) -> Mapping[str, _T]:
        """Return what plugins bring of a type of `Record`, by key, those of the first one first."""
        return self._running.registry.records.get(kind, {})

    def settings(self, section: type[_S]) -> _S:
        """Return settings by their type: a plugin's own, or the kernel's `Settings`."""
        found: _S = self._running.registry.settings[section]
        return found

    def kept(self, kind: type[_T]) -> _T:
        """Return what a plugin's `register_hooks` answered, by its type; or `LookupError`."""
        for each in self._running.registry.kept:
            if isinstance(each, kind):
                return each
        raise LookupError(f"no plugin that is on keeps a {kind.__name__}")
