"""`landing.block.addcard` and `clonecard`: add a card to a block (B8, B14, H2)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.errors import CardNotFound
from landyard_blocks.group import NeededText, block_methods, need_text
from landyard_content import blocks
from landyard_html.cards import add_card
from landyard_html.manifests import list_selectors
from landyard_landing import errors, settings

_ERRORS = (
    MissingParams,
    errors.LandingNotExist,
    errors.AccessDenied,
    errors.BlockNotFound,
    CardNotFound,
    blocks.RevisionConflict,
)
# Any type, because a wrong one is answered CARD_NOT_FOUND (C9).
_Selector = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]


class CloneCard(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `selector`: `<card>@<index>`."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    selector: _Selector
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


class AddCard(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `selector`: `<card>@<index>`.

    `content`: the new card's HTML.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    selector: _Selector
    content: NeededText
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.addcard",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example(
        {
            "lid": 10,
            "block": 103,
            "selector": ".landing-block-card@0",
            "content": '<li class="landing-block-card">Another</li>',
        },
        result=True,
    ),
)
def add(call: Call, params: AddCard) -> bool:
    """Add a card to a block of the page's draft; its HTML is sanitised.

    `selector` is a card's selector in the block's manifest, `@`, and the index of the card after
    which the new one is placed; without `@` it comes first. Empty `content` makes a copy, as
    landing.block.clonecard does. Visitors see the change when the page is published again. Needs
    the right to edit.
    """
    return _add(call, params, need_text(params.content, "content"))


@block_methods.method(
    "landing.block.clonecard",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103, "selector": ".landing-block-card@2"}, result=True),
)
def clone(call: Call, params: CloneCard) -> bool:
    """Copy a card of a block in the page's draft; the copy follows the original.

    `selector` is a card's selector in the block's manifest, `@`, and the card's index, counted from
    zero; without `@` the first card is copied, and the copy comes first. Visitors see the change
    when the page is published again. Needs the right to edit.
    """
    return _add(call, params, "")


def _add(call: Call, params: AddCard | CloneCard, html: str) -> bool:
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    if not isinstance(params.selector, str):
        raise CardNotFound("The selector must be a string, such as `.card@0`.")
    most = call.settings(settings.BlockSettings).characters
    content = add_card(draft.content, params.selector, html, kind.manifest, most)
    if content is None:
        raise CardNotFound(f"{CardNotFound.text} {list_selectors('cards', kind.manifest.cards)}")
    blocks.save_draft(call, draft, content, draft.params, history=not params.prevent_history)
    return True
