"""Adds, copies, removes and arranges a block's cards, its repeated parts (`B8`, `B13`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from landyard_html import tree
from landyard_html.manifests import Manifest, split_position
from landyard_html.markup import Markup
from landyard_html.policy import fit_inside
from landyard_html.sizes import LARGEST, TooLong

_PRESET = "data-card-preset"


def remove_card(content: str, key: str, manifest: Manifest) -> str | None:
    """A block's HTML without the card that a selector with a position names.

    The position counts from zero the elements of this selector in document order, cards inside
    cards included. None when the key has no `@`, its selector is none of the manifest's cards,
    or the block has no card at the position (contract 4.5).
    """
    selector, index = split_position(key)
    if index is None or selector not in manifest.cards:
        return None
    markup = Markup(content)
    found = markup.select(selector)
    if index >= len(found):
        return None
    markup.remove(found[index])
    return markup.source()


def add_card(
    content: str, key: str, html: str, manifest: Manifest, most: int = LARGEST
) -> str | None:
    """A block's HTML with one more card, behind the card that a selector with a position names.

    Without a position the new card becomes the first child of the first card's parent. The card's
    HTML is sanitised; where nothing is left, the named card is copied. None when the selector is
    none of the manifest's cards, or the block has no card at the position.
    """
    if len(html) > most:
        raise TooLong(most)
    selector, index = split_position(key)
    if selector not in manifest.cards:
        return None
    markup = Markup(content, most)
    found = markup.select(selector)
    if (index or 0) >= len(found):
        return None
    card = found[index or 0]
    parent = card.parent
    assert isinstance(parent, tree.Element)
    new = fit_inside(parent, html) or markup.written(card)
    if index is None:
        markup.insert(parent, _lead(card) + new, inside=True)
    else:
        markup.insert(card, _lead(card) + new)
    return markup.source()


def arrange_cards(
    content: str, data: Mapping[str, Any], manifest: Manifest, most: int = LARGEST
) -> tuple[str, dict[str, Any]]:
    """A block's HTML with its cards as `source` lists them for each selector, and node values.

    The node values come from presets, then from `values`, keyed by selector and position as
    `update_nodes` takes them. Entries that name no card or preset, or have the wrong shape, are
    skipped.
    """
    markup, values = Markup(content, most), dict[str, Any]()
    for selector, wanted in data.items():
        if selector not in manifest.cards or not isinstance(wanted, Mapping):
            continue
        values |= _arrange(markup, selector, _entries(wanted.get("source")), manifest, most)
        for each in _entries(wanted.get("values")):
            values |= each
    return markup.source(), values


def _arrange(
    markup: Markup,
    selector: str,
    source: Sequence[Mapping[str, Any]],
    manifest: Manifest,
    most: int,
) -> dict[str, Any]:
    """Put the cards in place, and return the node values of the presets used."""
    found = _outer(markup.select(selector))
    cards = [markup.written(card) for card in found]
    wanted: list[str] = []
    length = 0
    values: dict[str, Any] = {}
    for entry in source if found else ():
        value = entry.get("value", 0)
        if entry.get("type", "card") == "preset":
            preset = _preset(manifest, selector, value)
            html = _marked(found[0], preset.get("html"), str(value))
            defaults = preset.get("values")
            for node, text in defaults.items() if isinstance(defaults, Mapping) and html else ():
                values[f"{node}@{len(wanted)}"] = text
        else:
            html = _at(cards, value)
        length += len(html)
        if length > most:
            raise TooLong(most)
        if html:
            wanted.append(html)
    if wanted:
        _put(markup, found, cards, wanted)
    return values


def _put(
    markup: Markup, found: Sequence[tree.Element], cards: Sequence[str], wanted: Sequence[str]
) -> None:
    last = len(found) - 1
    for index, card in enumerate(found):
        # Additional cards go behind the last one.
        here = wanted[index:] if index == last else wanted[index : index + 1]
        if not here:
            markup.remove(card)
        elif list(here) != [cards[index]]:
            markup.replace(card, _lead(card).join(here))


def _preset(manifest: Manifest, selector: str, code: Any) -> Mapping[str, Any]:
    cards: Any = manifest.document.get("cards")
    presets = cards[selector].get("presets")
    preset = presets.get(code) if isinstance(presets, Mapping) and isinstance(code, str) else None
    return preset if isinstance(preset, Mapping) else {}


def _marked(card: tree.Element, html: Any, code: str) -> str:
    """A preset's card, marked with the preset's code; empty where the preset has no usable HTML."""
    parent = card.parent
    assert isinstance(parent, tree.Element)
    markup = Markup(fit_inside(parent, html) if isinstance(html, str) else "")
    for element in markup.outermost:
        markup.set_attribute(element, _PRESET, code)
        return markup.source()
    return ""


def _at(cards: Sequence[str], value: Any) -> str:
    index = int(value) if isinstance(value, str) and value.isdecimal() else value
    usable = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(cards)
    return cards[index] if usable else ""


def _entries(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _outer(found: Sequence[tree.Element]) -> list[tree.Element]:
    """The elements that are not inside another one of the list."""
    cards = set(found)
    return [card for card in found if cards.isdisjoint(card.ancestors)]


def _lead(card: tree.Element) -> str:
    """The line end and blanks in front of a card, to be copied in front of a new one."""
    before = card.previous_sibling
    text = "" if before is None or isinstance(before, tree.Element) else before.text
    return text if "\n" in text and not text.strip() else ""
