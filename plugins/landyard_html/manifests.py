"""Block manifests, which list a block's editable elements by selector."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from landyard_html import words
from landyard_html.selectors import usable

if TYPE_CHECKING:
    from turbohtml import Element

NODE_TYPES = words("component embed icon img link map styleimg text")
"""The types of nodes that need no plugin."""

# More digits than any position that could exist, and few enough for int().
_MAX_DIGITS = 9
_BEYOND = 10**_MAX_DIGITS
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Node(Struct, frozen=True):
    """One editable node: its type (`text`, `img`, `link`, …); `skip_content` keeps its text."""

    type: str
    skip_content: bool = False


class MenuLevel(Struct, frozen=True):
    """The class names of one level of a menu, and of the level below it."""

    ul: str = ""
    li: str = ""
    a: str = ""
    children: MenuLevel | None = None


class Menu(Struct, frozen=True):
    """A menu (`B16`): the selector of its items, its name, and the class names of its levels."""

    item: str = ""
    name: str = ""
    root: MenuLevel = MenuLevel()


class Place(Struct, frozen=True):
    """The manifest's entry of a selector, with the position that a caller asked for, if any.

    `is_component` marks a component's selector: it contains `:` and has no other type of node
    (`B11`). `attrs` are the attributes declared for it, None where the manifest has no list.
    """

    selector: str
    type: str = ""
    is_component: bool = False
    skip_content: bool = False
    attrs: frozenset[str] | None = None
    menu: Menu | None = None
    index: int | None = None

    def pick_all(self, found: list[Element]) -> list[Element]:
        """The element at the position, or all elements without a position (`B8`, `B11`)."""
        return found if self.index is None else found[self.index : self.index + 1]


class Manifest(Struct, frozen=True):
    """A manifest, read; each map is keyed by selector, and `cards` holds names.

    `attrs` holds the attribute names (for components: parameter names) that are declared for a
    selector anywhere in the manifest (`B12`); the set is empty for a selector without any.
    `block_attrs` are the attributes of the block's outermost element; `style_block` tells whether
    the manifest styles that element. `places` joins all maps by selector; `other_types` are the
    types of nodes that are not built in; `document` is the manifest as it was written.
    """

    nodes: Mapping[str, Node] = {}
    cards: Mapping[str, str] = {}
    attrs: Mapping[str, frozenset[str]] = {}
    block_attrs: frozenset[str] = frozenset()
    style_nodes: frozenset[str] = frozenset()
    style_block: bool = False
    menu: Mapping[str, Menu] = {}
    places: Mapping[str, Place] = {}
    other_types: frozenset[str] = frozenset()
    document: Mapping[str, object] = {}

    def place(self, key: str) -> Place | None:
        """Find the place that a key of `data` names; None when the manifest has none (`B7`).

        The key is looked up, and never compiled as a selector.
        """
        found = self.places.get(key)
        if found is None:
            selector, index = split_position(key)
            found = self.places.get(selector)
            return replace(found, index=index) if found is not None else None
        return found


def parse_manifest(document: Mapping[str, object]) -> Manifest:
    """Read a manifest tolerantly.

    `[]` where a map is expected is the empty map, unknown keys are ignored, entries of the
    wrong shape are dropped. Selectors that are not allowed are dropped as well (`B18`).
    """
    document = usable(document)
    style = _map(document.get("style"))
    style_nodes = _maps(style.get("nodes"))
    cards = _maps(document.get("cards"))
    menus = _maps(document.get("menu"))
    declared = _map(document.get("attrs"))
    attrs: dict[str, set[str]] = {selector: set() for selector in declared if selector}
    for selector, entries in declared.items():
        _collect(attrs, selector, entries)
    for selector, entry in [*style_nodes.items(), *cards.items()]:
        _collect(attrs, selector, _additional(entry))
    block_attrs: dict[str, set[str]] = {}
    _collect(block_attrs, "", _additional(_map(style.get("block"))))
    own = block_attrs.pop("", set())
    for selector, names in block_attrs.items():
        attrs.setdefault(selector, set()).update(names)
    manifest = Manifest(
        nodes=_link_nodes(menus) | _nodes(document.get("nodes")),
        cards={selector: _text(card.get("name")) for selector, card in cards.items()},
        attrs={selector: frozenset(names) for selector, names in attrs.items()},
        block_attrs=frozenset(own),
        style_nodes=frozenset(style_nodes),
        style_block=isinstance(style.get("block"), Mapping | list),
        menu={selector: _menu(menu) for selector, menu in menus.items()},
        document=document,
    )
    types = frozenset(node.type for node in manifest.nodes.values())
    return replace(manifest, places=_places(manifest), other_types=types - NODE_TYPES)


def split_position(key: str) -> tuple[str, int | None]:
    """Split a key at its last `@` into selector and position; None where there is no `@`."""
    selector, at, position = key.rpartition("@")
    return (selector, _index(position)) if at else (key, None)


def _index(position: str) -> int:
    """The number behind `@` (`B8`).

    An empty or non-numeric position counts as 0; `-1` and `1.5` find no element.
    """
    if position.isascii() and position.isdigit():
        return int(position) if len(position) <= _MAX_DIGITS else _BEYOND
    return _BEYOND if _NUMBER.fullmatch(position) else 0


def list_selectors(noun: str, found: Iterable[str]) -> str:
    """Write the part of an error text that lists a block's selectors."""
    names = sorted(found)
    return f"Its {noun}: {', '.join(names)}." if names else f"It has no {noun}."


