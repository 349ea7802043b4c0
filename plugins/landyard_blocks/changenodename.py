"""`landing.block.changeNodeName`: change the tags of a block's elements (B7, B8)."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_blocks.errors import NodesNotFound
from landyard_blocks.group import block_methods
from landyard_content import blocks
from landyard_html.manifests import list_selectors
from landyard_html.renaming import rename_nodes
from landyard_html.values import WrongValue
from landyard_landing import errors


class ChangeNodeName(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: tags by selector.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: dict[str, Any]
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.changeNodeName",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.AccessDenied,
        errors.BlockNotFound,
        NodesNotFound,
        WrongType,
        blocks.RevisionConflict,
    ],
    example=Example(
        {"lid": 10, "block": 101, "data": {".landing-block-node-title@0": "h1"}}, result=True
    ),
)
def change(call: Call, params: ChangeNodeName) -> bool:
    """Change the tags of elements of a block in the page's draft.

    `data` maps selectors of the block's manifest, each with an optional `@index` counted from zero,
    to `h1` to `h6`, `div`, `p`, `a` or `span`; anything else means `div`. An element that cannot
    have the tag in its place becomes a `div`, too, or stays unchanged; attributes that the tag
    cannot have are removed. Visitors see the change when the page is published again. Needs the
    right to edit.
    """
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    try:
        content, acted = rename_nodes(draft.content, params.data, kind.manifest)
    except WrongValue as wrong:
        raise WrongType.of(wrong.parameter, wrong.expected) from wrong
    if not acted:
        found = list_selectors("selectors", kind.manifest.places)
        raise NodesNotFound(f"{NodesNotFound.text} {found}")
    blocks.save_draft(call, draft, content, draft.params, history=not params.prevent_history)
    return True
