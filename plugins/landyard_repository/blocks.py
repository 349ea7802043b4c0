"""Registered blocks: kept, given to the block types that pages are made of, and removed."""

from collections.abc import Mapping
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
    select,
    update,
)

from landyard import Call, Prepared
from landyard_landing import (
    AccessDenied,
    BlockSettings,
    NewBlockType,
    TooLarge,
    changed_by,
    forget_type,
    is_stored_type,
    keep_files,
    let_go,
    require_access,
    require_block,
    rules_for,
    store_type,
    take_turn,
    total_length,
    without_refused,
)
from landyard_repository.tables import BLOCK

_FIND = Prepared(
    select(BLOCK.id, BLOCK.created_by, BLOCK.content).where(
        BLOCK.xml_id == bindparam("of_code"), BLOCK.widget == bindparam("of_widget")
    )
)
_THIS = BLOCK.id == bindparam("block_id")
_ADD = Prepared(insert(BLOCK.id.table).returning(BLOCK.id), int)
_SAVE = Prepared(update(BLOCK.id.table).where(_THIS))
_REMOVE = Prepared(delete(BLOCK.id.table).where(_THIS))
_COUNTED = ("xml_id", "name", "description", "sections", "site_template_id", "preview", "content")
_LENGTH = Prepared(
    select(func.count(), total_length([*(BLOCK[name] for name in _COUNTED), BLOCK.manifest])).where(
        BLOCK.created_by == bindparam("user_id")
    )
)
_TEXTS = Prepared(select(BLOCK.content + cast(BLOCK.manifest, Text)), str)


class GivenBlock(Struct, frozen=True):
    """A block as a call registers it."""

    xml_id: str
    name: str
    sections: str
    preview: str
    content: str
    manifest: dict[str, Any]
    description: str | None = None
    active: bool = True
    site_template_id: str | None = None
    widget: bool = False


def code_of(block_id: int) -> str:
    """Name a registered block as pages do."""
    return f"repo_{block_id}"


def save_block(call: Call, given: GivenBlock, content: str) -> int:
    """Keep a block, in place of one of the same code, and answer its id.

    `content` is its HTML, sanitised, as pages get it.

    Raises `AccessDenied` for one that another user has registered, and `TooLarge` beyond what a
    user may register.
    """
    require_block(call, content, given.manifest)
    connection = call.connection
    take_turn(connection, "repository")
    values = {name: getattr(given, name) for name in GivenBlock.__struct_fields__}
    _require_room(call, len(msgspec.json.encode(values)))
    keep_files(call, given.content)
    found = _find_own(call, given.xml_id, widget=given.widget)
    if found is None:
        block_id = _add(call, values)
    else:
        block_id, earlier = found
        _SAVE.run(connection, block_id=block_id, **values, **changed_by(call))
        _let_go(call, earlier)
    call.subject = f"repository_block:{block_id}"
    content = without_refused(content, lambda: rules_for(call))
    store_type(connection, NewBlockType(code_of(block_id), given.name, _told(given), content))
    return block_id


def remove_block(call: Call, xml_id: str, *, widget: bool) -> bool:
    """Remove a block; False where there is no such one.

    Raises `AccessDenied` for one that another user has registered.
    """
    require_access(call)
    take_turn(call.connection, "repository")
    found = _find_own(call, xml_id, widget=widget)
    if found is None:
        return False
    block_id, content = found
    call.subject = f"repository_block:{block_id}"
    _REMOVE.run(call.connection, block_id=block_id)
    forget_type(call.connection, code_of(block_id))
    _let_go(call, content)
    return True


def _require_room(call: Call, length: int) -> None:
    """Raise `TooLarge` where the caller has registered as much as one may; lists read all of it."""
    settings = call.settings(BlockSettings)
    count, before = _LENGTH.all(call.connection, user_id=call.actor.user_id)[0]
    if count >= settings.page_blocks or before + length > settings.answer_characters:
        raise TooLarge("You have registered as many blocks as you may: unregister some.")


def _find_own(call: Call, xml_id: str, *, widget: bool) -> tuple[int, str] | None:
    row = _FIND.first(call.connection, of_code=xml_id, of_widget=widget)
    if row is None:
        return None
    block_id, owner, content = row
    if owner != call.actor.user_id and not call.actor.admin:
        raise AccessDenied("Another user has registered a block of this code.")
    return block_id, content


def _add(call: Call, values: Mapping[str, Any]) -> int:
    signed = {"created_at": call.now(), "created_by": call.actor.user_id, **changed_by(call)}
    while True:
        block_id = _ADD.first(call.connection, app_code=None, **values, **signed)
        assert block_id is not None
        if not is_stored_type(call.connection, code_of(block_id)):
            return block_id
        # A world file has brought a manifest of this code: its blocks keep it.
        _REMOVE.run(call.connection, block_id=block_id)


def _told(given: GivenBlock) -> dict[str, Any]:
    """Write the manifest that pages see: what the fields say of the block stands in it."""
    said = given.manifest.get("block")
    own = dict(said) if isinstance(said, dict) else {}
    own |= {
        "name": given.name,
        "description": given.description or "",
        "section": [each.strip() for each in given.sections.split(",") if each.strip()],
        "preview": given.preview,
    }
    if not given.active:
        own["active"] = False
    return {**given.manifest, "block": own}


def _let_go(call: Call, content: str) -> None:
    if "/files/" in content:
        let_go(call, content, others=_TEXTS.all(call.connection))
