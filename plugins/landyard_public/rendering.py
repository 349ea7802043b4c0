"""Renders a page, published or draft, as a whole HTML document."""

import functools
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Connection, bindparam, exists, func, select

from landyard import Host
from landyard_content.blocks import (
    BlockType,
    ListedBlock,
    list_blocks,
    read_types,
    rules_of,
    safe_content,
)
from landyard_content.words import nearest, words_of
from landyard_html.embeds import without_refused
from landyard_html.values import Rules
from landyard_html.wrapping import wrap_public
from landyard_landing import languages, sites, tables
from landyard_public.assets import STYLESHEET
from landyard_public.frames import framing_of
from landyard_public.machine_dates import with_dates
from landyard_public.metadata import Metadata, describe, write_head
from landyard_public.page_lookup import page_at
from landyard_public.page_writers import written
from landyard_public.search_metadata import Shown, with_what_is_shown
from landyard_public.themes.site_look import PLAIN, Look, look_of
from landyard_public.themes.theme import Theme
from landyard_public.translations import translations
from landyard_public.words import open_graph_locale, with_labels

Wrap = Callable[[int, str, str | None, str], str]
"""Wraps a block's HTML, by its id, code, anchor and HTML; see `wrap_public`."""

_ALL = 100_000
_FONT = '<link rel="preload" href="{}" as="font" type="font/woff2" crossorigin>\n'
_OURS = "ly."  # the prefix of the codes of the catalogue's blocks
_TRANSLATION = tables.PAGE.id.table.alias()
_FIND = (
    select(
        *tables.PAGE,
        func.coalesce(tables.PAGE.language, tables.SITE.language).label("spoken"),
        *(
            tables.SITE.theme,
            tables.SITE.theme_tokens,
            tables.SITE.additional_fields.label("site_fields"),
        ),
        *(
            tables.SITE.title.label("site_title"),
            tables.SITE.code.label("site_code"),
            tables.SITE.domain,
        ),
        exists().where(_TRANSLATION.c.original_id == tables.PAGE.id).label("is_original"),
    )
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.PAGE.id == bindparam("page_id"))
)


