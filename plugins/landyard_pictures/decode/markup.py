"""Rewrites an SVG's markup, and turns all styles into attributes.

The sanitiser reads the result as HTML, so nothing may be left that HTML parses differently, and
styles are checked property by property. Runs in the decoder's process.
"""

from collections.abc import Callable
from html import escape
from xml.parsers import expat

from .kinds import Unusable
from .sheets import Sheet

_MOST_STYLED = 1024 * 1024  # characters of all declarations that style sheets add to elements

PROPERTIES = """
    fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin
    stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity opacity color display
    visibility clip-path clip-rule mask stop-color stop-opacity font-family font-size font-style
    font-weight letter-spacing text-anchor text-decoration dominant-baseline
"""

# Tells from an attribute's name and value whether it may stay.
Kept = Callable[[str, str], bool]
# Returns the address to keep for the address of a picture, if any.
Embedded = Callable[[str], str | None]
_ADDRESSES = ("href", "xlink:href")


def plain_markup(text: str, kept: Kept, embedded: Embedded) -> str:
    """Return rewritten markup; raises `Unusable` if it is no XML, or has too many styles."""
    writer = _read(text, _Writer(kept, embedded, Sheet("", _declared)))
    if writer.styles:  # a style sheet applies to earlier elements, too
        writer = _read(text, _Writer(kept, embedded, Sheet("".join(writer.styles), _declared)))
    return "".join(writer.parts)


def parse(parser: expat.XMLParserType, text: str) -> None:
    """Parse a whole SVG with a parser's handlers; raises `Unusable` if it is no XML."""
    try:
        parser.Parse(text, True)
    except expat.ExpatError as unreadable:
        raise Unusable("The SVG cannot be read.") from unreadable


class _Writer:
    def __init__(self, kept: Kept, embedded: Embedded, sheet: Sheet) -> None:
        self.parts: list[str] = []
        self.styles: list[str] = []
        self._kept = kept
        self._embedded = embedded
        self._sheet = sheet
        self._room = _MOST_STYLED
        self._sheets = 0  # open style elements
        self._open: list[str] = []  # the written names of open elements

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._sheets += _is_sheet(name)
        if "href" in attributes:
            attributes.pop("xlink:href", None)
        if name.rpartition(":")[2].lower() == "image":
            name = self._picture(name, attributes)
        self._open.append(name)
        ruled = self._sheet.declared(name.rpartition(":")[2], attributes)
        self._room -= sum(map(len, ruled.values()))
        if self._room < 0:
            raise Unusable("The SVG's style sheets are about too many elements.")
        declared = ruled | _declared(attributes.pop("style", ""))
        attributes |= {key: value for key, value in declared.items() if self._kept(key, value)}
        written = [f' {key}="{escape(value)}"' for key, value in attributes.items()]
        self.parts.append(f"<{name}{''.join(written)}>")

    def _picture(self, name: str, attributes: dict[str, str]) -> str:
        """Keep a picture's address and return its new name: `g` without an address."""
        addresses = [attributes.pop(each) for each in _ADDRESSES if each in attributes]
        address = next(filter(None, map(self._embedded, addresses)), None)
        if address is None:
            return "g"
        attributes["href"] = address
        return name

    def end(self, name: str) -> None:
        self._sheets -= _is_sheet(name)
        self.parts.append(f"</{self._open.pop()}>")

    def text(self, text: str) -> None:
        if self._sheets:
            self.styles.append(text)
        else:
            self.parts.append(escape(text))


def _read(text: str, writer: _Writer) -> _Writer:
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    parse(parser, text)
    return writer


def _is_sheet(name: str) -> bool:
    return name.rpartition(":")[2].lower() == "style"


def _declared(style: str) -> dict[str, str]:
    """Return the declarations of a style that exist as attributes; the last of a name counts."""
    properties = PROPERTIES.split()
    declarations = {}
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip().lower(), value.partition("!")[0].strip()
        if name in properties and value:
            declarations[name] = value
    return declarations
