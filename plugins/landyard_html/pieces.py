"""Divides a block's HTML into nested pieces of its source, for the merge of two edits.

HTML that is joined from unchanged pieces is equal to its source, byte for byte (`H2`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from landyard_html import tree
from landyard_html.markup import parse_block
from landyard_html.nesting import VOID
from landyard_html.policy import clean_block
from landyard_html.spans import follows_source

if TYPE_CHECKING:
    from turbohtml import Element

_KEPT_BLANKS = frozenset({"pre", "textarea"})


class Piece(Struct, frozen=True):
    """An element as written in the source; `lead` are the blanks in front, not part of `source`.

    `attributes` are the attributes as written, by name. `is_whole` marks content that is merged as
    one value: a text node's, or content with text directly in the element. `tail` are the blanks
    behind `inside`.
    """

    source: str
    inner: str
    lead: str = ""
    tag: str = ""
    start: str = ""
    end: str = ""
    attributes: dict[str, str] = {}
    inside: tuple[Piece, ...] = ()
    tail: str = ""
    is_whole: bool = False


class Unreadable(Exception):
    """The source is no tree of closed elements, even after the policy."""


def read_pieces(source: str, texts: Iterable[str]) -> Piece:
    """Read a block's HTML; `texts` are the selectors of its text nodes. Raises `Unreadable`."""
    root = parse_block(source)
    if not _is_plain(root, source):
        source = clean_block(source)
        root = parse_block(source)
        if not _is_plain(root, source):
            raise Unreadable
    nodes = {node for selector in texts for node in _selected(root, selector)}
    return _divided(Piece(source, source), source, (0, len(source)), root, nodes)


def _is_plain(root: Element, source: str) -> bool:
    return follows_source(root, len(source)) and all(map(_is_closed, root.iter_elements()))


def _is_closed(element: Element) -> bool:
    location = element.source_location
    return location is not None and (location.end_tag is not None or element.tag in VOID)


def _selected(root: Element, selector: str) -> list[Element]:
    try:
        return root.select(selector)
    except tree.SelectorSyntaxError:
        return []


def _piece(source: str, element: Element, lead: str, nodes: Collection[Element]) -> Piece:
    location = element.source_location
    assert location is not None
    start, end = location.start_tag, location.end_tag or location.start_tag
    outer = (start.start_offset, end.end_offset)
    inner = (start.end_offset, max(start.end_offset, end.start_offset))
    spans = location.attrs.items()
    piece = Piece(
        source[slice(*outer)],
        source[slice(*inner)],
        lead,
        element.tag,
        source[outer[0] : inner[0]],
        source[inner[1] : outer[1]],
        {name: source[span.start_offset : span.end_offset] for name, span in spans},
    )
    return _divided(piece, source, inner, element, nodes)


def _divided(
    piece: Piece, source: str, inner: tuple[int, int], element: Element, nodes: Collection[Element]
) -> Piece:
    """Divide an element's content into pieces, unless it is merged as one value."""
    if element in nodes or element.tag in _KEPT_BLANKS:
        return replace(piece, is_whole=True)
    inside: list[Piece] = []
    position = inner[0]
    for child in element.children:
        if isinstance(child, tree.Element):
            location = child.source_location
            assert location is not None
            lead = source[position : location.start_tag.start_offset]
            inside.append(_piece(source, child, lead, nodes))
            position = (location.end_tag or location.start_tag).end_offset
    tail = source[position : inner[1]]
    if tail.strip() or any(each.lead.strip() for each in inside):
        return replace(piece, is_whole=True)
    return replace(piece, inside=tuple(inside), tail=tail)
