"""Drafts as visitors would see them, drawn by what draws published pages."""

from landyard import Kernel
from landyard_landing import (
    BlockType,
    PageTemplate,
    TemplateBlock,
    Theme,
    draft_page,
    preview_template,
    rules_of,
)

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


def new_block(kernel: Kernel, site_id: int, code: str) -> str:
    """Draw a block of a type as it is before it is added, in the look of a site."""
    template = PageTemplate("new", title=code, blocks=(TemplateBlock(code),))
    brought, themes = kernel.records(BlockType), kernel.records(Theme)
    with kernel.store.unit(writes=False) as unit:
        rules = rules_of(unit.connection, kernel.section, kernel.records)
        return preview_template(
            unit.connection, template, site_id, brought=brought, themes=themes, rules=rules
        )


def _drawn(kernel: Kernel, page_id: int, *, to_edit: bool) -> str:
    with kernel.store.unit(writes=False) as unit:
        brought = kernel.records(BlockType)
        return draft_page(kernel, unit.connection, page_id, brought, to_edit=to_edit).html
