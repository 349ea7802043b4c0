"""Manifests: which elements of a block may be edited, and the selectors that find them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from landyard_landing.html import words
from landyard_landing.html.selectors import usable

if TYPE_CHECKING:
    from turbohtml import Element

NODE_TYPES = words("component embed icon img link map styleimg text")
"""The types of nodes that need no plugin."""

# More digits than any position that could exist, and few enough for int().
_MAX_DIGITS = 9
_BEYOND = 10**_MAX_DIGITS
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Node(Struct, frozen=True):
    """One editable node: its type (`text`, `img`, `link`, ...), and whether its text stays."""

    type: str
    skip_content: bool = False


class MenuLevel(Struct, frozen=True):
    """The class names of one level of a menu, and of the level below it."""

    ul: str = ""
    li: str = ""
    a: str = ""
    children: MenuLevel | None = None


class Menu(Struct, frozen=True):
    """A menu (`B16`): the selector of its items, its name, and the class names it is drawn with."""

    item: str = ""
    name: str = ""
    root: MenuLevel = MenuLevel()


class Place(Struct, frozen=True):
    """What the manifest says of a selector, and the position that a caller asks for (None: none).

    `is_component` says that it names a component: it contains `:` and is no other type of node
    (`B11`). `attrs` are the attributes that it declares, None where it has none of its own.
    """

    selector: str
    type: str = ""
    is_component: bool = False
    skip_content: bool = False
    attrs: frozenset[str] | None = None
    menu: Menu | None = None
    index: int | None = None

    def pick_all(self, found: list[Element]) -> list[Element]:
        """The one element at the position, all of them without one (`B8`, `B11`)."""
        return found if self.index is None else found[self.index : self.index + 1]


class Manifest(Struct, frozen=True):
    """What a manifest says about editing, each map keyed by selector; `cards` holds names.

    `attrs` holds the attribute names (for components: parameter names) a selector declares
    anywhere in the manifest (`B12`), no names for one that it has without declaring any;
    `block_attrs` those of the block's outermost element, and `style_block` whether the manifest
    has a style for that. `places` holds all of it by selector; `other_types` are the types of nodes
    that are not built in; `document` is the manifest that all of it was read from.
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
        """What a key of `data` names, or None when the manifest does not have it (`B7`).

        The key is looked up, never compiled.
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
    wrong shape are dropped. So are selectors that may not act (`B18`).
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
    """Take the position behind the last `@` off a selector; None where there is no `@`."""
    selector, at, position = key.rpartition("@")
    return (selector, _index(position)) if at else (key, None)


def _index(position: str) -> int:
    """The number behind `@`; empty and non-numeric count as 0, `-1` and `1.5` find none (`B8`)."""
    if position.isascii() and position.isdigit():
        return int(position) if len(position) <= _MAX_DIGITS else _BEYOND
    return _BEYOND if _NUMBER.fullmatch(position) else 0


def told(noun: str, found: Iterable[str]) -> str:
    """Say in an error which selectors a block has."""
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
    """Every (selector, attribute) that a list of attribute entries declares, groups included."""
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
