"""`landing.block.updatecontent`: replace the whole HTML of a draft's block (B14, H1, H2)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId
from landyard_blocks.group import NeededText, block_methods, need_text
from landyard_content import blocks
from landyard_landing import errors

_DESIGNED = (True, 1, "true", "1")


class UpdateContent(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `content`: the new HTML.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    content: NeededText
    designed: Annotated[Any, Meta(description="boolean", extra_json_schema={"type": "boolean"})] = (
        False
    )
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.updatecontent",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.BlockNotFound,
        errors.AccessDenied,
        blocks.RevisionConflict,
    ],
    example=Example(
        {
            "lid": 10,
            "block": 103,
            "content": '<section class="landing-block"><h2>Spring</h2></section>',
        },
        result=True,
    ),
)
def update(call: Call, params: UpdateContent) -> bool | None:
    """Replace the whole HTML of a block in the page's draft; the new HTML is sanitised.

    Elements named by the manifest stay editable only if the new HTML has them. The service has no
    designer: with `designed` the answer is null and nothing is changed. Visitors see the change
    when the page is published again. Needs the right to edit.
    """
    sent = need_text(params.content, "content")
    content = "" if params.designed in _DESIGNED else blocks.clean_sent(call, sent)
    draft, _ = blocks.open_draft(
        call, params.page_id, params.block_id, params.scope, params.revision
    )
    if params.designed in _DESIGNED:
        return None
    blocks.save_draft(call, draft, content, draft.params, history=not params.prevent_history)
    return True
