"""`landing.landing.favoriteBlock` and `unFavoriteBlock`: save blocks for reuse, and remove them."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_blocks.addblock import BlockCantBeAdded, BlockWrongVersion
from landyard_blocks.changes import hold_block
from landyard_blocks.favourites import SavedBlock, remove_favourite, save_favourite
from landyard_blocks.group import block_methods
from landyard_content import blocks
from landyard_landing import errors, rights


class Meta(Struct, frozen=True):
    """`name`, `section`: name and section in lists; `preview`: the id of a picture file.

    `tpl_code`: the page template for which it is meant.
    """

    name: str = ""
    section: list[str] | str = ""
    preview: Id = 0
    tpl_code: str = ""


class Favorite(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `meta`: how to list it."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    meta: Meta = Meta()
    scope: str | None = None


class UnFavorite(Struct, frozen=True):
    """`blockId`: the id answered by favoriteBlock."""

    favourite_id: Id = field(name="blockId")


@block_methods.method(
    "landing.landing.favoriteBlock",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        errors.BlockNotFound,
        BlockCantBeAdded,
        BlockWrongVersion,
        errors.AccessDenied,
    ],
    example=Example({"lid": 10, "block": 103, "meta": {"name": "Our three boats"}}, result=1),
)
def favorite(call: Call, params: Favorite) -> int:
    """Save a copy of a block of the page's draft for the caller, and answer its id.

    Only the caller sees it in landing.block.getrepository and can add it by
    landing.landing.addblock, both under the code `<block's code>@<id>`. Needs the right to edit.
    """
    block = hold_block(call, params.page_id, params.block_id, params.scope)
    if blocks.find_type(call.connection, block.code, call.records(blocks.BlockType)) is None:
        raise BlockCantBeAdded(
            "There is no block type with this code, so the block could not be added again."
        )
    meta = params.meta
    sections = [meta.section] if isinstance(meta.section, str) else meta.section
    return save_favourite(
        call,
        SavedBlock(
            code=block.code,
            name=meta.name,
            sections=[each for each in sections if each],
            preview_id=meta.preview or None,
            template_code=meta.tpl_code,
            policy=block.policy,
            params=block.params,
            content=block.content,
        ),
    )


@block_methods.method(
    "landing.landing.unFavoriteBlock",
    right="the caller's own",
    writes=True,
    errors=[MissingParams, WrongType, errors.BlockNotFound, errors.AccessDenied],
    example=Example({"blockId": 1}, result=True),
)
def unfavorite(call: Call, params: UnFavorite) -> bool:
    """Remove a saved block of the caller.

    Copies on pages stay.
    """
    rights.require_access(call)
    call.subject = f"favourite:{params.favourite_id}"
    if not remove_favourite(call, params.favourite_id):
        raise errors.BlockNotFound("You have no saved block with this id.")
    return True
