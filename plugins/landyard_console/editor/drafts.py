"""Renders drafts and new blocks by the renderer of published pages."""

from landyard import Host
from landyard_content import blocks, pages
from landyard_public.rendering import draft_page
from landyard_public.template_previews import preview_template
from landyard_public.themes import Theme

_BIGGEST_ID = 2**31 - 1  # the largest value of an id column


def is_id(text: str) -> bool:
    """Tell whether a part of an address can be the id of a page."""
    return text.isascii() and text.isdigit() and 0 < int(text[:11]) <= _BIGGEST_ID


def draft_to_edit(host: Host, page_id: int) -> str:
    """Return an existing page's draft as HTML for editing: with hidden blocks and block ids."""
    with host.store.unit(writes=False) as unit:
        block_types = host.records(blocks.BlockType)
        return draft_page(host, unit.connection, page_id, block_types, to_edit=True).html


def new_block(host: Host, site_id: int, code: str) -> str:
    """Return the HTML of a new block of a type, in the theme of a site."""
    template = pages.PageTemplate("new", title=code, blocks=(pages.TemplateBlock(code),))
    block_types, themes = host.records(blocks.BlockType), host.records(Theme)
    with host.store.unit(writes=False) as unit:
        rules = blocks.rules_of(unit.connection, host.section, host.records)
        return preview_template(
            unit.connection, template, site_id, brought=block_types, themes=themes, rules=rules
        )
