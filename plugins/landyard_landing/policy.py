"""The one policy by which HTML from outside becomes inert (`H1`, `H2`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import nh3
from turbohtml import parse_fragment

from landyard_landing.addresses import embed_address, link_address, media_address
from landyard_landing.nesting import bare_text, is_tangled
from landyard_landing.styles import safe_style

POLICY_VERSION = 2
"""Kept beside whatever went through the policy; a new number makes it go through again."""

SANDBOX = "allow-scripts allow-same-origin allow-presentation allow-popups"
"""What a frame may do (`H3`): everything a player needs, and never navigate the page."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PHRASES = _words(
    """
    abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark nobr q rp rt
    ruby s samp small span strike strong sub sup time tt u var wbr
    """
)
_RICH = _words(
    """
    a address blockquote caption center col colgroup dd details div dl dt figcaption figure h1 h2
    h3 h4 h5 h6 hgroup hr li ol p pre summary table tbody td tfoot th thead tr ul
    """
)
_STRUCTURE = _words(
    """
    article aside audio button footer header iframe label main nav picture section source track
    video
    """
)
# Elements whose content is not text to read, or is parsed by rules of its own.
_SWALLOWED = _words(
    """
    applet frameset head iframe math noembed noframes noscript object plaintext script select
    style svg template textarea title xmp
    """
)
_ATTRIBUTES = {
    name: _words(attributes)
    for name, attributes in {
        "*": """align class dir hidden id itemid itemprop itemscope itemtype lang role style
                tabindex title translate""",
        "a": "download href hreflang rel target type",
        "audio": "autoplay controls loop muted preload src",
        "blockquote": "cite",
        "button": "disabled type",
        "col": "span valign width",
        "colgroup": "span valign width",
        "data": "value",
        "del": "cite datetime",
        "details": "name open",
        "font": "color face size",
        "hr": "noshade size width",
        "iframe": """allow allowfullscreen frameborder height loading referrerpolicy sandbox
                     scrolling src width""",
        "img": """alt border decoding fetchpriority height hspace loading referrerpolicy sizes
                  src srcset vspace width""",
        "ins": "cite datetime",
        "label": "for",
        "li": "type value",
        "ol": "reversed start type",
        "q": "cite",
        "source": "height media sizes src srcset type width",
        "table": "bgcolor border cellpadding cellspacing summary width",
        "tbody": "valign",
        "td": "abbr bgcolor colspan headers height rowspan valign width",
        "tfoot": "valign",
        "th": "abbr bgcolor colspan headers height rowspan scope valign width",
        "thead": "valign",
        "time": "datetime",
        "tr": "bgcolor height valign",
        "track": "default kind label src srclang",
        "ul": "type",
        "video": "autoplay controls height loop muted playsinline poster preload src width",
    }.items()
}
_PREFIXES = frozenset({"aria-", "data-"})
_SCHEMES = _words(
    """
    http https mailto tel sms tg viber whatsapp skype page block product data
    """
)
TARGETS = frozenset({"_blank", "_parent", "_self", "_top"})
"""The `target`s a link may have; `_popup`, the platform's own, is read as `_blank`."""

_FRAME_FEATURES = _words(
    """
    accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope
    picture-in-picture web-share
    """
)
_SCRIPTED = re.compile(r"(?:javascript|vbscript|livescript):|data:(?!image/)", re.IGNORECASE)
_BLANKS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060\ufeff]+")
_MARKUP = re.compile(r"[<>&\r\x00\xa0]")
# NUL has no place in HTML, and line ends are read as one kind.
_UNWRITTEN = re.compile(r"[<>&\xa0\x00]|\r\n?")
_WRITTEN = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\xa0": "&nbsp;", "\r": "\n", "\r\n": "\n"}
_SRCSET = re.compile(r"\s*(?P<url>[^\s,](?:\S*[^\s,])?)(?:\s+[\d.]+[wxh])*\s*(?:,|\Z)", re.ASCII)


def clean_block(html: str) -> str:
    """A whole block made inert; tidy and harmless HTML comes back byte for byte (`H1`, `H2`)."""
    cleaned = _settled(_BLOCK, html)
    if "<iframe" in cleaned and not _is_sandboxed(cleaned):
        cleaned = _settled(_SANDBOXING, cleaned)
    return cleaned


def clean_text(html: str, *, links: bool = True) -> str:
    """The rich text of a text node: balanced, inert, without frames and loading styles (`H1`).

    Without `links` the text of links stays and the links go.
    """
    return html if _is_plain(html) else _settled(_TEXT if links else _TEXT_WITHOUT_LINKS, html)


def clean_phrase(html: str, *, links: bool = True) -> str:
    """`clean_text` of one line: what may stand inside a paragraph."""
    return html if _is_plain(html) else _settled(_PHRASE if links else _PHRASE_WITHOUT_LINKS, html)


def escape_text(text: str) -> str:
    """Text as HTML that shows it, written the way the policy writes it."""
    return _UNWRITTEN.sub(lambda found: _WRITTEN.get(found[0], ""), text)


def escape_attribute(text: str) -> str:
    """Text as it stands between the double quotes of an attribute, written the same way."""
    return escape_text(text).replace('"', "&quot;")


