"""Dangers: what in a piece of HTML the sanitising policy would take away for what it could do.

They are told of, and taken apart, so that whoever writes a block finds them. What is stored goes
through the policy itself, whatever is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from landyard_landing.html.allowed import PHRASES, RICH, STRUCTURE, attribute_value

# A frame is let in by the policy where a node of a block makes it, not where a block brings it.
_ELEMENTS = (PHRASES | RICH | STRUCTURE) - {"iframe"}
_TAG = re.compile(r"""<([A-Za-z][^\s/>]*)((?:[^<>"']|"[^"]*"|'[^']*')*)""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+))?""")
_SCHEME = 10  # characters at the beginning of an address, in the middle of which it is taken apart
_ADDRESSES = frozenset({"action", "background", "cite", "formaction", "href", "poster", "src"})


def find_dangers(html: str, *, frames: bool = False) -> list[int]:
    """Find the middle of each name or address that is dangerous.

    Those are names of elements and of event handlers, and schemes of addresses. With `frames` the
    policy lets frames in, and makes them harmless.
    """
    elements = _ELEMENTS | {"iframe"} if frames else _ELEMENTS
    return sorted({start + (end - start + 1) // 2 for start, end in _dangers(html, elements)})


def split_at(html: str, places: list[int], splitter: str) -> str:
    """Put `splitter` into HTML at each of the places."""
    ends = [*places, len(html)]
    return splitter.join(html[at:end] for at, end in zip([0, *places], ends, strict=True))


def _dangers(html: str, elements: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Find where dangerous names and schemes begin and end."""
    for tag in _TAG.finditer(html):
        name = tag[1].lower()
        if name not in elements:
            yield tag.span(1)
        for attribute in _ATTRIBUTE.finditer(html, *tag.span(2)):
            if attribute[1].lower().startswith("on"):
                yield attribute.span(1)
            elif attribute[2] and _is_dangerous(name, attribute[1].lower(), attribute[2]):
                start, end = attribute.span(2)
                yield start, min(end, start + _SCHEME)


def _is_dangerous(tag: str, name: str, written: str) -> bool:
    value = unescape(written.strip("\"'"))
    if name == "srcdoc":
        return True
    checked = name in _ADDRESSES or name.startswith("data-")
    return checked and bool(value.strip()) and attribute_value(tag, name, value) is None
