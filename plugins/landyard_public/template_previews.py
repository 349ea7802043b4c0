"""Renders a preview of a page template in the look of a site, without creating the page."""

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import Connection

from landyard_content import blocks, pages
from landyard_html.values import Rules
from landyard_landing import languages
from landyard_public.assets import STYLESHEET
from landyard_public.metadata import describe
from landyard_public.rendering import Document, is_own, render, write_block
from landyard_public.themes.site_look import look_of_site
from landyard_public.themes.theme import Theme

_NEVER = datetime.fromtimestamp(0, UTC)
_UNCLEANED = 0  # no policy has this version, so the HTML is cleaned when it is written


def preview_template(
    connection: Connection,
    template: pages.PageTemplate,
    site_id: int,
    *,
    brought: Mapping[str, blocks.BlockType],
    themes: Mapping[str, Theme],
    rules: Rules,
) -> str:
    """Render a template as a page of a site.

    `brought` are the block types of plugins; `rules` refuse frames of other hosts.
    """
    kinds = blocks.find_types(connection, {each.code for each in template.blocks}, brought)
    look = look_of_site(connection, site_id, themes, languages.USUAL_LANGUAGE)
    styles = dict.fromkeys(
        address for each in template.blocks for address in kinds[each.code].css if is_own(address)
    )
    listed = [
        _listed(number, each, kinds[each.code]) for number, each in enumerate(template.blocks, 1)
    ]
    return render(
        Document(
            language=languages.USUAL_LANGUAGE,
            metadata=describe({}, template.title or template.code, "", "", ""),
            styles=(STYLESHEET, *styles, *look.styles),
            blocks=tuple(
                write_block(each, kinds, languages.USUAL_LANGUAGE, lambda: rules) for each in listed
            ),
            fonts=look.fonts,
        )
    )


def _listed(number: int, block: pages.TemplateBlock, kind: blocks.BlockType) -> blocks.ListedBlock:
    content = kind.content if block.content is None else block.content
    signed = (0, _NEVER, 0, _NEVER)
    return blocks.ListedBlock(
        number, 0, block.code, True, block.anchor, *signed, None, _UNCLEANED, content=content
    )
