"""Offsets of elements in a block's source, compared with the parsed tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from landyard_html import tree
from landyard_html.nesting import OPTIONAL_END, VOID

if TYPE_CHECKING:
    from turbohtml import Element, Node

BLANKS = " \t\r\n\f"
"""The characters that HTML treats as white space."""

_OPEN = OPTIONAL_END | VOID
_IMPLIED = frozenset({"colgroup", "tbody", "tr"})


def is_open(node: Node | None) -> TypeGuard[Element]:
    """Whether the node is an element without an end tag, closed by the HTML behind it."""
    if not isinstance(node, tree.Element) or node.tag in VOID:
        return False
    location = node.source_location
    return location is None or location.end_tag is None


def whole_lines(source: str, start: int, end: int) -> tuple[int, int]:
    """Widen the span to whole lines, unless the lines hold more than white space beside it."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end) + 1 or len(source)
    blank = not (source[first:start] + source[end:last]).strip(BLANKS)
    return (first, last) if blank else (start, end)


def follows_source(root: Element, length: int) -> bool:
    """Whether the elements nest in the source as in the tree, each closed inside its parent.

    The only missing end tags are those that HTML allows to omit.
    """
    enclosing: list[tuple[Element, int, int]] = [(root, length, length)]
    position = 0
    for element in root.iter_elements():
        while enclosing[-1][0] is not element.parent:
            if len(enclosing) == 1:
                return False
            position = max(position, enclosing.pop()[2])
        limit = enclosing[-1][1]
        location = element.source_location
        if location is None:
            if element.tag not in _IMPLIED:
                return False
            enclosing.append((element, limit, position))
            continue
        start, end = location.start_tag, location.end_tag
        if start.start_offset < position or start.end_offset > limit:
            return False
        if end is None and element.tag not in _OPEN:
            return False
        position = start.end_offset
        if end is not None:
            if end.start_offset < position or end.end_offset > limit:
                return False
            enclosing.append((element, end.start_offset, end.end_offset))
        else:
            enclosing.append((element, limit, position))
    return True
