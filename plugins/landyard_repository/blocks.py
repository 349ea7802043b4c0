"""Storage and removal of registered blocks and of their block types."""

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
from landyard_content import blocks, files
from landyard_html.embeds import without_refused
from landyard_landing import advisory_lock, authorship, errors, lengths, rights
from landyard_landing.settings import BlockSettings
from landyard_repository.registration import NewBlockType, forget_type, is_stored_type, store_type
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
    select(
        func.count(), lengths.total_length([*(BLOCK[name] for name in _COUNTED), BLOCK.manifest])
    ).where(BLOCK.created_by == bindparam("user_id"))
)
_TEXTS = Prepared(select(BLOCK.content + cast(BLOCK.manifest, Text)), str)


class RegisteredBlock(Struct, frozen=True):
    """The fields of a block in a call that registers it."""

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
    """Return the block code of a registered block."""
    return f"repo_{block_id}"


def save_block(call: Call, block: RegisteredBlock, content: str) -> int:
    """Store a block, replacing one with the same code, and return its id.

    `content` is its sanitised HTML for pages.

    Raises `AccessDenied` if another user registered the block, and `TooLarge` beyond a user's
    limit.
    """
    blocks.require_block(call, content, block.manifest)
    connection = call.connection
    advisory_lock.acquire(connection, "repository")
    values = {name: getattr(block, name) for name in RegisteredBlock.__struct_fields__}
    _require_room(call, len(msgspec.json.encode(values)))
    files.keep_files(call, block.content)
    earlier_block = _find_own(call, block.xml_id, widget=block.widget)
    if earlier_block is None:
        block_id = _add(call, values)
    else:
        block_id, earlier = earlier_block
        _SAVE.run(connection, block_id=block_id, **values, **authorship.changed_by(call))
        _let_go(call, earlier)
    call.subject = f"repository_block:{block_id}"
    content = without_refused(content, lambda: blocks.rules_for(call))
    store_type(
        connection, NewBlockType(code_of(block_id), block.name, _manifest_of(block), content)
    )
    return block_id


def remove_block(call: Call, xml_id: str, *, widget: bool) -> bool:
    """Remove a block; False if there is none.

    Raises `AccessDenied` if another user registered it.
    """
    rights.require_access(call)
    advisory_lock.acquire(call.connection, "repository")
    earlier_block = _find_own(call, xml_id, widget=widget)
    if earlier_block is None:
        return False
    block_id, content = earlier_block
    call.subject = f"repository_block:{block_id}"
    _REMOVE.run(call.connection, block_id=block_id)
    forget_type(call.connection, code_of(block_id))
    _let_go(call, content)
    return True


def _require_room(call: Call, length: int) -> None:
    """Raise `TooLarge` beyond the limits of a user, because lists read all registered blocks."""
    settings = call.settings(BlockSettings)
    count, before = _LENGTH.all(call.connection, user_id=call.actor.user_id)[0]
    if count >= settings.page_blocks or before + length > settings.answer_characters:
        raise errors.TooLarge("You have registered as many blocks as you may: unregister some.")


def _find_own(call: Call, xml_id: str, *, widget: bool) -> tuple[int, str] | None:
    row = _FIND.first(call.connection, of_code=xml_id, of_widget=widget)
    if row is None:
        return None
    block_id, owner, content = row
    if owner != call.actor.user_id and not call.actor.admin:
        raise errors.AccessDenied("Another user has registered a block of this code.")
    return block_id, content


def _add(call: Call, values: Mapping[str, Any]) -> int:
    signed = {
        "created_at": call.now(),
        "created_by": call.actor.user_id,
        **authorship.changed_by(call),
    }
    while True:
        block_id = _ADD.first(call.connection, app_code=None, **values, **signed)
        assert block_id is not None
        if not is_stored_type(call.connection, code_of(block_id)):
            return block_id
        # A manifest from a world file has this code; its blocks keep it.
        _REMOVE.run(call.connection, block_id=block_id)


def _manifest_of(block: RegisteredBlock) -> dict[str, Any]:
    """Return the manifest for pages, with the registered fields in its part `block`."""
    part = block.manifest.get("block")
    own = dict(part) if isinstance(part, dict) else {}
    own |= {
        "name": block.name,
        "description": block.description or "",
        "section": [each.strip() for each in block.sections.split(",") if each.strip()],
        "preview": block.preview,
    }
    if not block.active:
        own["active"] = False
    return {**block.manifest, "block": own}


def _let_go(call: Call, content: str) -> None:
    if "/files/" in content:
        files.release_files(call, content, others=_TEXTS.all(call.connection))
