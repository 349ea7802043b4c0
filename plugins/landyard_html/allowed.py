"""The sanitising policy's lists of allowed elements, attributes and attribute values (`H1`)."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from html import unescape

from landyard_html import words
from landyard_html.addresses import embed_address, link_address, media_address
from landyard_html.styles import safe_style

SANDBOX = "allow-scripts allow-same-origin allow-presentation allow-popups"
"""A frame's `sandbox` (`H3`): all that a player needs, but no navigation of the page."""

PHRASES = words(
    """
    abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark nobr q rp rt
    ruby s samp small span strike strong sub sup time tt u var wbr
    """
)
RICH = words(
    """
    a address blockquote caption center col colgroup dd details div dl dt figcaption figure h1 h2
    h3 h4 h5 h6 hgroup hr li ol p pre summary table tbody td tfoot th thead tr ul
    """
)
STRUCTURE = words(
    """
    article aside audio button footer header iframe label main nav picture section source track
    video
    """
)
# Elements whose content is not text to read, or is parsed by rules of its own.
SWALLOWED = words(
    """
    applet frameset head iframe math noembed noframes noscript object plaintext script select
    style svg template textarea title xmp
    """
)
ATTRIBUTES = {
    name: words(attributes)
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
PREFIXES = frozenset({"aria-", "data-"})
SCHEMES = words(
    """
    http https mailto tel sms tg viber whatsapp skype page data
    """
)
TARGETS = frozenset({"_blank", "_parent", "_self", "_top"})
"""The `target`s that a link may have; the platform's own `_popup` is read as `_blank`."""

_REFERRER_POLICIES = words(
    """
    no-referrer origin origin-when-cross-origin same-origin strict-origin
    strict-origin-when-cross-origin
    """
)
# The others, `unsafe-url` and `no-referrer-when-downgrade`, send a path to other hosts (H3b).
_FRAME_FEATURES = words(
    """
    accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope
    picture-in-picture web-share
    """
)
_SCRIPTED = re.compile(r"(?:javascript|vbscript|livescript):|data:(?!image/)", re.IGNORECASE)
_SHORT = 256  # characters
_BLANKS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060\ufeff]+")
_SRCSET = re.compile(r"\s*(?P<url>[^\s,](?:\S*[^\s,])?)(?:\s+[\d.]+[wxh])*\s*(?:,|\Z)", re.ASCII)


def attribute_allowed(tag: str, name: str) -> bool:
    """Whether the policy lets an element have the attribute; `name` is in lower case."""
    return (
        name in ATTRIBUTES["*"]
        or name in ATTRIBUTES.get(tag, ())
        or any(name.startswith(prefix) for prefix in PREFIXES)
    )


def attribute_value(tag: str, name: str, value: str) -> str | None:
    """The attribute's value as the policy lets it stand; None when the policy refuses it."""
    check = _cached_value if len(value) < _SHORT else _checked_value
    return check(tag, name, value)


def _checked_value(tag: str, name: str, value: str) -> str | None:
    check = _TAG_CHECKS.get((tag, name)) or _CHECKS.get(name)
    if check is not None:
        return check(value)
    return None if name.startswith("data-") and is_scripted(value) else value


# Most attributes of a block repeat in other blocks.
_cached_value = lru_cache(maxsize=4096)(_checked_value)


def is_scripted(value: str) -> bool:
    """Tell whether a text begins like an address that runs a script."""
    # The text is checked as written, and with its character references decoded.
    readings = {value, unescape(value)} if "&" in value else {value}
    return any(_SCRIPTED.match(_BLANKS.sub("", reading)) for reading in readings)


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
    # Without `opener` the opened page cannot navigate ours, to a forged copy for example.
    words = value.split()
    kept = [word for word in words if word.lower() != "opener"]
    return value if len(kept) == len(words) else " ".join(kept) or None


def _features(value: str) -> str | None:
    parts = value.split(";")
    kept = [part for part in parts if part.strip() in _FRAME_FEATURES]
    return value if len(kept) == len(parts) else ";".join(kept).strip() or None


def _referrer_policy(value: str) -> str | None:
    return value if value.lower() in _REFERRER_POLICIES else None


_CHECKS: dict[str, Callable[[str], str | None]] = {
    "allow": _features,
    "cite": _link,
    "href": _link,
    "itemid": _link,
    "itemtype": _link,
    "poster": _media,
    "referrerpolicy": _referrer_policy,
    "rel": _relations,
    "src": _media,
    "srcset": _srcset,
    "style": partial(safe_style, pictures=True),
    "target": _target,
}
_TAG_CHECKS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("button", "type"): lambda _: "button",
    ("iframe", "sandbox"): lambda _: SANDBOX,
    ("iframe", "src"): embed_address,
}
