"""Sanitises the declarations of a `style` attribute, and sets its background picture."""

import re
from functools import lru_cache

from landyard_html import words
from landyard_html.addresses import media_address

_PROPERTIES = words(
    """
    align-content align-items align-self animation-delay animation-duration aspect-ratio
    background-attachment background-blend-mode background-clip background-color
    background-origin background-position background-position-x background-position-y
    background-repeat background-size border-collapse border-spacing box-shadow box-sizing
    break-after break-before break-inside caption-side clear color column-count column-fill
    column-gap column-rule column-rule-color column-rule-style column-rule-width column-span
    column-width columns direction display empty-cells filter flex flex-basis flex-direction
    flex-flow flex-grow flex-shrink flex-wrap float font font-family font-feature-settings
    font-kerning font-size font-stretch font-style font-variant font-variant-caps
    font-variant-numeric font-weight gap grid-area grid-auto-flow grid-column grid-row
    grid-template-columns grid-template-rows height hyphens justify-content justify-items
    justify-self letter-spacing line-break line-height list-style-position list-style-type
    max-height max-width min-height min-width mix-blend-mode object-fit object-position opacity
    order overflow overflow-wrap overflow-x overflow-y place-content place-items place-self
    row-gap tab-size table-layout text-align text-align-last text-decoration
    text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness
    text-indent text-justify text-orientation text-overflow text-shadow text-transform
    text-underline-offset transform transform-origin unicode-bidi vertical-align visibility
    white-space widows width word-break word-spacing word-wrap writing-mode
    """
)
# border-top-color, margin-left, padding-inline-start, ... ; and custom properties.
_FAMILIES = re.compile(r"(?:border|margin|padding|outline)(?:-[a-z]+)*|--[\w-]+", re.ASCII)
_PICTURE_PROPERTIES = frozenset({"background", "background-image"})
_FUNCTIONS = words(
    """
    blur brightness calc clamp contrast cubic-bezier drop-shadow fit-content grayscale hsl hsla
    hue-rotate hwb invert lab lch linear-gradient matrix max min minmax oklab oklch opacity
    conic-gradient radial-gradient repeat repeating-conic-gradient repeating-linear-gradient
    repeating-radial-gradient rgb rgba rotate saturate scale scalex scaley sepia skew skewx skewy
    translate translatex translatey var
    """
)
_PICTURE_FUNCTIONS = frozenset({"image-set", "-webkit-image-set"})

# Escapes, comments and blocks are not needed in an inline style, and could hide declarations.
_STRANGE = re.compile(r"[\\{}<>]|/\*|\*/|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TOKEN = re.compile(r""""[^"\n]*"|'[^'\n]*'|[();"']""")
_FUNCTION = re.compile(r"([\w-]*)\(")
_URL = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s]*))\s*\)""", re.IGNORECASE)


@lru_cache(maxsize=1024)
def safe_style(style: str, *, pictures: bool) -> str | None:
    """The style without unsafe declarations; None when nothing is left (`H1`).

    Unsafe are declarations that could load a file, run code or overlay the page. A safe style comes
    back unchanged. `pictures` allows background pictures, the only files that a style may load.
    """
    parts = declarations(style)
    if parts is None or _STRANGE.search(style):
        return None
    kept = [part for part in parts if not part.strip() or _is_safe(part, pictures)]
    if len(kept) == len(parts):
        return style
    return "; ".join(part.strip() for part in kept if part.strip()) or None


def with_background(style: str, src: str | None, src2x: str | None) -> str | None:
    """The style with another background picture, or none; other declarations stay (`B10`).

    `src2x` is the picture for double density. Pass addresses from `media_address`, which have no
    character that could end the quotes.
    """
    kept = [part for part in declarations(style) or [] if _name(part) != "background-image"]
    while kept and not kept[-1].strip():
        kept.pop()
    if src or src2x:
        lead = " " if kept else ""
        kept.append(f"{lead}background-image: url('{src or src2x}')")
        if src and src2x:
            both = f"image-set(url('{src}') 1x, url('{src2x}') 2x)"
            kept.append(f" background-image: {both}")
    elif any(_name(part) == "background" and "url(" in part.lower() for part in kept):
        kept.append(" background-image: none")
    return ";".join(kept) or None


def declarations(style: str) -> list[str] | None:
    """The style, split into declarations; None when quotes or brackets are not closed."""
    parts, start, depth = [], 0, 0
    for token in _TOKEN.finditer(style):
        mark = token[0]
        if mark in "\"'" or depth < 0:
            return None
        depth += (mark == "(") - (mark == ")")
        if mark == ";" and not depth:
            parts.append(style[start : token.start()])
            start = token.end()
    return None if depth else [*parts, style[start:]]


def _name(part: str) -> str:
    return part.partition(":")[0].strip().lower()


def _is_safe(part: str, pictures: bool) -> bool:
    name, value = _name(part), part.partition(":")[2]
    functions = _FUNCTIONS
    if name in _PICTURE_PROPERTIES:
        if pictures:
            functions = _FUNCTIONS | _PICTURE_FUNCTIONS
            if not all(media_address("".join(url)) for url in _URL.findall(value)):
                return False
            value = _URL.sub("", value)
        # image-set("x.png") loads a bare string, so no string is allowed.
        if '"' in value or "'" in value:
            return False
    elif name not in _PROPERTIES and not _FAMILIES.fullmatch(name):
        return False
    called = {function.lower() for function in _FUNCTION.findall(value)} - {""}
    return ":" not in value and called <= functions
