"""Hostile texts, numbered: a text that runs in a browser reports its own number."""

from __future__ import annotations

from msgspec import Struct
from plugins.html.hostile_elements import ELEMENTS
from plugins.html.hostile_parsing import PARSING

FIRST = 1000


class Hostile(Struct, frozen=True):
    """A text from outside; `name` describes the attack."""

    number: int
    name: str
    html: str


def armed(text: str, number: int) -> str:
    """Fill in the code with which the text reports itself."""
    text = text.replace("RUN", "(ran(NUMBER),alert(NUMBER))")
    return text.replace("EVIL", "https://evil.example/NUMBER").replace("NUMBER", str(number))


TEXTS = [
    Hostile(number, name, armed(html, number))
    for number, (name, html) in enumerate({**ELEMENTS, **PARSING}.items(), FIRST)
]

OF_A_BLOCK = frozenset(
    {
        "a frame",
        "a frame with an open sandbox",
        "a background of a text",
        "a film's other tracks",
    }
)
"""Things that a block may load and a text may not: frames (H3) and background pictures (B10)."""

_IMG = armed("<img src=/assets/none onerror=RUN>", 0)
HUGE = {
    "elements a hundred thousand deep": "<div>" * 100_000 + _IMG,
    "drawings a hundred thousand deep": "<svg>" * 100_000 + _IMG,
    "formats a hundred thousand deep": "<b>" * 100_000 + _IMG,
    "tables thirty thousand deep": "<table><tr><td>" * 30_000 + _IMG,
    "a hundred thousand end tags": "</p>" * 100_000 + _IMG,
    "a hundred thousand comments": "<!--" * 100_000 + _IMG + "-->" + _IMG,
    "a hundred thousand attributes": f"<p {'onclick=ran(0) ' * 100_000}>x</p>{_IMG}",
    "an attribute of a megabyte": f"<p title='{'x' * 1_000_000}' onclick=ran(0)>x</p>{_IMG}",
    "a style of ten thousand": f"<p style='{'color:red;' * 10_000}behavior:url(x)'>x</p>{_IMG}",
    "brackets of a megabyte": f"<p style='background:{'url(' * 250_000}'>x</p>{_IMG}",
    "pictures of a megabyte": f"<img srcset='{'/a 1x,' * 160_000}javascript:x'>{_IMG}",
    "an address of a megabyte": f"<a href='{'&#9;' * 250_000}javascript:ran(0)'>x</a>{_IMG}",
    "a text of a megabyte": "x < y & z <b>b</b> " * 55_000 + _IMG,
    "a hundred thousand brackets": "<" * 100_000 + _IMG,
    "a megabyte of nothing": "\x00" * 1_000_000 + _IMG,
}
"""Hostile texts of an excessive size; they report themselves as number 0."""
