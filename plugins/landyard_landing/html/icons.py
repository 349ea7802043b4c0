"""Icons: the class names that draw one, and those beside them that are the block's structure."""

import re
from functools import lru_cache

from landyard_landing.html import tree

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
    """The classes the manifest's HTML gives the element, without those of its icon (`B10`).

    Copies of a card, which have none of their own there, follow the last. None: no such element.
    """
    try:
        found = tree.parse_fragment(structure).select(selector)
    except tree.SelectorSyntaxError:
        return None
    return without_icons(found[min(index, len(found) - 1)], selector) if found else None


def without_icons(element: "tree.Element", selector: str) -> tuple[str, ...]:
    """The classes that are structure; those the selector finds the element by always are."""
    named = set(re.findall(r"\.([\w-]+)", selector))
    names = (element.attr("class") or "").split()
    return tuple(name for name in names if name in named or not _NAME.fullmatch(name))