class Document(Struct, frozen=True):
    """The parts of a page's document; all parts but the HTML of blocks and frame are escaped later.

    `above` and `below` are the frame's HTML around the page.
    """

    language: str
    metadata: Metadata
    styles: tuple[str, ...]
    blocks: tuple[str, ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    fonts: tuple[str, ...] = ()
    icon: str = ""


class Rendered(Struct, frozen=True):
    """A page as HTML, and its language."""

    html: str
    language: str


def published_page(
    host: Host,
    connection: Connection,
    page_id: int,
    plugin_types: Mapping[str, BlockType],
    *,
    wrap: Wrap = wrap_public,
) -> Rendered:
    """Render the published version of an existing page.

    `plugin_types` are the block types of plugins. Plugins also change the page's blocks, see
    `PageWriter`. `wrap` wraps the page's own blocks, not those of its frame.
    """
    shown = _active_blocks(connection, page_id)
    return _rendered(host, connection, page_id, plugin_types, shown, wrap=wrap)


def draft_page(
    host: Host,
    connection: Connection,
    page_id: int,
    plugin_types: Mapping[str, BlockType],
    *,
    to_edit: bool = False,
) -> Rendered:
    """Render the draft of an existing page, as visitors would see it once published.

    `to_edit` includes hidden blocks, and adds the block's id to each wrapper as `data-block`, and
    `data-hidden` to those of hidden blocks.
    """
    listed = list_blocks(connection, page_id, public=False, deleted=False, limit=_ALL)
    if not to_edit:
        shown = [block for block in listed if block.active]
        return _rendered(host, connection, page_id, plugin_types, shown)
    hidden = {block.id for block in listed if not block.active}

    def wrap(block_id: int, code: str, anchor: str | None, content: str) -> str:
        marked = f'<div data-block="{block_id}"{" data-hidden" * (block_id in hidden)}'
        return marked + wrap_public(block_id, code, anchor, content).removeprefix("<div")

    return _rendered(host, connection, page_id, plugin_types, listed, wrap=wrap)


def _rendered(
    host: Host,
    connection: Connection,
    page_id: int,
    plugin_types: Mapping[str, BlockType],
    own_blocks: list[ListedBlock],
    *,
    wrap: Wrap = wrap_public,
) -> Rendered:
    base, themes = host.settings.base, host.records(Theme)
    page = connection.execute(_FIND, {"page_id": page_id}).one()
    framing = framing_of(connection, page_id)
    around = [each for each in (*framing.above, *framing.below) if isinstance(each, int)]
    shown = {each: _active_blocks(connection, each) for each in around}
    shown[page_id] = own_blocks
    every = [block for blocks in shown.values() for block in blocks]
    found = read_types(connection, {block.code: block.digest for block in every}, plugin_types)
    styles = dict.fromkeys(
        address for block in every for address in found[block.code].css if is_own(address)
    )
    rules = functools.cache(lambda: rules_of(connection, host.section, host.records))
    write = functools.partial(write_block, kinds=found, language=page.spoken, rules=rules)
    own = page.site_fields if isinstance(page.site_fields, dict) else {}
    look = look_of(page.site_id, page.theme, page.theme_tokens, own, themes, page.spoken)
    drawn = tuple(write(block, wrap=wrap) for block in own_blocks)
    blocks = written(host, connection, page_id, drawn)
    document = Document(
        language=page.spoken,
        metadata=_metadata(
            connection, page, base, [(found[each.code], each) for each in own_blocks]
        ),
        styles=(STYLESHEET, *styles, *look.styles),
        blocks=blocks,
        above=_framed(framing.above, shown, write),
        below=_framed(framing.below, shown, write),
        fonts=look.fonts,
        icon=look.icon,
    )
    return Rendered(render(document), page.spoken)


def _active_blocks(connection: Connection, page_id: int) -> list[ListedBlock]:
    listed = list_blocks(connection, page_id, public=True, deleted=False, limit=_ALL)
    return [block for block in listed if block.active]


def _framed(
    pieces: Iterable[str | int],
    shown: Mapping[int, list[ListedBlock]],
    write: Callable[[ListedBlock], str],
) -> tuple[str, ...]:
    """Write the pieces of a frame: its own HTML, and the blocks of area pages."""
    return tuple(
        html
        for piece in pieces
        for html in ([piece] if isinstance(piece, str) else map(write, shown[piece]))
    )


def render(document: Document) -> str:
    """Write the document; leading header blocks and trailing footer blocks are outside `<main>`."""
    above, main, below = _landmarks(document.blocks)
    links = _links(document.fonts, document.styles, document.icon)
    return (
        f"{_opening(document.language)}{write_head(document.metadata)}{links}</head>\n<body>\n"
        f'<a class="ly-skip" href="#content">{escape(words_of(document.language).skip)}</a>\n'
        f"{_lines(document.above)}{_lines(above)}"
        f'<main id="content">\n{_lines(main)}</main>\n'
        f"{_lines(below)}{_lines(document.below)}"
        "</body>\n</html>\n"
    )


def _links(fonts: Iterable[str], styles: Iterable[str], icon: str) -> str:
    links = "".join(_FONT.format(escape(url)) for url in fonts)
    links += "".join(f'<link rel="stylesheet" href="{escape(url)}">\n' for url in styles)
    return links + (f'<link rel="icon" href="{escape(icon)}">\n' if icon else "")


def lost(path: str, language: str, ways: Iterable[tuple[str, str]] = (), look: Look = PLAIN) -> str:
    """Write the page for error 404, with links by the titles and paths in `ways`.

    It has the `look` of the site, if any.
    """
    words = words_of(language)
    before, _, behind = words.lost_text.partition("{path}")
    links = "".join(f'<p><a href="{escape(url)}">{escape(title)}</a></p>\n' for title, url in ways)
    return (
        f"{_opening(language)}<title>{escape(words.lost_title)}</title>\n"
        f"{_links(look.fonts, (STYLESHEET, *look.styles), look.icon)}</head>\n"
        f'<body class="ly-lost">\n<main id="content">\n<h1>{escape(words.lost_heading)}</h1>\n'
        f'<p>{escape(before)}<code dir="ltr">{escape(path[:200])}</code>{escape(behind)}</p>\n'
        f"{links}</main>\n</body>\n</html>\n"
    )


def _opening(language: str) -> str:
    return (
        f'<!doctype html>\n<html lang="{escape(language)}"'
        f' dir="{languages.direction(language)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    )


def write_block(
    block: ListedBlock,
    kinds: Mapping[str, BlockType],
    language: str,
    rules: Callable[[], Rules],
    wrap: Wrap = wrap_public,
) -> str:
    """Write a block as visitors get it: labels translated, frames refused by `rules` removed."""
    content = without_refused(safe_content(block.content, block.policy), rules)
    kind = kinds[block.code]
    if block.code.startswith(_OURS):
        content = with_labels(content, words_of(language).labels)
    elif kind.labels:
        content = with_labels(content, nearest(kind.labels, language) or {})
    if show := kind.show:
        content = show(block.id, content, language)
    return wrap(block.id, block.code, block.anchor, with_dates(content))


def _landmarks(blocks: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    first, last = 0, len(blocks)
    while first < last and _root_is(blocks[first], "header"):
        first += 1
    while last > first and _root_is(blocks[last - 1], "footer"):
        last -= 1
    return list(blocks[:first]), list(blocks[first:last]), list(blocks[last:])


def _root_is(block: str, tag: str) -> bool:
    content = block[block.index(">") + 1 :].lstrip()
    return content.startswith((f"<{tag} ", f"<{tag}>"))


def _lines(parts: Iterable[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _metadata(connection: Connection, page: Any, base: str, blocks: Iterable[Shown]) -> Metadata:
    address = sites.address_of(connection, page.id)
    assert address is not None
    # A page with a rule has many addresses, and `address_of` returns the address of another page.
    own = page_at(connection, address.domain or "", address.path) == page.id
    url = address.url(base) if own else ""
    home = sites.Address(address.domain, "").url(base)
    title = page.title.strip() or page.code  # a document must have a title
    fields = sites.shown_fields(
        page.title, page.description, page.additional_fields, page.template_fields
    )
    described = describe(fields, title, fields.get("DESCRIPTION", ""), url, home)
    original = page.original_id or (page.id if page.is_original else None)
    return structs.replace(
        with_what_is_shown(connection, described, page, home, blocks),
        locale=open_graph_locale(page.spoken),
        translations=translations(connection, page.id, original, base) if original else (),
    )


def is_own(address: str) -> bool:
    """Tell whether a file is of this server; the page's policy would block any other."""
    return address.startswith("/") and not address.startswith("//")
