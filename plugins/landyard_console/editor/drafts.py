"""Drafts as visitors would see them, drawn by what draws published pages."""

from landyard import Host
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


def draft_to_edit(host: Host, page_id: int) -> str:
    """Draw the draft of a page that there is, with hidden blocks, each block with its id."""
    return _drawn(host, page_id, to_edit=True)


def draft_to_show(host: Host, page_id: int) -> str:
    """Draw the draft of a page that there is, as visitors would see it."""
    return _drawn(host, page_id, to_edit=False)


def new_block(host: Host, site_id: int, code: str) -> str:
    """Draw a block of a type as it is before it is added, in the look of a site."""
    template = PageTemplate("new", title=code, blocks=(TemplateBlock(code),))
    brought, themes = host.records(BlockType), host.records(Theme)
    with host.store.unit(writes=False) as unit:
        rules = rules_of(unit.connection, host.section, host.records)
        return preview_template(
            unit.connection, template, site_id, brought=brought, themes=themes, rules=rules
        )


def _drawn(host: Host, page_id: int, *, to_edit: bool) -> str:
    with host.store.unit(writes=False) as unit:
        brought = host.records(BlockType)
        return draft_page(host, unit.connection, page_id, brought, to_edit=to_edit).html
