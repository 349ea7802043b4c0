"""Reads facts out of blocks, such as a date or a price, by the `meaning` in a block's manifest.

A manifest has it as `"meaning": {"type": "questions", "each": ".card", "question": ".q", ...}`.
Each part is a selector; one with `@name` behind it reads that attribute. `each` finds the elements
that contain the parts, where a block describes several things; without `each` the block does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard_html import tree, words
from landyard_html.selectors import is_plain

if TYPE_CHECKING:
    from turbohtml import Element

NEEDED: Mapping[str, frozenset[str]] = {
    "address": words("contact"),
    "article": words("title"),
    "event": words("name start"),
    "product": words("name"),
    "questions": words("question answer"),
}
"""The types of meanings, each with its required parts."""
_MORE = {
    "address": words(""),
    "article": words("date author text picture"),
    "event": words("end text place link"),
    "product": words("text picture price link"),
    "questions": words(""),
}
_LONGEST = 5000  # characters of a text
# `>` in attribute values is always written `&gt;`.
_LINE_END = re.compile(r"<(?:br|hr)[^>]*>|</(?:p|div|li|dd|dt|h[1-6]|tr|td|th|summary|figure)>")
_TAG = re.compile(r"<[^>]*>")


class Meaning(Struct, frozen=True):
    """A manifest's `meaning`: its type, and the selectors of its parts by name."""

    type: str
    each: str
    parts: Mapping[str, str]

    @property
    def selectors(self) -> list[str]:
        """All selectors of the meaning, without the `@name` of attributes."""
        return [part.partition("@")[0] for part in (self.each, *self.parts.values()) if part]


def read_meaning(document: Mapping[str, object]) -> Meaning | None:
    """Read the meaning in a manifest; None where the manifest has no usable one."""
    return None if wrong_meaning(document) else _read(document)


def wrong_meaning(document: Mapping[str, object]) -> str:
    """Describe the first error in a manifest's meaning, for an error text; "" where it is valid."""
    meaning = document.get("meaning")
    if meaning is None:
        return ""
    if not isinstance(meaning, Mapping) or not all(
        isinstance(each, str) for each in meaning.values()
    ):
        return "its 'meaning' must be an object with a 'type' and selectors"
    kind = meaning.get("type")
    if kind is None or kind not in NEEDED:
        return f"its 'meaning' must have a 'type' of these: {', '.join(sorted(NEEDED))}"
    return _wrong_parts(kind, {name: each for name, each in meaning.items() if name != "type"})


def _wrong_parts(kind: str, parts: Mapping[str, str]) -> str:
    names, allowed = parts.keys() - {"each"}, NEEDED[kind] | _MORE[kind]
    if missing := NEEDED[kind] - names:
        return f"its 'meaning' of type '{kind}' must have '{min(missing)}'"
    if unknown := names - allowed:
        may = ", ".join(sorted(allowed))
        return f"its 'meaning' has '{min(unknown)}'; one of type '{kind}' may have {may}"
    selectors = [part.partition("@")[0] for part in parts.values()]
    for selector in selectors:
        if selector and not is_plain(selector):
            return f"its 'meaning' has the selector '{selector[:40]}', which cannot be used"
    return ""


def read_parts(meaning: Meaning, html: str) -> list[dict[str, str]]:
    """Read the parts of each thing that a block describes; texts are plain, in one line.

    Things without a required part are left out. The list is empty where a selector is broken.
    """
    root = tree.parse_fragment(html)
    try:
        things = root.select(meaning.each) if meaning.each else [root]
        found = [
            {name: _text(thing, part) for name, part in meaning.parts.items()} for thing in things
        ]
    except tree.SelectorSyntaxError:
        return []
    needed = NEEDED[meaning.type]
    return [each for each in found if all(each[name] for name in needed)]


def read_links(meaning: Meaning, html: str) -> Iterator[tuple[str, list[str]]]:
    """Read the part `contact` of each thing: its text and the addresses of its links."""
    root = tree.parse_fragment(html)
    try:
        for thing in root.select(meaning.each) if meaning.each else [root]:
            for element in thing.select(meaning.parts["contact"])[:1]:
                links = [str(each.attr("href") or "") for each in element.select("a")]
                yield _one_line(element), links
    except tree.SelectorSyntaxError:
        return


def _read(document: Mapping[str, object]) -> Meaning | None:
    meaning = document.get("meaning")
    if not isinstance(meaning, Mapping):
        return None
    parts = {name: part for name, part in meaning.items() if name not in {"type", "each"}}
    return Meaning(meaning["type"], meaning.get("each", ""), parts)


def _text(thing: Element, part: str) -> str:
    selector, _, attribute = part.partition("@")
    element = thing.select_one(selector)
    if element is None:
        return ""
    if attribute:
        return str(element.attr(attribute) or "").strip()[:_LONGEST]
    return _one_line(element)


def _one_line(element: Element) -> str:
    """The element's text in one line, its lines divided by blanks."""
    html = _TAG.sub("", _LINE_END.sub(" ", element.inner_html))
    return " ".join(unescape(html).split())[:_LONGEST]
