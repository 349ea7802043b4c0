"""SVG that has been made safe: shapes, text and gradients, and nothing that runs or loads (U1)."""

import re
from xml.parsers import expat

import nh3

from landyard_uploads.errors import FileError

_LOOKS = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*<svg[\s>/]",
    re.DOTALL | re.IGNORECASE,
)
_TAGS = """
    svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan
    linearGradient radialGradient stop clipPath mask pattern
"""
_ATTRIBUTES = """
    id class x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy width height points d pathLength offset
    viewBox preserveAspectRatio transform version fill fill-opacity fill-rule stroke
    stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray
    stroke-dashoffset stroke-opacity opacity color display visibility clip-path clip-rule mask
    stop-color stop-opacity gradientUnits gradientTransform spreadMethod patternUnits
    patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits font-family
    font-size font-style font-weight letter-spacing text-anchor text-decoration
    dominant-baseline href xlink:href
"""
_NAMESPACE = "http://www.w3.org/2000/svg"
_ADDRESS = re.compile(r"url\(", re.IGNORECASE)
_OWN_ADDRESS = re.compile(r"url\(#[\w.-]+\)")
_DROPPED_WHOLE = {"script", "style", "foreignobject", "iframe", "object", "audio", "video"}


def looks_like_svg(content: bytes) -> bool:
    """Tell whether this is meant to be SVG."""
    return _LOOKS.match(content) is not None


def safe_svg(content: bytes) -> bytes:
    """Keep of an SVG what is known to be harmless; raises `FileError` when it is none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as unreadable:
        raise FileError("The SVG must be UTF-8.") from unreadable
    cleaned = nh3.clean(
        text[text.lower().index("<svg") :],
        tags=set(_TAGS.split()),
        clean_content_tags=_DROPPED_WHOLE,
        attributes={"*": set(_ATTRIBUTES.split())},
        attribute_filter=_kept,
        link_rel=None,
        url_schemes=set(),
    )
    # What follows the picture goes; what HTML and XML write differently is as XML has it, and
    # `href` is the one name for what has two, so that no prefix wants declaring.
    cleaned = cleaned[: cleaned.rfind("</svg>") + len("</svg>")]
    cleaned = cleaned.replace("&nbsp;", "&#160;").replace(" xlink:href=", " href=")
    cleaned = cleaned.replace("<svg", f'<svg xmlns="{_NAMESPACE}"', 1)
    if not cleaned.startswith("<svg") or not _well_formed(cleaned):
        raise FileError("The SVG cannot be read.")
    return cleaned.encode()


def _kept(_tag: str, name: str, value: str) -> str | None:
    """Let an attribute refer to this very picture alone, in no spelling that hides an address."""
    if name in ("href", "xlink:href"):
        return value if value.startswith("#") else None
    if "\\" in value or len(_ADDRESS.findall(value)) != len(_OWN_ADDRESS.findall(value)):
        return None
    return value


def _well_formed(text: str) -> bool:
    try:
        expat.ParserCreate().Parse(text, True)
    except expat.ExpatError:
        return False
    return True
