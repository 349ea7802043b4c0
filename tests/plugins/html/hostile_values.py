"""Attribute values that callers may send, with the stored result, by the kind of attribute.

`RUN` is a script that reports itself, `EVIL` an address of the attacker's, `NUMBER` the number of
the value; see `armed`. None stands for a refused value.
"""

from __future__ import annotations

from corpora import read_data
from msgspec import Struct
from plugins.html.hostile_addresses import FRAMES, LINKS, MEDIA
from plugins.html.hostile_texts import armed

FIRST = 2000


class Sent(Struct, frozen=True):
    """A value for an attribute of this kind, and the value that is stored."""

    number: int
    kind: str
    value: str
    becomes: str | None


_STYLES = read_data(__file__, "STYLES", dict[str, str | None])
_SRCSETS = read_data(__file__, "SRCSETS", dict[str, str | None])
_OTHERS = read_data(__file__, "OTHERS", dict[str, dict[str, str | None]])
KINDS: dict[str, dict[str, str | None]] = {
    "link": LINKS,
    "media": MEDIA,
    "frame": FRAMES,
    "style": _STYLES,
    "srcset": _SRCSETS,
    **_OTHERS,
}


def _values() -> list[Sent]:
    pairs = [(kind, *pair) for kind, of in KINDS.items() for pair in of.items()]
    return [
        Sent(number, kind, armed(value, number), becomes and armed(becomes, number))
        for number, (kind, value, becomes) in enumerate(pairs, FIRST)
    ]


VALUES = _values()
