"""Compares two states of a block's HTML and lists the changed nodes by their manifest names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from landyard_html import tree
from landyard_html.manifests import Manifest
from landyard_html.markup import Markup

_SHORT = 60  # characters of a text that are shown
_LONGEST = 200_000  # characters of HTML that are compared
_TEXTS = {"text", "link"}
_URL = re.compile(r"url\((['\"]?)(.*?)\1\)")
# The main attribute of a node type: its change is listed once, as a change of the node.
_MAIN_ATTRIBUTES = {"img": "src", "embed": "src", "link": "href"}
_LISTED_AS = {"img": "img", "embed": "embed", "link": "address"}


class Difference(Struct, frozen=True):
    """One place that differs.

    `what` is the type of a node (`text`, `img`, `icon`, …), or `format`, `address`, `alt`,
    `attribute`, `style`, `cards` (added or removed), `order`, `menu`, `html`, `parameter` or
    `anchor`. `name` is the place's name for people. `before` and `after` are short texts; both are
    empty where no short text describes the difference.
    """

    what: str
    name: str
    before: str = ""
    after: str = ""


def differences(before: str, after: str, manifest: Manifest) -> list[Difference]:
    """List the differences of two states of a block's HTML; of cards alone, where cards differ.

    Where the place cannot be found, and for HTML of more than 200,000 characters, the list is one
    `Difference` of the whole `html`.
    """
    if max(len(before), len(after)) > _LONGEST:
        return [Difference("html", "")]
    old, new = Markup(before), Markup(after)
    if [each.tag for each in old.outermost] != [each.tag for each in new.outermost]:
        return [Difference("html", "")]
    found = [*_of_cards(old, new, manifest)]
    if not found:
        found = [*_of_nodes(old, new, manifest), *_of_attributes(old, new, manifest)]
    return list(dict.fromkeys(found)) or [Difference("html", "")]


def excerpts(old: str, new: str) -> tuple[str, str]:
    """Shorten two texts, of more than 60 characters to the words in which they differ."""
    words, others = old.split(), new.split()
    if max(len(old), len(new)) > _SHORT:
        most = min(len(words), len(others))
        start = next((at for at in range(most) if words[at] != others[at]), most)
        words, others = words[start:], others[start:]
        while words and others and words[-1] == others[-1]:
            words, others = words[:-1], others[:-1]
    return _shortened(" ".join(words)), _shortened(" ".join(others))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _of_cards(old: Markup, new: Markup, manifest: Manifest) -> Iterator[Difference]:
    """List the cards that were added, removed or put in another order."""
    for selector, name in manifest.cards.items():
        cards, others = ([each.html for each in it.select(selector)] for it in (old, new))
        if cards == others:
            continue
        if len(cards) != len(others):
            lost = _only(old.select(selector), others)
            made = _only(new.select(selector), cards)
            yield Difference("cards", name, _shortened(lost), _shortened(made))
        elif Counter(cards) == Counter(others):
            yield Difference("order", name)


def _only(cards: Iterable[tree.Element], others: Iterable[str]) -> str:
    """Join the texts of the cards whose HTML is not in `others`, where each HTML counts once."""
    left = Counter(others)
    found = []
    for card in cards:
        left[card.html] -= 1
        if left[card.html] < 0:
            found.append(_text(card))
    return " · ".join(found)


def _of_nodes(old: Markup, new: Markup, manifest: Manifest) -> Iterator[Difference]:
    names = _names(manifest)
    for selector, menu in manifest.menu.items():
        lists = [" · ".join(map(_text, each.select(selector))) for each in (old, new)]
        if lists[0] != lists[1]:
            yield Difference("menu", menu.name, *excerpts(*lists))
            return
    for selector, node in manifest.nodes.items():
        pairs = zip(old.select(selector), new.select(selector), strict=False)
        for one, other in pairs:
            if one.html != other.html:
                yield from _of_node(one, other, node.type, names.get(selector, ""))


def _of_node(one: tree.Element, other: tree.Element, kind: str, name: str) -> Iterator[Difference]:
    if kind in _TEXTS and one.inner_html != other.inner_html:
        texts = (_text(one), _text(other))
        is_same = texts[0] == texts[1]
        yield Difference("format", name) if is_same else Difference("text", name, *excerpts(*texts))
    if attribute := _MAIN_ATTRIBUTES.get(kind):
        values = tuple(_value(each, attribute) for each in (one, other))
        if values[0] != values[1]:
            shown = map(_file_name, values) if kind == "img" else values
            yield Difference(_LISTED_AS[kind], name, *map(_shortened, shown))
    if kind == "img" and _value(one, "alt") != _value(other, "alt"):
        yield Difference("alt", name, *excerpts(_value(one, "alt"), _value(other, "alt")))
    if kind == "styleimg" and (found := [*map(_ground, (one, other))])[0] != found[1]:
        yield Difference("img", name, *map(_shortened, map(_file_name, found)))
    if kind == "icon" and _value(one, "class") != _value(other, "class"):
        classes = [_value(each, "class").split() for each in (one, other)]
        lost, gained = (
            " ".join(name for name in these if name not in those)
            for these, those in (classes, classes[::-1])
        )
        yield Difference("icon", name, _shortened(lost), _shortened(gained))
    if kind not in {*_TEXTS, *_MAIN_ATTRIBUTES, "styleimg", "icon"}:
        yield Difference(kind, name)


def _of_attributes(old: Markup, new: Markup, manifest: Manifest) -> Iterator[Difference]:
    """List the differences of declared attributes, classes and styles."""
    names, labels = _names(manifest), dict(_labels(manifest.document))
    icons = {key for key, node in manifest.nodes.items() if node.type in {"icon", "styleimg"}}
    declared: dict[str, Iterable[str]] = {"": manifest.block_attrs, **manifest.attrs}
    for selector in dict.fromkeys(["", *manifest.places]):
        pairs = zip(
            old.select(selector) if selector else old.outermost,
            new.select(selector) if selector else new.outermost,
            strict=False,
        )
        for one, other in pairs:
            for attribute in sorted(declared.get(selector, ())):
                values = [_value(each, attribute) for each in (one, other)]
                if values[0] != values[1]:
                    label, items = labels.get(attribute, (attribute, {}))
                    texts = (_shortened(items.get(each, each)) for each in values)
                    yield Difference("attribute", label, *texts)
            looks = [[_value(each, name) for name in ("class", "style")] for each in (one, other)]
            if looks[0] != looks[1] and selector not in icons:
                yield Difference("style", names.get(selector, ""))


def _names(manifest: Manifest) -> dict[str, str]:
    """The manifest's names for its selectors."""
    style = _map(manifest.document.get("style"))
    menus = [_map(menu).get("nodes") for menu in _map(manifest.document.get("menu")).values()]
    found: dict[str, str] = {}
    for part in (style.get("nodes"), manifest.document.get("nodes"), *menus):
        named = {key: _map(entry).get("name") for key, entry in _map(part).items()}
        found |= {key: name for key, name in named.items() if isinstance(name, str)}
    return {**manifest.cards, **found}


def _labels(entry: object) -> Iterator[tuple[str, tuple[str, dict[str, str]]]]:
    """Find the names for people of attributes and of their values, anywhere in a manifest."""
    if isinstance(entry, list):
        for each in entry:
            yield from _labels(each)
    if not isinstance(entry, Mapping):
        return
    attribute, name = entry.get("attribute"), entry.get("name")
    if isinstance(attribute, str) and isinstance(name, str):
        items = [_map(each) for each in entry.get("items") or () if isinstance(each, Mapping)]
        yield attribute, (name, {str(it.get("value")): str(it.get("name")) for it in items})
    for each in entry.values():
        yield from _labels(each)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(element: tree.Element) -> str:
    return " ".join(element.to_text().split())


def _value(element: tree.Element, name: str) -> str:
    value = element.attrs.get(name)
    return " ".join(value) if isinstance(value, list) else value or ""


def _ground(element: tree.Element) -> str:
    found = _URL.search(_value(element, "style"))
    return found[2] if found else ""


def _file_name(address: str) -> str:
    return address.rpartition("/")[2]
