"""`landing.block.updateattrs`: set attributes of a block's elements (contract 4.4; B8, B12)."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.group import block_methods
from landyard_content import blocks
from landyard_html.attributes import HOSTED, update_attributes
from landyard_html.values import Rules
from landyard_landing import errors
from landyard_landing.settings import BlockSettings


class UpdateAttrs(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: attributes by selector.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: dict[str, Any]
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.updateattrs",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        errors.LandingNotExist,
        errors.BlockNotFound,
        blocks.RevisionConflict,
    ],
    example=Example(
        {"lid": 10, "block": 103, "data": {".landing-block-card@1": {"data-tone": "tint"}}},
        result=True,
    ),
)
def update(call: Call, params: UpdateAttrs) -> bool:
    """Set attributes of elements of a block in the page's draft.

    `data` maps selectors of the block's manifest to objects of attribute names and values. All
    matching elements are changed; with `@index` (counted from zero) after the selector only that
    one; `#block<ID>` is the block's outermost element. Text is stored unchanged, numbers and
    booleans as text, arrays and objects as JSON. `class`, `style`, `id` and event handlers are
    never set. Attributes that the manifest does not allow are ignored; if none is left, nothing is
    written. Visitors see the change when the page is published again. Needs the right to edit.
    """
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    content = update_attributes(
        draft.content, params.data, kind.manifest, block_id=draft.id, rules=_rules(call, params)
    )
    if content is not None:
        blocks.save_draft(call, draft, content, draft.params)
    return True


def _rules(call: Call, params: UpdateAttrs) -> Rules:
    sent = {
        name.lower() for each in params.data.values() if isinstance(each, dict) for name in each
    }
    # Most attributes hold no address; the query for own hosts is then saved.
    hosts: frozenset[str] = (
        frozenset() if sent.isdisjoint(HOSTED) else blocks.rules_for(call).own_hosts
    )
    settings = call.settings(BlockSettings)
    return Rules(hosts, frozenset(settings.embed_hosts) or None, settings.characters)
