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
