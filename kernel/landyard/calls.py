"""One call: who calls, what they ask, and what they are answered."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType

if TYPE_CHECKING:  # named as types only: the vocabulary runs without SQL and without the kernel
    from sqlalchemy import Connection
    from sqlmodel import Session

    from landyard.listing import Listing
    from landyard.store import Store, UnitOfWork

_S = TypeVar("_S", bound=Struct)
_T = TypeVar("_T")


class Credential(Struct, frozen=True):
    """What a caller shows to be let in: a webhook (user id and code) or an access token."""

    kind: Literal["webhook", "token"]
    secret: str
    user: str = ""

    def __repr__(self) -> str:
        """Leave the secret out: what has a repr ends up in a log some day."""
        return f"Credential(kind={self.kind!r}, user={self.user!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Leave it out of rich's tracebacks as well."""
        return [("kind", self.kind), ("user", self.user)]


class Actor(Struct, frozen=True):
    """Who is calling, once let in, and until when the credential is good.

    `credential` is a public id such as `webhook:3`.
    """

    user_id: int
    credential: str
    scopes: frozenset[str] = frozenset()
    name: str = ""
    admin: bool = False
    expires_at: datetime | None = None


class Request(Struct, frozen=True):
    """A call as it came off the wire, whatever form it had there, and the address it came from."""

    method: str
    params: Mapping[str, Any] = {}
    credential: Credential | None = None
    id: str = ""
    address: str = ""

    def __repr__(self) -> str:
        """Leave the parameters out: they may carry secrets and whole pages."""
        return f"Request(method={self.method!r}, id={self.id!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Leave them out of rich's tracebacks as well."""
        return [("method", self.method), ("id", self.id)]


class Timing(Struct, frozen=True):
    """When a call ran and what it cost (C12): numbers are seconds, dates are ISO 8601."""

    start: float
    finish: float
    duration: float
    processing: float
    date_start: str
    date_finish: str
    operating: float = 0.0
    operating_reset_at: float | UnsetType = UNSET


class Success(Struct, frozen=True):
    """The answer of a call that did its work. `result` is JSON already."""

    result: Raw
    time: Timing
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET

    status = 200


class Failure(Struct, frozen=True):
    """The answer of a call that failed; the caller sees `error` and `error_description`."""

    error: str
    error_description: str
    time: Timing
    status: int = 400
    retry_after: int | None = None


Reply = Success | Failure


class Paged(Struct, Generic[_T], frozen=True):
    """A handler's result that is one page of a longer list: `next` is the following offset (B3).

    Both numbers stay out of the answer when the list is complete.
    """

    items: list[_T]
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


class Trail:
    """What the audit tells of a call: what it was about, and whether its row is kept already."""

    __slots__ = ("_keep", "kept", "subject")

    def __init__(self, keep: "Callable[[Connection], object] | None") -> None:
        """Write the row with `keep`, in a transaction of the call; None: it leaves none."""
        self._keep = keep
        self.kept = False
        self.subject = ""

    def keep(self, connection: "Connection") -> None:
        """Write the row in this transaction, unless an earlier one of the call has it."""
        if self._keep is not None and not self.kept:
            self._keep(connection)


class Call:
    """What a handler is given: the caller, the request, a database session and a clock."""

    __slots__ = (
        *("_settings", "_store", "_trail", "_unit"),
        *("actor", "listing", "method", "now", "request"),
    )

    def __init__(
        self,
        request: Request,
        actor: Actor,
        *,
        method: str,
        unit: "UnitOfWork",
        store: "Store",
        settings: Mapping[type[Struct], Struct],
        listing: "Listing",
        now: Callable[[], datetime],
        trail: Trail,
    ) -> None:
        """Open nothing yet; `method` is the registered name, however the caller spelt it."""
        self.request = request
        self.actor = actor
        self.method = method
        self.listing = listing
        self.now = now
        self._unit = unit
        self._store = store
        self._settings = settings
        self._trail = trail

    def concerns(self, kind: str, row_id: int) -> None:
        """Say what the call is about, e.g. `page` and its id: the audit tells it."""
        self._trail.subject = f"{kind}:{row_id}"

    @property
    def connection(self) -> "Connection":
        """The connection of this call's one transaction, for Core statements: the fast way."""
        return self._unit.connection

    @property
    def session(self) -> "Session":
        """A session on the same transaction, for the ORM. All commits when the handler returns."""
        return self._unit.session

    def apart(self, work: "Callable[[Call], _T]", *, writes: bool = False) -> _T:
        """Do `work` in a transaction of its own, which is kept when it returns.

        For a method with long work between looking and writing, such as a download: with two of
        these around it nobody waits for it. Like a whole call, `work` may be run again. Raises
        `RuntimeError` once the call's own transaction has begun, which would wait for itself.
        """
        if self._unit.begun:
            raise RuntimeError("the call's own transaction is open: `apart` comes without it")

        def alone(unit: "UnitOfWork") -> _T:
            done = work(self._with(unit))
            if writes:
                self._trail.keep(unit.connection)
            return done

        result = self._store.run(alone, writes=writes)
        self._trail.kept = self._trail.kept or writes
        return result

    def _with(self, unit: "UnitOfWork") -> "Call":
        return Call(
            self.request,
            self.actor,
            method=self.method,
            unit=unit,
            store=self._store,
            settings=self._settings,
            listing=self.listing,
            now=self.now,
            trail=self._trail,
        )

    def when_kept(self, action: Callable[[], object]) -> None:
        """Do `action` once the call is committed: what no rollback takes back, a file's removal."""
        self._unit.when_kept(action)

    def when_undone(self, action: Callable[[], object]) -> None:
        """Do `action` if the call fails or is rerun: it takes back a file that was written."""
        self._unit.when_undone(action)

    def settings(self, section: type[_S]) -> _S:
        """Return settings by their type: a plugin's own, or the kernel's `Settings`."""
        found = self._settings[section]
        if not isinstance(found, section):  # pragma: no cover - the kernel fills the mapping
            raise TypeError(section)
        return found
