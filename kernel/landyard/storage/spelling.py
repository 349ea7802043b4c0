"""Normalises texts with a syntax that somebody typed or pasted: Unicode form, spaces, digits.

Telephones copy numbers with marks of direction around them, editors paste soft hyphens and no-break
spaces, and macOS writes é as two characters. None of that is seen, and none of it is meant.
"""

import re
from unicodedata import category, combining, decimal, normalize

_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]"
)
# Joiners are part of words in Persian and in Indic scripts, and of emoji, but not beside ASCII.
_JOINERS = re.compile("(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])")
MOST_MARKS = 30
_MANY = re.compile(rf"[^\w\s\x00-\x7f]{{{MOST_MARKS + 1},}}")
_DASHES = "\u2212\u2043\u02d7\u30fc"  # by their looks, not by their category


def spelt(text: str) -> str:
    """Write a text in NFC, without signs that are not seen, and with plain spaces alone."""
    if text.isascii():
        return text
    seen = normalize("NFC", bounded(_UNSEEN.sub("", _SPACES.sub(" ", text))))
    return normalize("NFC", _JOINERS.sub("", seen))


def spellings(text: str) -> list[str]:
    """List the forms in which a text may have been stored before all were written in one."""
    known = bounded(text)
    return sorted({text, spelt(text), normalize("NFC", known), normalize("NFD", known)})


def bounded(text: str) -> str:
    """Leave out what comes behind thirty accents on one letter (UAX 15, stream-safe text).

    They are put into an order when a text is normalised, which takes a minute for 100,000 of them.
    """
    return _MANY.sub(_thirty, text)


def _thirty(found: re.Match[str]) -> str:
    kept, marks = [], 0
    for sign in found[0]:
        marks = marks + 1 if combining(sign) else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def plain_digits(text: str) -> str:
    """Write a number, a date or a price with the digits and dashes of ASCII, whatever its script.

    Wide forms become narrow ones; all else is as `spelt` writes it.
    """
    if text.isascii():
        return text
    return "".join(map(_plain, normalize("NFKC", spelt(text))))


def _plain(sign: str) -> str:
    if (digit := decimal(sign, None)) is not None:
        return str(digit)
    return "-" if sign in _DASHES or category(sign) == "Pd" else sign
