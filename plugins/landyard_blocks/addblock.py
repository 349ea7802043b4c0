"""`landing.landing.addblock`: add a built-in, registered or saved block to a page's draft.

Keeps B1 and H2.
"""

from typing import Any

from msgspec import Struct, field

from landyard import Call, CallError, Example, Id, MissingParams, NeededId, ParamsReader
from landyard_blocks.block_view import ShownBlock, show_draft
from landyard_blocks.changes import add_block
from landyard_blocks.favourites import find_favourite
from landyard_blocks.group import block_methods
from landyard_blocks.held_order import hold_editable
from landyard_blocks.manifests import is_offered, site_types
from landyard_content import blocks
from landyard_landing import errors

_UNCLEANED = 0  # a policy version that means "not sanitised yet"


class BlockCantBeAdded(CallError):
    code = "BLOCK_CANT_BE_ADDED"
    text = "There is no such block for pages of this type; landing.block.getrepository lists them."


class BlockWrongVersion(CallError):
    code = "BLOCK_WRONG_VERSION"
    text = "The block needs another version of the service."


class NewBlock(Struct, frozen=True):
    """The parameter `fields` of addblock."""

    code: str = field(name="CODE", default="")
    after_id: Id = field(name="AFTER_ID", default=0)
    active: bool = field(name="ACTIVE", default=True)
    content: str | None = field(name="CONTENT", default=None)
    return_content: bool = field(name="RETURN_CONTENT", default=False)


class AddBlock(Struct, frozen=True):
    """`lid`: a page's id; `fields`: the new block, as described in the method's text."""

    page_id: NeededId = field(name="lid")
    fields: dict[str, Any]
    prevent_history: bool = field(name="preventHistory", default=False)
    scope: str | None = None


_read = ParamsReader(NewBlock, lenient=True)


@block_methods.method(
    "landing.landing.addblock",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.AccessDenied,
        BlockCantBeAdded,
        BlockWrongVersion,
        errors.BlockNotFound,
    ],
    example=Example({"lid": 10, "fields": {"CODE": "ly.text", "AFTER_ID": 101}}, result=223),
)
def add(call: Call, params: AddBlock) -> int | ShownBlock:
    """Add a block to the page's draft, and answer its id.

    `fields` are `CODE`, a block's code; `AFTER_ID`, the block of the draft after which it is placed
    (without it the block comes first); `ACTIVE`, `N` for a hidden block; `CONTENT`, HTML that
    replaces the block's own and is sanitised; and `RETURN_CONTENT`: with `Y` the block is answered
    as in landing.block.getcontent. Visitors see it when the page is published. Needs the right to
    edit.
    """
    fields = _read(params.fields)
    content = None if fields.content is None else blocks.clean_sent(call, fields.content)
    page = hold_editable(call, params.page_id, params.scope)
    parts = _parts(call, fields, content, page.site_type)
    block_id = add_block(
        call, page.id, parts, behind=fields.after_id, history=not params.prevent_history
    )
    if fields.return_content:
        return show_draft(call, page.id, block_id, params.scope)
    return block_id


def _parts(call: Call, fields: NewBlock, content: str | None, site_type: str) -> blocks.BlockParts:
    """Return the parts of the new block: from its type, or from a block saved by the caller.

    `content` is the sanitised HTML from the caller, if any.
    """
    saved = find_favourite(call, fields.code)
    code = saved.code if saved else fields.code
    kind = blocks.find_type(call.connection, code, call.records(blocks.BlockType)) if code else None
    if kind is None or not is_offered(kind):
        raise BlockCantBeAdded
    if (types := site_types(kind)) and site_type not in types:
        raise BlockCantBeAdded(f"The block is meant for sites of other types: {', '.join(types)}.")
    if content is None and saved:
        content = blocks.safe_content(saved.content, saved.policy)
    elif content is None:
        content = blocks.safe_content(
            kind.content, _UNCLEANED
        )  # always the same HTML, so its sanitised form is cached
    if not content.strip():
        raise errors.BlockNotFound("The block would have no content.")
    params = saved.params if saved else {}
    return blocks.BlockParts(kind.code, content, params, active=fields.active)
