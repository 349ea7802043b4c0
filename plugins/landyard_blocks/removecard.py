"""`landing.block.removecard`: remove a card of a block (contract 4.5; B13, B14)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.errors import CardNotFound
from landyard_blocks.group import block_methods
from landyard_content import blocks
from landyard_html.cards import remove_card
from landyard_html.manifests import list_selectors
from landyard_landing import errors


class RemoveCard(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `selector`: `<card>@<index>`."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    # Any type, because a wrong one is answered CARD_NOT_FOUND (C9).
    selector: Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.removecard",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.AccessDenied,
        errors.BlockNotFound,
        CardNotFound,
        blocks.RevisionConflict,
    ],
    example=Example({"lid": 10, "block": 103, "selector": ".landing-block-card@2"}, result=True),
)
def remove(call: Call, params: RemoveCard) -> bool:
    """Remove one card of a block from the page's draft.

    `selector` is a card's selector in the block's manifest, `@`, and the card's index among all
    cards of that selector, counted from zero. An empty or non-numeric index means zero; a number
    that is no index, such as -1, finds no card. Later cards move up by one. Visitors see the change
    when the page is published again. Needs the right to edit.
    """
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    if not isinstance(params.selector, str):
        raise CardNotFound("The selector must be a string, such as `.card@0`.")
    content = remove_card(draft.content, params.selector, kind.manifest)
    if content is None:
        raise CardNotFound(f"{CardNotFound.text} {list_selectors('cards', kind.manifest.cards)}")
    blocks.save_draft(call, draft, content, draft.params, history=not params.prevent_history)
    return True
