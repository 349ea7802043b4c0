"""Sanitises SVG: shapes, text and gradients stay; scripts and loading are removed (U1).

Runs in the decoder's process.
"""

import re
from base64 import b64decode
from collections import defaultdict
from xml.parsers import expat

import nh3

from .frames import recognised
from .kinds import Unusable, too_large
from .markup import PROPERTIES, parse, plain_markup

_MOST_BYTES = 1024 * 1024
_MOST_ELEMENTS = 20_000
_MOST_ATTRIBUTES = 256  # of an element, because the sanitiser compares them pairwise
_DEEPEST = 64
_MOST_DRAWN = 200_000  # drawn elements, counted for each reference
_TAGS = """
    svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan
    linearGradient radialGradient stop clipPath mask pattern image
"""
_ATTRIBUTES = """
    id class x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy width height points d pathLength offset
    viewBox preserveAspectRatio transform version gradientUnits gradientTransform spreadMethod
    patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits
    href xlink:href
"""
_PICTURE = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp);base64,([A-Za-z0-9+/]+={0,2})", re.IGNORECASE
)
_INSIDE = frozenset({"PNG", "JPEG", "GIF", "WEBP"})
_NAMESPACE = "http://www.w3.org/2000/svg"
_PROLOGUE = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!DOCTYPE", b">"))
_MARK = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"\s*")
_ROOT = re.compile(rb"<svg[\s>/]", re.IGNORECASE)
_ADDRESS = re.compile(r"url\(", re.IGNORECASE)
_OWN_ADDRESS = re.compile(r"""url\((["']?)#([\w.-]+)\1\)""")
_LOADS = re.compile(r"(?:image|image-set|src|cross-fade|element)\(", re.IGNORECASE)
# Without escapes: `%61` would be one name for the counter and another for the renderer.
_OWN = re.compile(r"#[\w.:-]*")
_WHOLE = frozenset({"mask", "clip-path"})  # properties with a single address
_INHERITED = frozenset({"fill", "stroke"})  # properties that also apply to inner elements
_DROPPED_WHOLE = {"script", "style", "foreignobject", "iframe", "object", "audio", "video"}


def looks_like_svg(content: bytes) -> bool:
    """Tell whether a file is meant as SVG; scans without backtracking, against hostile files."""
    return _ROOT.match(content, _root_at(content)) is not None


def safe_svg(content: bytes, megapixels: int = 50) -> bytes:
    """Return the harmless parts of an SVG; raises `Unusable` if it is not SVG.

    An embedded picture stays if browsers show its kind. An SVG with another kind, or with one of
    more than `megapixels`, is refused.
    """
    if len(content) > _MOST_BYTES:
        raise Unusable(too_large(len(content), _MOST_BYTES))
    try:
        # Not "utf-8-sig", because that codec is loaded from a file, which a decoder cannot open.
        text = content.removeprefix(_MARK).decode()
    except UnicodeDecodeError as unreadable:
        raise Unusable("The SVG must be UTF-8.") from unreadable
    _Outline().read(text)
    cleaned = nh3.clean(
        plain_markup(text, _harmless, lambda address: _embedded(address, megapixels)),
        tags=set(_TAGS.split()),
        clean_content_tags=_DROPPED_WHOLE,
        attributes={"*": set((_ATTRIBUTES + PROPERTIES).split())},
        attribute_filter=_kept,
        link_rel=None,
        url_schemes={"data"},  # for embedded pictures, which `_kept` checks
    )
    # Drop everything after the picture, convert HTML syntax back to XML, and use `href` only, so
    # that no namespace prefix has to be declared.
    cleaned = cleaned[: cleaned.rfind("</svg>") + len("</svg>")]
    cleaned = cleaned.replace("&nbsp;", "&#160;").replace(" xlink:href=", " href=")
    cleaned = cleaned.replace("<svg", f'<svg xmlns="{_NAMESPACE}"', 1)
    if not cleaned.startswith("<svg"):
        raise Unusable("The SVG cannot be read.")
    outline = _Outline()
    outline.read(cleaned)
    if outline.drawn() > _MOST_DRAWN:
        raise Unusable("The SVG refers to itself too often.")
    return cleaned.encode()


def _root_at(content: bytes) -> int:
    at = _past_space(content, len(_MARK) if content.startswith(_MARK) else 0)
    while at < _MOST_BYTES and (end := _past_prologue(content, at)):
        at = _past_space(content, end)
    return at


