"""`landing.landing.history.getList`, `undo`, `redo`: the edits of a page's draft (B14).

The names are Landyard's own, because the platform documents none.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec import UNSET, Struct, UnsetType, field
from sqlalchemy import Connection

from landyard import (
    Call,
    CallError,
    Example,
    MissingParams,
    NeededId,
    Paged,
    Settings,
    SystemFailure,
    Truthy,
    WrongType,
)
from landyard_blocks.edit_list import count_edits, recent_edits
from landyard_blocks.group import block_methods
from landyard_blocks.history_details import EditDetails, details_of
from landyard_content import history
from landyard_html.differences import Difference
from landyard_landing import errors, events, rights

PAGE_SIZE = 50
_FEW = 5  # so many edits are always read completely
_FARTHEST = 2**31 - 1 - PAGE_SIZE  # the largest offset that a database accepts
_ERRORS = (MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied, SystemFailure)


class HistoryRefused(CallError):
    code = "HISTORY_CONFLICT"
    text = "The block is gone, or was changed outside of the history; nothing was done."


class OfPage(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


class GetList(Struct, frozen=True):
    """`lid`: a page's id; `start`: the offset of the first entry to answer.

    `get_changes`: with a description of each change, for people.
    """

    page_id: NeededId = field(name="lid")
    start: int = 0
    get_changes: Truthy = False
    scope: str | None = None


class Entry(Struct, frozen=True):
    """An edit of a page's draft: time, user, method, and the changed parts of the block.

    `changed` lists columns such as `content`; or `block` if it was added or removed, or `after` if
    it was moved. `name` and `changes` come with `get_changes`: the block type's name, and the
    changed places in the HTML by their names in the manifest, with excerpts from before and after.
    Edits that add, remove, move, show or hide a block have no `changes`.
    """

    id: int
    block: int
    user: int
    date: str
    method: str
    changed: list[str]
    undone: bool
    name: str | UnsetType = UNSET
    changes: list[Difference] | UnsetType = UNSET


@block_methods.method(
    "landing.landing.history.getList",
    right="edit",
    errors=_ERRORS,
    example=Example({"lid": 10}, result=[]),
)
def get_list(call: Call, params: GetList) -> Paged[Entry]:
    """List the edits of a page's draft, the latest first.

    A method of Landyard's own. At most 50 are answered; if more remain, the envelope carries `next`
    and `total`. Edits sent with `preventHistory` are left out. Needs the right to edit.
    """
    page = rights.find_page(call, params.page_id, params.scope)
    page.require(rights.Right.EDIT)
    start = min(max(0, params.start), _FARTHEST)
    edits = recent_edits(call.connection, page.id, start, PAGE_SIZE + 1)
    zone = call.settings(Settings).zone
    page_edits = edits[:PAGE_SIZE]
    details = details_of(call, page_edits) if params.get_changes else [None] * len(page_edits)
    entries = [
        _entry(edit, edit.at.astimezone(zone), detail)
        for edit, detail in zip(page_edits, details, strict=True)
    ]
    # A shorter list is the end of the history, or stops early because the edits are long.
    total = count_edits(call.connection, page.id) if len(edits) > _FEW else 0
    following = start + len(page_edits)
    return Paged(entries, following, total) if following < total else Paged(entries)


@block_methods.method(
    "landing.landing.history.undo",
    right="edit",
    writes=True,
    errors=[*_ERRORS, HistoryRefused],
    example=Example({"lid": 10}, result=None),
)
def undo_edit(call: Call, params: OfPage) -> int | None:
    """Undo the last edit of a page's draft, and answer its id, or null if there is none.

    A method of Landyard's own. Refused if it would lose a change made outside of the history. Needs
    the right to edit.
    """
    return _step(call, params, history.undo)


@block_methods.method(
    "landing.landing.history.redo",
    right="edit",
    writes=True,
    errors=[*_ERRORS, HistoryRefused],
    example=Example({"lid": 10}, result=None),
)
def redo_edit(call: Call, params: OfPage) -> int | None:
    """Redo the edit that was undone last, and answer its id, or null if there is none.

    A method of Landyard's own. After a new edit there is nothing to redo. Refused if it would lose
    a change made outside of the history. Needs the right to edit.
    """
    return _step(call, params, history.redo)


def _step(
    call: Call,
    params: OfPage,
    step: Callable[[Connection, int, datetime, int], history.Edit | None],
) -> int | None:
    page = rights.hold_page(call, params.page_id, params.scope, rights.Right.EDIT)
    try:
        edit = step(call.connection, page.id, call.now(), call.actor.user_id)
    except history.HistoryConflict as conflict:
        raise HistoryRefused(f"Nothing was done: {conflict}.") from conflict
    if edit is None:
        return None
    events.announce_edit(call, page.id, edit.block_id)
    return edit.id


def _entry(edit: history.Edit, at: datetime, details: EditDetails | None) -> Entry:
    return Entry(
        edit.id,
        edit.block_id,
        edit.user_id,
        at.isoformat(timespec="seconds"),
        edit.method,
        sorted({*edit.before, *edit.after}),
        edit.undone,
        details.name if details else UNSET,
        details.changes if details else UNSET,
    )
