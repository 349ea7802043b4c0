"""`landyard.page.history`: lists the edits of a page's draft (B14)."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from landyard import Call, Example, MissingParams, NeededId, Paged, WrongType, read_page
from landyard_content import history
from landyard_landing import errors, tables
from landyard_sitekit.history_texts import changes
from landyard_sitekit.operator.group import admin


class OfPage(Struct, frozen=True):
    """`id`: the id of a page, even in the trash; `start`: the offset of the first entry."""

    id: NeededId
    start: int = 0


class EditLine(Struct, frozen=True):
    """An edit: its moment, user, method and block, and short texts of its changes.

    `undone` while the edit is undone.
    """

    id: int
    at: datetime
    user_id: int
    method: str
    block_id: int
    changed: list[str]
    undone: bool


@admin.method(
    "landyard.page.history",
    right="administrator",
    errors=[MissingParams, WrongType, errors.LandingNotExist],
    example=Example({"id": 10}, result=[]),
)
def show_history(call: Call, params: OfPage) -> Paged[EditLine]:
    """List the edits of a page's draft, the latest first, with the changes of each.

    Edits that were sent with `preventHistory` are left out. At most 50 are answered; where more
    remain the envelope carries `next` and `total`.
    """
    if call.connection.scalar(select(tables.PAGE.id).where(tables.PAGE.id == params.id)) is None:
        raise errors.LandingNotExist("There is no such page.")
    return read_page(call.connection, history.edits_of(params.id), params.start, _line)


def _line(row: Any) -> EditLine:
    edit = history.Edit.of(*row)
    columns = (edit.id, edit.at, edit.user_id, edit.method, edit.block_id)
    return EditLine(*columns, list(changes(edit)), edit.undone)
