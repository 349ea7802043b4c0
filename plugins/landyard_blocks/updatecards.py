"""`landing.block.updateCards`: change a block's cards, their order and their content."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.errors import IncorrectAffected
from landyard_blocks.group import block_methods
from landyard_blocks.lookup import stored_draft
from landyard_content import blocks
from landyard_html.cards import arrange_cards
from landyard_html.nodes import update_nodes
from landyard_landing import errors
from landyard_landing.settings import BlockSettings


class UpdateCards(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: cards by selector.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: dict[str, Any]
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.updateCards",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.BlockNotFound,
        errors.AccessDenied,
        IncorrectAffected,
        blocks.RevisionConflict,
    ],
    example=Example(
        {
            "lid": 10,
            "block": 103,
            "data": {".landing-block-card": {"source": [{"value": 1}, {"value": 0}]}},
        },
        result=True,
    ),
)
def update(call: Call, params: UpdateCards) -> bool:
    """Arrange the cards of a block in the page's draft, and change nodes in them.

    `data` maps selectors of cards to objects. `source` lists the block's new cards in order:
    `{type: "card", value: <index>}` is a present card, `{type: "preset", value: <code>}` a new one
    from a preset of the manifest; an empty list changes none. `values` is a list of objects of
    nodes, as in landing.block.updatenodes, with the card's new position after `@`. Unusable entries
    are ignored. Visitors see the change when the page is published again. Needs the right to edit.
    """
    settings = call.settings(BlockSettings)
    most = settings.characters
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    content, values = arrange_cards(draft.content, params.data, kind.manifest, most)
    edited = update_nodes(
        content,
        draft.params,
        values,
        kind.manifest,
        structure=kind.content,
        rules=blocks.rules_for(call),
        node_types=call.records(blocks.NodeType),
        lenient=True,
    )
    written = blocks.save_draft(call, draft, edited.content, edited.params)
    if settings.verify_writes and stored_draft(call, draft.id) != written:
        raise IncorrectAffected
    return True
