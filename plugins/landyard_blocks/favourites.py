"""The store of blocks saved by users, found by the code `<block's code>@<id>`."""

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import (
    Text,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
)

from landyard import Call, Prepared
from landyard_blocks.tables import FAVOURITE
from landyard_content import files
from landyard_landing import errors, lengths
from landyard_landing.settings import BlockSettings

_MARK = "@"


class SavedBlock(Struct, frozen=True):
    """A saved block; without `sections` it is listed in the sections of its block type."""

    code: str
    name: str
    sections: list[str]
    preview_id: int | None
    template_code: str
    policy: int
    params: dict[str, Any]
    content: str

    @property
    def text(self) -> str:
        """The texts in which files may be mentioned."""
        return f"{self.content}{self.params}"


_FIELDS = SavedBlock.__struct_fields__
_ALL = select(FAVOURITE.id, *(FAVOURITE[name] for name in _FIELDS)).where(
    FAVOURITE.user_id == bindparam("user_id")
)
_LISTED = (literal("").label(name) if name == "content" else FAVOURITE[name] for name in _FIELDS)
_LIST = Prepared(
    select(FAVOURITE.id, *_LISTED)
    .where(FAVOURITE.user_id == bindparam("user_id"))
    .order_by(FAVOURITE.id)
)
_COUNTED = ("code", "name", "template_code", "content", "sections", "params")
_LENGTH = Prepared(
    select(func.count(), lengths.total_length(FAVOURITE[name] for name in _COUNTED)).where(
        FAVOURITE.user_id == bindparam("user_id")
    )
)
_FIND = Prepared(_ALL.where(FAVOURITE.id == bindparam("favourite_id")))
_ADD = Prepared(insert(FAVOURITE.id.table).returning(FAVOURITE.id), int)
_TEXTS = Prepared(
    select(FAVOURITE.content + cast(FAVOURITE.params, Text)),
    str,
)
_REMOVE = Prepared(
    delete(FAVOURITE.id.table).where(
        FAVOURITE.id == bindparam("favourite_id"), FAVOURITE.user_id == bindparam("user_id")
    )
)


def save_favourite(call: Call, saved: SavedBlock) -> int:
    """Save a block for the caller and return its id; raises `TooLarge` beyond the limits."""
    settings, length = call.settings(BlockSettings), len(msgspec.json.encode(saved))
    count, before = _LENGTH.all(call.connection, user_id=call.actor.user_id)[0]
    if count >= settings.page_blocks or before + length > settings.page_characters:
        raise errors.TooLarge("You have saved as many blocks as you may: remove some.")
    files.keep_files(call, saved.text)
    values = {name: getattr(saved, name) for name in SavedBlock.__struct_fields__}
    user_id = call.actor.user_id
    favourite_id = _ADD.first(call.connection, user_id=user_id, created_at=call.now(), **values)
    assert favourite_id is not None
    return favourite_id


def remove_favourite(call: Call, favourite_id: int) -> bool:
    """Remove a saved block of the caller; False if there is none with this id."""
    values = {"favourite_id": favourite_id, "user_id": call.actor.user_id}
    row = _FIND.first(call.connection, **values)
    if row is None:
        return False
    _REMOVE.run(call.connection, **values)
    saved = SavedBlock(*row[1:])
    if "/files/" in saved.text:
        files.release_files(call, saved.text, others=_TEXTS.all(call.connection))
    return True


def list_favourites(call: Call) -> dict[str, SavedBlock]:
    """Return the caller's saved blocks by their codes for addblock, without their HTML."""
    rows = _LIST.all(call.connection, user_id=call.actor.user_id)
    return {f"{row[1]}{_MARK}{row[0]}": SavedBlock(*row[1:]) for row in rows}


def find_favourite(call: Call, code: str) -> SavedBlock | None:
    """Return the caller's saved block with this code for addblock; else None."""
    own, mark, number = code.rpartition(_MARK)
    if not (mark and number.isascii() and number.isdecimal() and len(number) < len("2147483648")):
        return None
    values = {"favourite_id": int(number), "user_id": call.actor.user_id}
    row = _FIND.first(call.connection, **values)
    return SavedBlock(*row[1:]) if row is not None and row[1] == own else None
