"""Payloads that an attacker writes into nodes, and the page of a careless service with them.

A payload that runs reports itself: it calls the visitor's `ran(number)`, or requests an address at
`evil.example` that ends with the number.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from browser.visits import Raw, Visit
from corpora import read_data
from msgspec import Struct

PLACES = read_data(__file__, "PLACES", dict[str, tuple[str, str, str]])
HARMLESS = {"text": "", "href": "#", "query": "", "target": "", "src": "", "alt": "", "source": ""}

_RUN = "(ran(NUMBER),alert(NUMBER))"
_EVIL = "https://evil.example/NUMBER"


class Payload(Struct, frozen=True):
    """A value for a node of one of the `PLACES`; `refused` where the call must fail (H3)."""

    number: int
    place: str
    value: dict[str, str]
    refused: bool

    @property
    def code(self) -> str:
        """The code of the attacked block."""
        return PLACES[self.place][0]

    @property
    def data(self) -> dict[str, Any]:
        """The parameter `data` of the attack."""
        return {PLACES[self.place][1]: self.value}

    @property
    def careless(self) -> str:
        """The page of a service that writes values into its HTML unescaped."""
        node = PLACES[self.place][2].format(**{**HARMLESS, **self.value})
        return f"<!doctype html><title>{self.number}</title><body>{node}</body>"


def _numbered(number: int, place: str, value: dict[str, str]) -> Payload:
    written = {
        key: text.replace("RUN", _RUN).replace("EVIL", _EVIL).replace("NUMBER", str(number))
        for key, text in value.items()
    }
    # Only the address of a frame is refused; other faults are left out (H1, H3).
    refused = place == "embed" and value["src"] != "https://player.example/"
    return Payload(number, place, written, refused)


PAYLOADS = [
    _numbered(number, place, value)
    for number, (place, value) in enumerate(
        read_data(__file__, "SENT", list[tuple[str, dict[str, str]]])
    )
]


def framed(pages: Mapping[int, str], policy: str | None = None) -> dict[str, Raw]:
    """A page that shows each document in a frame of its own."""
    frames = "".join(f"<iframe src='/careless/{number}'></iframe>" for number in pages)
    shown = {f"/careless/{number}": Raw(page, policy) for number, page in pages.items()}
    return {"/careless": Raw(frames), **shown}


def alive(visit: Visit) -> set[int]:
    """The payloads that ran, or made the browser request something from the attacker's host."""
    asked = [urlsplit(address) for address in visit.foreign]
    leaked = [url.path.strip("/") for url in asked if url.hostname == "evil.example"]
    return {*visit.ran, *map(int, filter(str.isdigit, leaked))}
