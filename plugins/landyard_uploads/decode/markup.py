"""Rewrites an SVG's markup: elements, attributes and text, with all styles made attributes.

What follows reads it as HTML: nothing may be left that HTML reads otherwise, and a style is better
judged property by property. Runs in the decoder's process.
"""

from collections.abc import Callable
from html import escape
from xml.parsers import expat

from landyard_uploads.decode.kinds import Unusable
from landyard_uploads.decode.sheets import Sheet

_MOST_STYLED = 1024 * 1024  # characters that style sheets give to elements, all together

PROPERTIES = """
    fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin
    stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity opacity color display
    visibility clip-path clip-rule mask stop-color stop-opacity font-family font-size font-style
    font-weight letter-spacing text-anchor text-decoration dominant-baseline
"""

# Of an attribute's name and value: whether it may stay.
Kept = Callable[[str, str], bool]
# Of the address of a picture: the address that stays, if any.
Embedded = Callable[[str], str | None]
_ADDRESSES = ("href", "xlink:href")


def plain_markup(text: str, kept: Kept, embedded: Embedded) -> str:
    """Write an SVG anew; raises `Unusable` for what is no XML, and for too much of style sheets."""
    writer = _read(text, _Writer(kept, embedded, Sheet("", _declared)))
    if writer.styles:  # a sheet is for the elements in front of it as well
        writer = _read(text, _Writer(kept, embedded, Sheet("".join(writer.styles), _declared)))
    return "".join(writer.parts)


def parse(parser: expat.XMLParserType, text: str) -> None:
    """Read an SVG whole with its handlers; raises `Unusable` for what is no XML."""
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
        self._sheets = 0  # that are open
        self._open: list[str] = []  # the names of elements as they are written

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
        given = [f' {key}="{escape(value)}"' for key, value in attributes.items()]
        self.parts.append(f"<{name}{''.join(given)}>")

    def _picture(self, name: str, attributes: dict[str, str]) -> str:
        """Keep the address of a picture; one without is a group, in which there is nothing."""
        addresses = [attributes.pop(each) for each in _ADDRESSES if each in attributes]
        kept = next(filter(None, map(self._embedded, addresses)), None)
        if kept is None:
            return "g"
        attributes["href"] = kept
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
    """Read the declarations of a style that have an attribute of the same name; the last counts."""
    properties = PROPERTIES.split()
    found = {}
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip().lower(), value.partition("!")[0].strip()
        if name in properties and value:
            found[name] = value
    return found
