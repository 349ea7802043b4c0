"""Reads language tags of sites and pages (BCP 47), and tells their writing direction."""

import re
from typing import Literal

from landyard_landing.errors import AccessDenied

USUAL_LANGUAGE = "en"
"""The language of a site without a language of its own."""

# Language, script, region, variants. Browsers and search engines ignore extensions and private use,
# and the old irregular tags (`i-klingon`) all have regular successors.
_TAG = re.compile(
    r"([a-z]{2,3})(-[a-z]{4})?(-(?:[a-z]{2}|[0-9]{3}))?((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)",
    re.ASCII | re.IGNORECASE,
)
_LONGEST = 35  # characters: the length that RFC 5646 requires to be kept whole
_FROM_THE_RIGHT = frozenset(
    {"ar", "arc", "azb", "ckb", "dv", "fa", "glk", "he", "ks", "lrc", "mzn", "nqo", "pnb", "prs"}
    | {"ps", "rhg", "sd", "syr", "ug", "ur", "yi"}
)
_SCRIPTS_FROM_THE_RIGHT = frozenset(
    {"Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"}
)


def read_language(tag: str) -> str | None:
    """Write a language tag in the case of BCP 47, `PT-br` as `pt-BR`; None for any other text."""
    found = _TAG.fullmatch(tag.strip()) if len(tag) <= _LONGEST else None
    if found is None:
        return None
    language, script, region, variants = (part or "" for part in found.groups())
    return language.lower() + script.title() + region.upper() + variants.lower()


def require_language(tag: str) -> str | None:
    """Read the field `LANG`, a language tag; None for an empty text. Raises `AccessDenied`."""
    language = read_language(tag)
    if language is None and tag.strip():
        raise AccessDenied("fields.LANG: it must be a language tag, such as en, de or pt-BR.")
    return language


def direction(tag: str) -> Literal["ltr", "rtl"]:
    """Return the direction in which a language is written; a script in its tag decides."""
    language, _, rest = tag.partition("-")
    script = rest.partition("-")[0]
    if len(script) == 4 and script.isalpha():
        return "rtl" if script in _SCRIPTS_FROM_THE_RIGHT else "ltr"
    return "rtl" if language in _FROM_THE_RIGHT else "ltr"
