"""The data of a call: credential, actor, request, a handler's result, and the reply."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard.core.timing import Timing

_T = TypeVar("_T")
ADMIN = "admin"
"""The scope of methods for administrators alone."""
MEDIA_TYPE = re.compile(r"[\w.+*-]+/[\w.+*-]+(;[ -~]+)?", re.ASCII)


class Credential(Struct, frozen=True):
    """A caller shows it to be let in: a webhook (user id and code) or an access token."""

    kind: Literal["webhook", "token"]
    secret: str
    user: str = ""

    def __repr__(self) -> str:
        """Leave the secret out: what has a repr ends up in a log some day."""
        return f"Credential(kind={self.kind!r}, user={self.user!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("kind", self.kind), ("user", self.user)]


class Actor(Struct, frozen=True):
    """The caller, once let in, and the time until which the credential is good.

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
    """A call as a caller sent it, and the address that it came from.

    `traceparent` is the header of this name, as it was sent: any text, or none. `options` are the
    values of call options by name; plugins handle them in the hook `begin_call`.
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


class CallOption(Struct, frozen=True):
    """An option that a caller may set on a call of any method, beside its parameters.

    It is sent as a parameter of this `name`, or as a `header` of the same name with dashes. A
    `flag` is on or off: one that is sent as off counts as not sent, one without a value is on, and
    one that is sent twice with different values is refused. A call with an option that `rolls_back`
    runs in one transaction, which the plugin rolls back. `answers` are the keys that the option
    adds to the answer.
    """

    name: str
    header: bytes = b""
    flag: bool = False
    rolls_back: bool = False
    answers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.header:
            header = self.name.replace("_", "-").lower().encode()
            msgspec.structs.force_setattr(self, "header", header)


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
    """The answer of a call that succeeded. `result` is encoded as JSON, unless it is a file.

    `warnings` are sent in a header. `more` are the answer's keys that call options add.
    """

    result: Raw | Download | NoContent
    time: Timing
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET
    more: Mapping[str, Any] | UnsetType = UNSET

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
"""The outcome of a call, as its caller is told."""


class Paged(Struct, Generic[_T], frozen=True):
    """A handler's result that is one page of a longer list: `next` is the following offset (B3).

    Both numbers stay out of the answer when the list is complete.
    """

    items: list[_T]
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


class Result(Struct, frozen=True):
    """A handler's result as it is sent, with the numbers of a page.

    `more` are the answer's keys that call options add.
    """

    body: Raw | Download | NoContent
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    more: Mapping[str, Any] | UnsetType = UNSET
