"""Drafts as visitors would see them, drawn by what draws published pages."""

from landyard import Kernel
from landyard_landing import BlockType, begin_reading, draft_page

_BIGGEST_ID = 2**31 - 1  # what a column of ids holds


def is_id(text: str) -> bool:
    """Tell whether a part of an address may be the id of a page."""
    return text.isascii() and text.isdigit() and 0 < int(text[:11]) <= _BIGGEST_ID


def draft_to_edit(kernel: Kernel, page_id: int) -> str:
    """Draw the draft of a page that there is, with hidden blocks, each block with its id."""
    return _drawn(kernel, page_id, to_edit=True)


def draft_to_show(kernel: Kernel, page_id: int) -> str:
    """Draw the draft of a page that there is, as visitors would see it."""
    return _drawn(kernel, page_id, to_edit=False)


def _drawn(kernel: Kernel, page_id: int, *, to_edit: bool) -> str:
    with kernel.store.unit(writes=False) as unit:
        begin_reading(unit.connection)
        brought = kernel.records(BlockType)
        return draft_page(kernel, unit.connection, page_id, brought, to_edit=to_edit).html
