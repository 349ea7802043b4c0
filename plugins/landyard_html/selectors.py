"""Checks the selectors of manifests, and drops those that could take more than linear time.

A manifest may come from a call, a world file, a plugin or an old row of the database. The same
bounds hold for all sources, and for every part of a manifest that has selectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 200
"""The most characters of a selector."""
MOST = 500
"""The most selectors of a manifest."""

# Possessive quantifiers keep these patterns from backtracking, whatever the text.
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[^\n])++"
_TEXT = r"\"[^\"\\\n]*+\"|'[^'\\\n]*+'"
_ATTRIBUTE = rf"\[\s*+{_NAME}\s*+(?:[~|^$*]?=\s*+(?:{_NAME}|{_TEXT})\s*+[iIsS]?+\s*+)?+\]"
_SIMPLE = rf"[.#]{_NAME}|{_ATTRIBUTE}|::?{_NAME}"
_NOT = rf":not\(\s*+(?:{_NAME}|\*|[.#]{_NAME}|{_ATTRIBUTE})\s*+\)"
_NTH = r":nth-(?:last-)?(?:child|of-type)\(\s*+(?:even|odd|[+-]?\d*n?\s*+(?:[+-]\s*+\d+)?)\s*+\)"
_COMPOUND = rf"(?=[^\s>,])(?:{_NAME}|\*)?+(?:{_NOT}|{_NTH}|(?:{_SIMPLE})(?!\())*+"
_CHAIN = rf"{_COMPOUND}(?:(?:\s*+>\s*+|\s++){_COMPOUND})*+"
_PLAIN = re.compile(rf"\s*+{_CHAIN}(?:\s*+,\s*+{_CHAIN})*+\s*+", re.IGNORECASE)

_MAPS = frozenset({"attrs", "cards", "menu", "nodes"})
_OPAQUE = frozenset({"block", "presets", "root"})  # keys that hold no selector

Keep = Callable[[str], bool]


def is_plain(selector: str) -> bool:
    """Tell whether a selector is allowed: compounds, children and descendants, no siblings."""
    return len(selector) <= LONGEST and _PLAIN.fullmatch(selector) is not None


def wrong_selectors(document: Mapping[str, Any]) -> str:
    """Describe the first error in a manifest's selectors, for an error text; "" for none."""
    found: dict[str, None] = {}
    _sift(document, lambda selector: found.setdefault(selector) is None)
    for selector in found:
        if not is_plain(selector):
            shown = selector if len(selector) <= LONGEST else f"{selector[:40]}…"
            return (
                f"the selector '{shown}' of its manifest cannot be used; write tags, classes, ids"
                " and attributes below one another, without functions such as ':has()', in"
                f" {LONGEST} characters at most"
            )
    return f"its manifest has more than {MOST} selectors" if len(found) > MOST else ""


def usable(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a manifest without its disallowed selectors; itself where all are allowed."""
    if not wrong_selectors(document):
        return document
    kept: set[str] = set()

    def keep(selector: str) -> bool:
        if selector in kept or (len(kept) < MOST and is_plain(selector)):
            kept.add(selector)
            return True
        return False

    return _sift(document, keep)


def _sift(document: Mapping[str, Any], keep: Keep) -> dict[str, Any]:
    """Copy a manifest with the selectors for which `keep` is true."""
    left = {name: part for name, part in document.items() if name != "style"}
    for name in _MAPS & left.keys():
        left[name] = _keyed(left[name], keep)
    if "style" in document:
        left["style"] = _style(document["style"], keep)
    meaning = document.get("meaning")
    if isinstance(meaning, Mapping) and not _keep_meaning(meaning, keep):
        del left["meaning"]
    return left


def _style(style: Any, keep: Keep) -> Any:
    """Copy the styles, keyed by selector below `nodes`, or at the top as in old manifests."""
    if not isinstance(style, Mapping):
        return style
    own = {name: style[name] for name in ("block", "nodes") if name in style}
    others = {name: each for name, each in style.items() if name not in own}
    if "block" in own:
        own["block"] = _entry(own["block"], keep)
    if "nodes" in own:
        own["nodes"] = _keyed(own["nodes"], keep)
    return {**_keyed(others, keep), **own}


def _keep_meaning(meaning: Mapping[str, Any], keep: Keep) -> bool:
    parts = [part for name, part in meaning.items() if name != "type" and isinstance(part, str)]
    selectors = [selector for part in parts if (selector := part.partition("@")[0])]
    return not [selector for selector in selectors if not keep(selector)]


def _keyed(entries: Any, keep: Keep) -> Any:
    """Copy a map whose keys are selectors."""
    if not isinstance(entries, Mapping):
        return entries
    return {
        key: _entry(entry, keep)
        for key, entry in entries.items()
        if not key or not isinstance(key, str) or keep(key)
    }


def _entry(entry: Any, keep: Keep) -> Any:
    """Copy a selector's entry; the attributes in it may name selectors of their own."""
    if isinstance(entry, list):
        return [_entry(each, keep) for each in entry if _is_kept(each, keep)]
    if not isinstance(entry, Mapping):
        return entry
    return {
        name: each if name in _OPAQUE else (_keyed if name == "nodes" else _entry)(each, keep)
        for name, each in entry.items()
        if _is_kept(each, keep)
    }


def _is_kept(entry: Any, keep: Keep) -> bool:
    selector = entry.get("selector") if isinstance(entry, Mapping) else None
    return not selector or not isinstance(selector, str) or keep(selector)
