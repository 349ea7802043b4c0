"""`landyard.call.list` and `landyard.call.undo`: list calls that can be undone, and undo one."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import select

from landyard import (
    ADMIN,
    Call,
    Example,
    Irreversible,
    MethodGroup,
    MissingParams,
    Paged,
    WrongType,
    read_page,
)
from landyard_undo.errors import CallNotKept, UndoConflict, UndoNotPossible
from landyard_undo.journal import KEPT, Kept
from landyard_undo.tables import ENTRY
from landyard_undo.undoing import Undone, undo
from landyard_undo.watching import UNDO

calls = MethodGroup()


class ListCalls(Struct, frozen=True):
    """`start`: the offset of the first one to answer; `subject`: about it: `page:10`."""

    start: int = 0
    subject: str | None = None


class KeptCall(Struct, frozen=True):
    """A call that is kept: `id` is its `X-Request-Id`, `undone_by` that of the call that undid it.

    `undoes` are those that it has undone. `can_be_undone` is false where that is known before.
    """

    id: str
    at: datetime
    user: int
    credential: str
    method: str
    subject: str
    undoes: list[str]
    undone_by: str | None
    can_be_undone: bool


class UndoCall(Struct, frozen=True):
    """`id`: the `X-Request-Id` of a call's answer."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]


class UndoneCall(Struct, frozen=True):
    """`undone` is the id of the call that was undone, `id` that of this one, to be undone in turn.

    `changes` are the rows that were written.
    """

    id: str
    undone: str
    changes: list[Undone]


@calls.method(
    "landyard.call.list",
    right="the caller's own; with the scope admin an administrator's are all",
    errors=[WrongType],
    example=Example({}, result=[]),
)
def list_calls(call: Call, params: ListCalls) -> Paged[KeptCall]:
    """List the calls of which it is kept what they changed, the latest first.

    They are the caller's own. An administrator's credential with the scope `admin` is told all. At
    most 50 are answered; where more remain the envelope carries `next` and `total`. The commands of
    a batch are listed each, under one id.
    """
    query = select(*KEPT).where(ENTRY.request_id.is_not(None)).order_by(ENTRY.id.desc())
    if ADMIN not in call.actor.scopes:
        query = query.where(ENTRY.user_id == call.actor.user_id)
    if params.subject is not None:
        query = query.where(ENTRY.subject == params.subject)
    return read_page(
        call.connection, query, params.start, lambda row: _listed(call, Kept(**row._asdict()))
    )


@calls.method(
    UNDO,
    right="what the call needed; an administrator may undo the calls of others",
    writes=True,
    errors=[MissingParams, WrongType, CallNotKept, UndoNotPossible, UndoConflict],
    example=Example(
        {"id": "5f2c0a917b3e"},
        result={
            "id": "9c01d2e7a5b4",
            "undone": "5f2c0a917b3e",
            "changes": [{"table": "editing_favourite", "id": 1, "kind": "delete"}],
        },
    ),
)
def undo_call(call: Call, params: UndoCall) -> UndoneCall:
    """Undo a call that has written: all it changed is as it was before, or nothing is done.

    `id` is the `X-Request-Id` that the call was answered with; a batch is undone as one. Later
    changes in other rows, columns or nodes stay. Where the same place was changed since, the undo
    is refused, and `error_data` names the rows and the calls. An undo is a call itself: with the
    `id` that it answers it is undone in turn. Calls are kept for a number of days.
    """
    call.subject = f"request:{params.id}"
    changes = undo(call, params.id)
    return UndoneCall(call.request.id, params.id, changes)


def _listed(call: Call, kept: Kept) -> KeptCall:
    method = call.listing.find(kept.method)
    return KeptCall(
        kept.request_id,
        kept.at,
        kept.user_id,
        kept.credential,
        kept.method,
        kept.subject,
        [request_id for request_id, _ in kept.undone],
        kept.undone_by,
        method is not None and Irreversible not in method.notes and kept.undone_by is None,
    )