def _places(manifest: Manifest) -> dict[str, Place]:
    named = (manifest.nodes, manifest.attrs, manifest.cards, manifest.style_nodes, manifest.menu)
    found: dict[str, Place] = {}
    for selector in frozenset().union(*named):
        node = manifest.nodes.get(selector, Node(""))
        found[selector] = Place(
            selector,
            node.type,
            ":" in selector and node.type in {"", "component"},
            node.skip_content,
            manifest.attrs.get(selector),
            manifest.menu.get(selector),
        )
    return found


def _map(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {}
    return {key: item for key, item in value.items() if isinstance(key, str)}


def _maps(value: object) -> dict[str, dict[str, object]]:
    return {key: _map(item) for key, item in _map(value).items() if isinstance(item, Mapping)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _nodes(value: object) -> dict[str, Node]:
    return {
        selector: Node(_text(node["type"]), bool(node.get("skipContent")))
        for selector, node in _maps(value).items()
        if isinstance(node.get("type"), str)
    }


def _additional(entry: Mapping[str, object]) -> object:
    return _map(entry.get("additional")).get("attrs")


def _collect(found: dict[str, set[str]], selector: str, entries: object) -> None:
    for target, name in _declared(selector, entries):
        found.setdefault(target, set()).add(name)


def _declared(selector: str, entries: object) -> Iterator[tuple[str, str]]:
    """Yield each declared (selector, attribute) of a list of attribute entries and its groups."""
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, Mapping):
            continue
        target = _text(entry.get("selector")) or selector
        name = _text(entry.get("attribute"))
        if not name and ":" in target:
            name = _text(entry.get("name"))
        if name:
            yield target, name
        yield from _declared(target, entry.get("attrs"))


def _link_nodes(menus: Mapping[str, Mapping[str, object]]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for menu in menus.values():
        found |= _nodes(menu.get("nodes"))
    return found


def _menu(menu: Mapping[str, object]) -> Menu:
    root = _level({**_map(menu.get("root")), "children": menu.get("children")})
    return Menu(_text(menu.get("item")), _text(menu.get("name")), root)


def _level(level: Mapping[str, object]) -> MenuLevel:
    below = level.get("children")
    return MenuLevel(
        ul=_text(level.get("ulClassName")),
        li=_text(level.get("liClassName")),
        a=_text(level.get("aClassName")),
        children=_level(_map(below)) if isinstance(below, Mapping) and below else None,
    )
