"""`landing.landing.removeEntities`: remove blocks of a draft, and pictures of blocks."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, SystemFailure, WrongType
from landyard_blocks.changes import remove_block
from landyard_blocks.freeing import free_files
from landyard_blocks.group import block_methods
from landyard_blocks.held_order import hold_order
from landyard_landing import errors


class Image(Struct, frozen=True):
    """`block`: the block for which a file was uploaded; `image`: the file's id."""

    block_id: Id = field(name="block")
    file_id: Id = field(name="image")


class Entities(Struct, frozen=True):
    """`blocks`: ids of blocks of the draft; `images`: files of other blocks."""

    blocks: list[Id] = []
    images: list[Image] = []


class RemoveEntities(Struct, frozen=True):
    """`lid`: a page's id; `data`: the blocks and files to remove."""

    page_id: NeededId = field(name="lid")
    data: Entities
    scope: str | None = None


@block_methods.method(
    "landing.landing.removeEntities",
    right="edit",
    writes=True,
    errors=[MissingParams, errors.LandingNotExist, WrongType, SystemFailure],
    example=Example({"lid": 10, "data": {"blocks": [103]}}, result=True),
)
def remove(call: Call, params: RemoveEntities) -> bool:
    """Remove blocks from the page's draft, and files uploaded for other blocks.

    Blocks that are not in the draft, or are marked deleted, are ignored. Files are removed a day
    later unless they are still used. Visitors see the blocks until the page is published again.
    Needs the right to edit; without it the answer is LANDING_NOT_EXIST.
    """
    try:
        page, order = hold_order(call, params.page_id, params.scope)
    except errors.AccessDenied as denied:  # the method documents no code for denied access (R2)
        raise errors.LandingNotExist from denied
    standing = {block.id for block in order if not block.deleted}
    for block_id in dict.fromkeys(params.data.blocks):
        if block_id in standing:
            remove_block(call, page.id, order, block_id)
            order = order.without(block_id)
    for image in params.data.images:
        free_files(call, page.id, [image.block_id], image.file_id)
    return True
