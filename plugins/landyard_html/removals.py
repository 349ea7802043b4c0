"""Finds elements, event handlers and addresses that the sanitising policy would remove.

They are reported, and broken up in the text, so that the author of a block notices them. This is no
protection: HTML goes through the policy itself before it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from landyard_html.allowed import PHRASES, RICH, STRUCTURE, attribute_value

# The policy allows a frame that a node writes, but not one in a block's own HTML.
_ELEMENTS = (PHRASES | RICH | STRUCTURE) - {"iframe"}
_TAG = re.compile(r"""<([A-Za-z][^\s/>]*)((?:[^<>"']|"[^"]*"|'[^']*')*)""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+))?""")
_SCHEME = 10  # characters at the start of an address; the splitter goes into their middle
_ADDRESSES = frozenset({"action", "background", "cite", "formaction", "href", "poster", "src"})


def find_dangers(html: str, *, frames: bool = False) -> list[int]:
    """Find the middle of each dangerous name or scheme: offsets into `html`, in ascending order.

    Dangerous are names of elements and event handlers, and schemes of addresses, that the policy
    refuses. With `frames`, frames are not reported: the policy lets them in and makes them
    harmless.
    """
    elements = _ELEMENTS | {"iframe"} if frames else _ELEMENTS
    return sorted({start + (end - start + 1) // 2 for start, end in _dangers(html, elements)})


def split_at(html: str, places: list[int], splitter: str) -> str:
    """Insert `splitter` into the HTML at each offset in `places`, which are in ascending order."""
    ends = [*places, len(html)]
    return splitter.join(html[at:end] for at, end in zip([0, *places], ends, strict=True))


def _dangers(html: str, elements: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each dangerous name or scheme."""
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