def _past_space(content: bytes, at: int) -> int:
    space = _SPACE.match(content, at)
    return space.end() if space is not None else at


def _past_prologue(content: bytes, at: int) -> int:
    """Return the end of a prologue part, such as a comment; 0 if there is none."""
    for opening, closing in _PROLOGUE:
        if content[at : at + len(opening)].upper() != opening:
            continue
        end = content.find(closing, at + len(opening))
        if opening == b"<!DOCTYPE" and content.find(b"[", at, end) >= 0:
            end = content.find(closing, content.find(b"]", at))
        return end + len(closing) if end >= 0 else 0
    return 0


def _kept(tag: str, name: str, value: str) -> str | None:
    if tag == "image" and name == "href":
        return value if _PICTURE.fullmatch(value) else None
    return value if _harmless(name, value) else None


def _embedded(address: str, megapixels: int) -> str | None:
    """Return the address to keep for an embedded picture; None if it is not a data address.

    Raises `Unusable` for a picture of another kind, because it would be missing.
    """
    plain = "".join(address.split())
    if plain[:11].lower() != "data:image/":
        return None
    match = _PICTURE.fullmatch(plain)
    try:
        kind = recognised(b64decode(match[1], validate=True), megapixels) if match else ""
    except ValueError:
        kind = ""
    if kind not in _INSIDE:
        raise Unusable(
            "The SVG has an embedded picture of another kind. Embed it as PNG, JPEG, GIF or WebP."
        )
    return plain


def _harmless(name: str, value: str) -> bool:
    """Tell whether an attribute refers only to this picture itself, without hidden addresses."""
    if name in ("href", "xlink:href"):
        return _OWN.fullmatch(value) is not None
    if name in _WHOLE:
        return value == "none" or _OWN_ADDRESS.fullmatch(value) is not None
    if "\\" in value or _LOADS.search(value):
        return False
    return len(_ADDRESS.findall(value)) == len(_OWN_ADDRESS.findall(value))


class _Outline:
    """The structure of an SVG: its elements, their content and their references."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._inside: defaultdict[int, list[int]] = defaultdict(list)
        self._drawn: dict[int, list[str]] = {}
        self._painting: dict[int, list[str]] = {}
        self._named: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Parse an SVG; raises `Unusable` if it is not XML or exceeds the limits."""
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parse(parser, text)

    def drawn(self) -> float:
        """Return the number of drawn elements; infinite if one is drawn inside itself."""
        counts: dict[int, tuple[float, float]] = {}
        endless = float("inf"), float("inf")

        def count(element: int, above: tuple[int, ...]) -> tuple[float, float]:
            """Return the numbers of painted and drawn elements, as floats: no overflow."""
            if element in above or len(above) > 4 * _DEEPEST:
                return endless
            if element not in counts:
                below = (*above, element)
                parts = [count(part, below) for part in self._inside[element]]
                parts += [count(part, below) for part in self._those(self._drawn[element])]
                paints = [count(part, below) for part in self._those(self._painting[element])]
                painted = 1.0 + sum(part for part, _ in parts)
                drawn = 1.0 + sum(part for _, part in parts)
                counts[element] = painted, drawn + sum(painted * paint for _, paint in paints)
            return counts[element]

        return count(0, ())[1]

    def _those(self, names: list[str]) -> list[int]:
        return [self._named[name] for name in names if name in self._named]

    def _start(self, _name: str, attributes: dict[str, str]) -> None:
        number = len(self._drawn)
        if number >= _MOST_ELEMENTS:
            raise Unusable(f"The SVG has more than {_MOST_ELEMENTS} elements.")
        if len(self._open) >= _DEEPEST or len(attributes) > _MOST_ATTRIBUTES:
            raise Unusable("The SVG is nested too deep, or an element has too many attributes.")
        if self._open:
            self._inside[self._open[-1]].append(number)
        self._open.append(number)
        if attributes.get("id"):
            self._named.setdefault(attributes["id"], number)
        self._drawn[number] = [attributes["href"][1:]] if "href" in attributes else []
        self._painting[number] = []
        for name, value in attributes.items():
            kind = self._painting if name in _INHERITED else self._drawn
            kind[number] += [found for _, found in _OWN_ADDRESS.findall(value)]

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _doctype(self, _name: str, _system: str | None, _public: str | None, subset: int) -> None:
        if subset:
            raise Unusable("The SVG must not declare entities.")
