"""`landing.landing.favoriteBlock` and `unFavoriteBlock`: blocks are saved to be used again."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_editing.addblock import BlockCantBeAdded, BlockWrongVersion
from landyard_editing.favourites import SavedBlock, remove_favourite, save_favourite
from landyard_editing.group import editing
from landyard_landing import (
    AccessDenied,
    BlockNotFound,
    BlockType,
    LandingNotExist,
    find_type,
    hold_block,
    require_access,
)


class Meta(Struct, frozen=True):
    """`name`, `section`: how the saved block is listed; `preview`: the id of a file, its picture.

    `tpl_code`: the template of pages that it is meant for.
    """

    name: str = ""
    section: list[str] | str = ""
    preview: Id = 0
    tpl_code: str = ""


class Favorite(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `meta`: how it is listed."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    meta: Meta = Meta()
    scope: str | None = None


class UnFavorite(Struct, frozen=True):
    """`blockId`: the id that favoriteBlock has answered."""

    favourite_id: Id = field(name="blockId")


@editing.method(
    "landing.landing.favoriteBlock",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        LandingNotExist,
        BlockNotFound,
        BlockCantBeAdded,
        BlockWrongVersion,
        AccessDenied,
    ],
    example=Example({"lid": 10, "block": 103, "meta": {"name": "Our three boats"}}, result=1),
)
def favorite(call: Call, params: Favorite) -> int:
    """Save a copy of a block of the page's draft for the caller, and answer its id.

    landing.block.getrepository lists it, for the caller alone, and landing.landing.addblock adds
    it, both by the code `<block's code>@<id>`. Needs the right to edit.
    """
    block = hold_block(call, params.page_id, params.block_id, params.scope)
    if find_type(call.connection, block.code, call.records(BlockType)) is None:
        raise BlockCantBeAdded("Nothing describes blocks of this code: it could not be added.")
    meta = params.meta
    named = [meta.section] if isinstance(meta.section, str) else meta.section
    return save_favourite(
        call,
        SavedBlock(
            code=block.code,
            name=meta.name,
            sections=[each for each in named if each],
            preview_id=meta.preview or None,
            template_code=meta.tpl_code,
            policy=block.policy,
            params=block.params,
            content=block.content,
        ),
    )


@editing.method(
    "landing.landing.unFavoriteBlock",
    right="the caller's own",
    writes=True,
    errors=[MissingParams, WrongType, BlockNotFound, AccessDenied],
    example=Example({"blockId": 1}, result=True),
)
def unfavorite(call: Call, params: UnFavorite) -> bool:
    """Remove a block that the caller has saved.

    Pages that it was added to keep their copies.
    """
    require_access(call)
    call.subject = f"favourite:{params.favourite_id}"
    if not remove_favourite(call, params.favourite_id):
        raise BlockNotFound("You have saved no such block.")
    return True
