"""`landing.block.updatenodes`: change the nodes of a block (contract 4.2; B7 to B16)."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_blocks.errors import IncorrectAffected, NodesNotFound
from landyard_blocks.group import block_methods
from landyard_blocks.lookup import stored_draft
from landyard_content import blocks
from landyard_html.manifests import list_selectors
from landyard_html.nodes import update_nodes
from landyard_html.values import Rules, WrongValue
from landyard_landing import errors
from landyard_landing.settings import BlockSettings


class Additional(Struct, frozen=True):
    """`appendMenu`: add menu items after the present ones instead of replacing them (B16)."""

    append_menu: bool = field(name="appendMenu", default=False)


class UpdateNodes(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: values by selector.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: dict[str, Any]
    additional: Additional = Additional()
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.updatenodes",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        blocks.RevisionConflict,
        errors.BlockNotFound,
        errors.AccessDenied,
        NodesNotFound,
        IncorrectAffected,
    ],
    example=Example(
        {
            "lid": 10,
            "block": 101,
            "data": {
                ".landing-block-node-title": "Boats for small waters",
                ".landing-block-node-button": {"text": "See the boats", "href": "/demo/boats/"},
            },
        },
        result=True,
    ),
)
def update(call: Call, params: UpdateNodes) -> bool:
    """Change nodes of a block in the page's draft.

    `data` maps selectors of the block's manifest, each with an optional `@index` counted from
    zero, to values: text for a text node; `{src, alt, src2x}` for an image; `{text, href,
    target, query}` for a link; a list of class names for an icon; `{src, source}` for an embed;
    a list of items for a menu; `{attrs: {…}}` for attributes. All of `data` is applied or
    nothing. Visitors see the change when the page is published again. Needs the right to edit.
    """
    # Only an object can name a host; the rules for text need no hosts. A plugin's node type may
    # make an address of any value.
    only_text = all(isinstance(value, str) for value in params.data.values())
    settings = call.settings(BlockSettings)
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    types = call.records(blocks.NodeType) if kind.manifest.other_types else {}
    hosts: frozenset[str] = (
        frozenset() if only_text and not types else blocks.rules_for(call).own_hosts
    )
    try:
        edited = update_nodes(
            draft.content,
            draft.params,
            params.data,
            kind.manifest,
            structure=kind.content,
            rules=Rules(hosts, frozenset(settings.embed_hosts) or None, settings.characters),
            append_menu=params.additional.append_menu,
            node_types=types,
        )
    except WrongValue as wrong:
        raise WrongType.of(wrong.parameter, wrong.expected) from wrong
    if not edited.applied:
        found = list_selectors("selectors", kind.manifest.places)
        raise NodesNotFound(f"{NodesNotFound.text} {found}")
    kept = not params.prevent_history
    written = blocks.save_draft(call, draft, edited.content, edited.params, history=kept)
    # Read the written row back (B15); raising here rolls the write back.
    if settings.verify_writes and stored_draft(call, draft.id) != written:
        raise IncorrectAffected
    return True
