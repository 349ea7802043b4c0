"""The manifest of a block: which selectors of its HTML may be edited, and as what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct


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


class Card(Struct, frozen=True):
    """A repeatable part of the block."""

    name: str = ""


class Manifest(Struct, frozen=True):
    """What a manifest says about editing, each map keyed by selector.

    `attrs` holds the attribute names (for components: parameter names) a selector declares
    anywhere in the manifest (`B12`), no names for one that it has without declaring any;
    `block_attrs` those of the block's outermost element, and `style_block` whether the manifest
    has a style for that.
    """

    nodes: Mapping[str, Node] = {}
    cards: Mapping[str, Card] = {}
    attrs: Mapping[str, frozenset[str]] = {}
    block_attrs: frozenset[str] = frozenset()
    style_nodes: frozenset[str] = frozenset()
    style_block: bool = False
    menu: Mapping[str, Menu] = {}

    def names(self, selector: str) -> bool:
        """Whether the manifest names the selector at all (`B7`)."""
        return (
            selector in self.nodes
            or selector in self.attrs
            or selector in self.cards
            or selector in self.style_nodes
            or selector in self.menu
        )


def parse_manifest(document: Mapping[str, object]) -> Manifest:
    """Read a manifest tolerantly.

    `[]` where a map is expected is the empty map, unknown keys are ignored, entries of the
    wrong shape are dropped.
    """
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
    return Manifest(
        nodes=_link_nodes(menus) | _nodes(document.get("nodes")),
        cards={selector: Card(_text(card.get("name"))) for selector, card in cards.items()},
        attrs={selector: frozenset(names) for selector, names in attrs.items()},
        block_attrs=frozenset(own),
        style_nodes=frozenset(style_nodes),
        style_block=isinstance(style.get("block"), Mapping | list),
        menu={selector: _menu(menu) for selector, menu in menus.items()},
    )


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
