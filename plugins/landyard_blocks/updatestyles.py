"""`landing.block.updateStyles`: change classes and inline styles in a block (B8, B9, H1)."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_blocks.group import block_methods
from landyard_content import blocks
from landyard_html.restyling import restyle
from landyard_html.values import WrongValue
from landyard_landing import errors


class UpdateStyles(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: styles by selector.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: dict[str, Any]
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.updateStyles",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        errors.LandingNotExist,
        errors.BlockNotFound,
        WrongType,
        blocks.RevisionConflict,
    ],
    example=Example(
        {
            "lid": 10,
            "block": 101,
            "data": {
                ".landing-block-node-title": {
                    "classList": ["landing-block-node-title", "ly-title"],
                    "style": {"font-weight": "700"},
                }
            },
        },
        result=True,
    ),
)
def update(call: Call, params: UpdateStyles) -> bool:
    """Change classes and inline styles of elements of a block in the page's draft.

    `data` maps selectors of the block's manifest, or `#wrapper` for its outermost element, to a
    class, a list of classes, or an object: `classList` replaces all classes, `style` sets single
    declarations (an empty value removes one), `affect` lists properties to remove from the styles
    of everything inside. All matching elements are changed; with `@index` only that one. Values
    that the sanitising policy refuses are not set. Visitors see the change when the page is
    published again. Needs the right to edit.
    """
    draft, kind = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    try:
        content = restyle(draft.content, params.data, kind.manifest, block_id=draft.id)
    except WrongValue as wrong:
        raise WrongType.of(wrong.parameter, wrong.expected) from wrong
    if content is not None:
        blocks.save_draft(call, draft, content, draft.params, history=not params.prevent_history)
    return True
