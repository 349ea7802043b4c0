"""The reset of blocks in drafts to the HTML of their registered block."""

from landyard import Call
from landyard_content import blocks
from landyard_landing import errors
from landyard_repository.blocks import code_of
from landyard_repository.registration import drafts_of_type

_MOST = 1000  # the most blocks that one call resets


def reset_drafts(call: Call, block_id: int, content: str, scope: str | None = None) -> None:
    """Set the HTML of a registered block's copies in all drafts that the caller may edit.

    `content` is sanitised already. The earlier HTML stays in the pages' histories.
    """
    subject = call.subject
    drafts = drafts_of_type(call.connection, code_of(block_id), _MOST + 1)
    for page_id, draft_id in drafts[:_MOST]:
        try:
            draft, _ = blocks.open_draft(call, page_id, draft_id, scope)
        except (errors.AccessDenied, errors.BlockNotFound, errors.LandingNotExist):
            continue  # the caller may not edit it
        if draft.content != content:
            blocks.save_draft(call, draft, content, draft.params)
    if len(drafts) > _MOST:
        call.warn(f"only the first {_MOST} blocks were reset")
    call.subject = subject
