"""`landing.block.getcontent`: a block's HTML, manifest and assets (B4, B5)."""

from msgspec import Struct, field
from msgspec.structs import replace

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.block_view import Look, ShownBlock, show
from landyard_blocks.examples import BLOCK
from landyard_blocks.group import block_methods
from landyard_blocks.lookup import see_block
from landyard_content import blocks
from landyard_landing import errors


class Wrapping(Struct, frozen=True):
    """`wrapper_show`: the HTML with its wrapper; `force_unactive`: also for inactive blocks.

    `get_revision`: with the revision of a draft's block, for editing methods.
    """

    wrapper_show: bool = True
    force_unactive: bool = False
    get_revision: bool = False


class GetContent(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of its block; `editMode`: the draft."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    edit_mode: bool = field(name="editMode", default=False)
    params: Wrapping = Wrapping()
    scope: str | None = None


@block_methods.method(
    "landing.block.getcontent",
    right="view",
    errors=[MissingParams, errors.LandingNotExist, errors.AccessDenied, errors.BlockNotFound],
    example=Example(
        {"lid": 11, "block": 113, "editMode": True, "params": {"wrapper_show": False}},
        result=BLOCK,
    ),
)
def get_content(call: Call, params: GetContent) -> ShownBlock:
    """Return one block of a page: its HTML, its manifest, and its style sheets and scripts.

    Without `editMode` it is the published block, which has another id. The HTML of an inactive
    published block is empty unless `force_unactive` is set. Needs the right to view.
    """
    page, block, kind = see_block(
        call, params.page_id, params.block_id, params.scope, public=not params.edit_mode
    )
    look = Look(params.edit_mode, params.params.wrapper_show, params.params.force_unactive)
    shown = show(page, block, kind, look)
    if params.params.get_revision and params.edit_mode:
        return replace(shown, revision=blocks.read_revisions(call.connection, [page.id])[block.id])
    return shown