def attribute_allowed(tag: str, name: str) -> bool:
    """Whether the policy lets an element have the attribute; `name` is in lower case."""
    return (
        name in _ATTRIBUTES["*"]
        or name in _ATTRIBUTES.get(tag, ())
        or any(name.startswith(prefix) for prefix in _PREFIXES)
    )


def attribute_value(tag: str, name: str, value: str) -> str | None:
    """What the policy makes of an attribute's value; None when it is refused."""
    check = _TAG_CHECKS.get((tag, name)) or _CHECKS.get(name)
    if check is not None:
        return check(value)
    return None if name.startswith("data-") and _is_scripted(value) else value


def _is_scripted(value: str) -> bool:
    # As it stands, and once more decoded, as addresses are.
    readings = {value, unescape(value)} if "&" in value else {value}
    return any(_SCRIPTED.match(_BLANKS.sub("", reading)) for reading in readings)


def _is_plain(html: str) -> bool:
    return not _MARKUP.search(html)


def _link(value: str) -> str | None:
    return value if link_address(value) is not None else None


def _media(value: str) -> str | None:
    return value if media_address(value) is not None else None


def _srcset(value: str) -> str | None:
    position = 0
    while position < len(value):
        candidate = _SRCSET.match(value, position)
        if candidate is None or media_address(candidate["url"]) is None:
            return None
        position = candidate.end()
    return value


def _target(value: str) -> str | None:
    return value if value.lower() in TARGETS else None


def _relations(value: str) -> str | None:
    # A page that is opened gets no hold on ours, which it could lead to a copy of its own.
    words = value.split()
    kept = [word for word in words if word.lower() != "opener"]
    return value if len(kept) == len(words) else " ".join(kept) or None


def _features(value: str) -> str | None:
    parts = value.split(";")
    kept = [part for part in parts if part.strip() in _FRAME_FEATURES]
    return value if len(kept) == len(parts) else ";".join(kept).strip() or None


def _block_style(value: str) -> str | None:
    return safe_style(value, pictures=True)


def _text_attribute(tag: str, name: str, value: str) -> str | None:
    if name == "style":
        return safe_style(value, pictures=False)
    return attribute_value(tag, name, value)


_CHECKS: dict[str, Callable[[str], str | None]] = {
    "allow": _features,
    "cite": _link,
    "href": _link,
    "itemid": _link,
    "itemtype": _link,
    "poster": _media,
    "rel": _relations,
    "src": _media,
    "srcset": _srcset,
    "style": _block_style,
    "target": _target,
}
_TAG_CHECKS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("button", "type"): lambda _: "button",
    ("iframe", "sandbox"): lambda _: SANDBOX,
    ("iframe", "src"): embed_address,
}


def _cleaner(
    tags: frozenset[str],
    attribute_filter: Callable[[str, str, str], str | None],
    forced: dict[str, dict[str, str]] | None = None,
) -> nh3.Cleaner:
    # nh3 puts a forced attribute last, and refuses one that is also allowed.
    attributes = {tag: set(names) for tag, names in _ATTRIBUTES.items() if tag in tags | {"*"}}
    for tag, names in (forced or {}).items():
        attributes[tag] -= names.keys()
    return nh3.Cleaner(
        tags=set(tags),
        clean_content_tags=set(_SWALLOWED - tags),
        attributes=attributes,
        attribute_filter=attribute_filter,
        generic_attribute_prefixes=set(_PREFIXES),
        link_rel=None,
        set_tag_attribute_values=forced,
        url_schemes=set(_SCHEMES),
    )


_BLOCK = _cleaner(_PHRASES | _RICH | _STRUCTURE, attribute_value)
_SANDBOXING = _cleaner(
    _PHRASES | _RICH | _STRUCTURE, attribute_value, {"iframe": {"sandbox": SANDBOX}}
)
_TEXT = _cleaner(_PHRASES | _RICH, _text_attribute)
_TEXT_WITHOUT_LINKS = _cleaner((_PHRASES | _RICH) - {"a"}, _text_attribute)
_PHRASE = _cleaner(_PHRASES | {"a"}, _text_attribute)
_PHRASE_WITHOUT_LINKS = _cleaner(_PHRASES, _text_attribute)

# The two places where written-out HTML reads back as something else: a line end that opens
# a <pre>, and the raw text of a frame. `>` in attribute values is always written `&gt;`.
_PRE_START = re.compile(r"(<pre(?: [^>]*)?>)\n+")
_FRAME_TEXT = re.compile(r"(<iframe(?: [^>]*)?>).*?(?=</iframe>)", re.DOTALL)
_PASSES = 4


def _settled(cleaner: nh3.Cleaner, html: str) -> str:
    """Cleaned until cleaning again changes nothing; what never settles is dropped.

    What is too tangled to parse becomes its text.
    """
    if is_tangled(html):
        return escape_text(bare_text(html))
    for _ in range(_PASSES):
        cleaned = cleaner.clean(html)
        cleaned = _FRAME_TEXT.sub(r"\1", _PRE_START.sub(r"\1", cleaned))
        if cleaned == html:
            return cleaned
        html = cleaned
    return ""


def _is_sandboxed(html: str) -> bool:
    frames = parse_fragment(html).find_all("iframe")
    return all(frame.attr("sandbox") == SANDBOX for frame in frames)
