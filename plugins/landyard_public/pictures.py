"""Finds the pictures in the HTML of published blocks, and the first one for sharing."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from urllib.parse import urlsplit

from msgspec import Struct

from landyard_public.metadata import share_picture

# The HTML is written by the sanitising policy: `>` and `"` in values are always references.
_SHOWN = re.compile(r'<img((?: [^\s=>]+(?:="[^"]*")?)*)>|<[a-z0-9]+ [^>]*?style="([^"]*)"')
_ATTRIBUTE = re.compile(r' (src|alt)="([^"]*)"')
_BACKGROUND = re.compile(r"""url\(\s*['"]?([^'")]+)""")


class Picture(Struct, frozen=True):
    """A picture: its address as written, and its alternative text."""

    src: str
    alt: str = ""


def pictures_in(html: str) -> Iterator[Picture]:
    """Yield the pictures in the order of the HTML, background pictures included."""
    for found in _SHOWN.finditer(html):
        if found[1] is not None:
            values = {name: unescape(value) for name, value in _ATTRIBUTE.findall(found[1])}
            if values.get("src"):
                yield Picture(values["src"], values.get("alt", ""))
        else:
            for address in _BACKGROUND.findall(unescape(found[2])):
                yield Picture(address)


def first_picture(contents: Iterable[str], home: str) -> Picture | None:
    """Find the first picture of a page that can be its share image, with its URL.

    SVG pictures and `data:` pictures are skipped. `home` is the scheme and host in front of paths.
    """
    for html in contents:
        for picture in pictures_in(html) if "<img" in html or "url(" in html else ():
            address = share_picture({"METAOG_IMAGE": picture.src}, home)
            if address and not urlsplit(address).path.lower().endswith(".svg"):
                return Picture(address, picture.alt)
    return None
