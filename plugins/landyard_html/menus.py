"""Reads a menu's items and writes them as `<li>` elements (`B16`)."""

from collections.abc import Mapping

from msgspec import Struct

from landyard_html.addresses import link_address
from landyard_html.allowed import TARGETS
from landyard_html.manifests import Menu, MenuLevel
from landyard_html.php_lists import as_list
from landyard_html.policy import escape_attribute, escape_text

MAX_LEVELS = 5
EXPECTED = (
    "a list of menu items, each an object with 'text' and perhaps 'href', 'target' and "
    f"'children', at most {MAX_LEVELS} levels deep"
)


class MenuItem(Struct, frozen=True):
    """One item: plain text, an allowed address, and the items below it."""

    text: str
    href: str = "#"
    target: str = ""
    children: "tuple[MenuItem, ...]" = ()


def read_items(value: object, levels: int = MAX_LEVELS) -> tuple[MenuItem, ...] | None:
    """Read the items in a menu's value; None when any of it has the wrong shape.

    An empty list is an empty menu; a refused address becomes `#`.
    """
    value = as_list(value)
    if not isinstance(value, list) or not (levels or not value):
        return None
    items = [_read_item(item, levels) for item in value]
    read = tuple(item for item in items if item is not None)
    return read if len(read) == len(items) else None


def render_items(items: tuple[MenuItem, ...], menu: Menu) -> str:
    """The items as HTML, with the manifest's class names for each level."""
    return _render(items, menu.root)


def _read_item(value: object, levels: int) -> MenuItem | None:
    if not isinstance(value, Mapping):
        return None
    text, href, target = value.get("text"), value.get("href"), value.get("target")
    children = read_items(value.get("children") or [], levels - 1)
    if not isinstance(text, str) or children is None:
        return None
    if not isinstance(href, str | None) or not isinstance(target, str | None):
        return None
    address = "#" if href is None else link_address(href)
    return MenuItem(text, "#" if address is None else address, link_target(target), children)


def link_target(target: str | None) -> str:
    """The `target` of a link: one of HTML's keywords, empty for any other text."""
    keyword = (target or "").strip().lower()
    keyword = "_blank" if keyword == "_popup" else keyword
    return keyword if keyword in TARGETS else ""


def _render(items: tuple[MenuItem, ...], level: MenuLevel) -> str:
    below = level.children or level
    drawn = []
    for item in items:
        link = f"<a{_attributes(level.a, item)}>{escape_text(item.text)}</a>"
        if item.children:
            link += f"<ul{_class(below.ul)}>{_render(item.children, below)}</ul>"
        drawn.append(f"<li{_class(level.li)}>{link}</li>")
    return "".join(drawn)


def _attributes(class_name: str, item: MenuItem) -> str:
    target = f' target="{item.target}"' if item.target else ""
    return f'{_class(class_name)} href="{escape_attribute(item.href)}"{target}'


def _class(name: str) -> str:
    return f' class="{escape_attribute(name)}"' if name else ""
