"""A published page as the document that visitors get."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard_landing.blocks.blocktypes import BlockType, read_types
from landyard_landing.blocks.drafts import ListedBlock, list_blocks, safe_content
from landyard_landing.blocks.wrapping import wrap_public
from landyard_landing.public.assets import STYLESHEET
from landyard_landing.public.frames import framing_of
from landyard_landing.public.metadata import Metadata, describe, write_head
from landyard_landing.sites.urls import Address, address_of, page_at
from landyard_landing.tables import PAGE

_ALL = 100_000
_FIND = select(*PAGE).where(PAGE.id == bindparam("page_id"))


class Document(Struct, frozen=True):
    """What a page's document is made of; every part but the HTML is escaped on the way.

    `above` and `below` are of the frame around the page.
    """

    metadata: Metadata
    styles: tuple[str, ...]
    blocks: tuple[str, ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def published_page(
    connection: Connection, page_id: int, base: str, brought: Mapping[str, BlockType]
) -> str:
    """Render the published version of a page that there is.

    `base` is that of sites without a domain, see `Address.url`; plugins have `brought` block types.
    """
    page = connection.execute(_FIND, {"page_id": page_id}).one()
    framing = framing_of(connection, page_id)
    pages = [page_id, *(each for each in (*framing.above, *framing.below) if isinstance(each, int))]
    shown = {each: _active_blocks(connection, each) for each in pages}
    every = [block for blocks in shown.values() for block in blocks]
    found = read_types(connection, {block.code: block.digest for block in every}, brought)
    styles = dict.fromkeys(
        address for block in every for address in found[block.code].css if _own(address)
    )
    return render(
        Document(
            metadata=_metadata(connection, page, base),
            styles=(STYLESHEET, *styles),
            blocks=tuple(_shown(block, found) for block in shown[page_id]),
            above=_framed(framing.above, shown, found),
            below=_framed(framing.below, shown, found),
        )
    )


def _active_blocks(connection: Connection, page_id: int) -> list[ListedBlock]:
    listed = list_blocks(connection, page_id, public=True, deleted=False, limit=_ALL)
    return [block for block in listed if block.active]


def _framed(
    pieces: Iterable[str | int],
    shown: Mapping[int, list[ListedBlock]],
    kinds: Mapping[str, BlockType],
) -> tuple[str, ...]:
    """Write the pieces of a frame: the blocks of a page, or the frame's own HTML."""
    return tuple(
        html
        for piece in pieces
        for html in (
            [piece] if isinstance(piece, str) else [_shown(block, kinds) for block in shown[piece]]
        )
    )


def render(document: Document) -> str:
    """Write the document; leading headers and trailing footers stand outside of `main`."""
    above, main, below = _landmarks(document.blocks)
    links = "".join(f'<link rel="stylesheet" href="{escape(url)}">\n' for url in document.styles)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{write_head(document.metadata)}{links}</head>\n<body>\n"
        '<a class="ly-skip" href="#content">Skip to content</a>\n'
        f"{_lines(document.above)}{_lines(above)}"
        f'<main id="content">\n{_lines(main)}</main>\n'
        f"{_lines(below)}{_lines(document.below)}"
        "</body>\n</html>\n"
    )


def lost(path: str, ways: Iterable[tuple[str, str]] = ()) -> str:
    """Write the page for an address that leads nowhere; `ways` are titles and paths to go on to."""
    links = "".join(f'<p><a href="{escape(url)}">{escape(title)}</a></p>\n' for title, url in ways)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>Page not found</title>\n<link rel="stylesheet" href="{STYLESHEET}">\n</head>\n'
        '<body class="ly-lost">\n<main id="content">\n<h1>There is no page here</h1>\n'
        f"<p>Nothing is published at <code>{escape(path[:200])}</code>. The page may have moved,"
        f" or is not public yet.</p>\n{links}</main>\n</body>\n</html>\n"
    )


def _shown(block: ListedBlock, kinds: Mapping[str, BlockType]) -> str:
    content = safe_content(block.content, block.policy)
    if show := kinds[block.code].show:
        content = show(block.id, content)
    return wrap_public(block.id, block.code, block.anchor, content)


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


def _metadata(connection: Connection, page: Any, base: str) -> Metadata:
    address = address_of(connection, page.id)
    assert address is not None
    # A page with a rule is at many addresses, and the one it is written with is another page's.
    own = page_at(connection, address.domain or "", address.path) == page.id
    url = address.url(base) if own else ""
    home = Address(address.domain, "").url(base)
    return describe(page.additional_fields, page.title, page.description, url, home)


def _own(address: str) -> bool:
    """Only files of this server are loaded: the page's policy would stop the others."""
    return address.startswith("/") and not address.startswith("//")
