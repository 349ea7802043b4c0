"""Separates an icon's class names from the structural classes of its element."""

import re
from functools import lru_cache

from landyard_html import tree

ICON_NAMES = (
    r"fa[bdlrs]?|fa-.+|icons?-.+|et-icon.*|hs-icon.*|la[bdlrs]?|la-.+|bi|bi-.+|mdi|mdi-.+|ti|ti-.+"
    r"|glyphicon.*|material-icons.*"
)
"""A pattern of the class names that icon fonts use, as Python and JavaScript read it.

All others are structure: `landing-block-node-icon`, `g-mb-10`.
"""
_NAME = re.compile(ICON_NAMES)


@lru_cache(maxsize=256)
def structural_classes(structure: str, selector: str, index: int) -> tuple[str, ...] | None:
    """The structural classes of an element in its manifest's HTML, without icon classes (`B10`).

    An index behind the last element there, as copies of a card have, reads the last. None where
    the selector finds no element, or is broken.
    """
    try:
        found = tree.parse_fragment(structure).select(selector)
    except tree.SelectorSyntaxError:
        return None
    return without_icons(found[min(index, len(found) - 1)], selector) if found else None


def without_icons(element: "tree.Element", selector: str) -> tuple[str, ...]:
    """The element's structural classes; a class that the selector names always counts as one."""
    named = set(re.findall(r"\.([\w-]+)", selector))
    names = (element.attr("class") or "").split()
    return tuple(name for name in names if name in named or not _NAME.fullmatch(name))
