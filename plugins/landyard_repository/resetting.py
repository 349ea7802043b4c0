"""Blocks on pages, set back to the HTML that they are registered with."""

from landyard import Call
from landyard_landing import (
    AccessDenied,
    BlockNotFound,
    LandingNotExist,
    drafts_of_type,
    open_draft,
    save_draft,
)
from landyard_repository.blocks import code_of

_MOST = 1000  # blocks that one call sets back


def reset_drafts(call: Call, block_id: int, content: str, scope: str | None = None) -> None:
    """Give a registered block's new HTML to its blocks in the drafts that the caller may edit.

    `content` is sanitised. What was there stands in the pages' histories.
    """
    subject = call.subject
    found = drafts_of_type(call.connection, code_of(block_id), _MOST + 1)
    for page_id, draft_id in found[:_MOST]:
        try:
            draft, _ = open_draft(call, page_id, draft_id, scope)
        except (AccessDenied, BlockNotFound, LandingNotExist):
            continue  # not the caller's to edit
        if draft.content != content:
            save_draft(call, draft, content, draft.params)
    if len(found) > _MOST:
        call.warn(f"only the first {_MOST} blocks were set back")
    call.subject = subject
