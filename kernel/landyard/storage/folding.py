"""Folds case and accents of texts, so that a search finds them in either spelling (`fold`).

SQLite is given the function in Python; PostgreSQL has it as a function of SQL that the kernel's
second migration makes, from the constants here. It needs no extension and no collation: what
these know differs from server to server.

Letters are compared as people look them up, by the root of CLDR's collation and by its letters
without a decomposition: é is e, ё is е, ñ is n, ø is o, ł is l, ß is ss, a final ς is σ, and both İ
and ı are i. Arabic and Hebrew are read without their vowel signs, and آ أ إ are ا. Wide and narrow
forms are alike, and signs that are not seen are left out. A letter that is more than a base with
an accent stays: й is not и, a syllable of Hangul is one letter, が is not か, and vowel signs of
Indic scripts and Thai are letters.
"""

# ruff: noqa: RUF002 - it is about letters that look alike

import re
import unicodedata
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, String, func

from landyard.storage.spelling import MOST_MARKS, bounded

FUNCTION = "landyard_fold"
LEFT_OUT = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u180e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
)
"""Accents, vowel signs, and what is not seen: a class of a regular expression."""
KEPT = {"\u0438\u0306": "\u0439", "\u0418\u0306": "\u0439"}  # й
"""Letters that are more than a base and an accent."""
ALIKE = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    **dict(zip("øłđðħŧƀɨʉıȷ", "olddhtbiuij", strict=True)),
}
"""Lower-case letters of which Unicode does not say that they are others with an accent."""

_LEFT_OUT = re.compile(f"[{LEFT_OUT}]")
_ALIKE = str.maketrans(ALIKE)


def fold(text: str) -> str:
    """Write a text as a search compares it."""
    if text.isascii():
        return text.lower()
    # Without accents first: it takes long to put many of them into an order.
    folded = unicodedata.normalize("NFKD", bounded(_without_accents(text)))
    folded = _without_accents(folded).casefold().translate(_ALIKE)
    return unicodedata.normalize("NFC", folded)


def _without_accents(text: str) -> str:
    for letters, kept in KEPT.items():
        text = text.replace(letters, kept)
    return _LEFT_OUT.sub("", text)


def fold_mask(mask: str, *, whole: bool = True) -> str:
    r"""Write a mask of LIKE as a search compares it; its `%`, `_` stay, and `\` escapes.

    If `whole` is false, `mask` is a plain text: the result finds every text that contains it.
    """
    if not whole:
        return f"%{_escaped(fold(mask))}%"
    return "".join(
        each if each in {"%", "_"} else _escaped(fold(each)) for each in re.split("([%_])", mask)
    )


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def folded(column: ColumnElement[Any]) -> ColumnElement[str]:
    """Fold a column in the database, to be compared with a text that `fold` wrote."""
    return func.landyard_fold(column, type_=String)


def add_to_sqlite(connection: Any) -> None:
    """Give a connection of `sqlite3` the function."""
    connection.create_function(FUNCTION, 1, _fold_value, deterministic=True)


def _fold_value(value: Any) -> Any:
    return fold(value) if isinstance(value, str) else value


def postgres_function() -> str:
    """Write the function for PostgreSQL; whatever case pairs Python knows are in it."""
    bare = [f"t := replace(t, {_quoted(was)}, {_quoted(kept)});" for was, kept in KEPT.items()]
    bare.append(f"t := regexp_replace(t, {_quoted(f'[{LEFT_OUT}]')}, '', 'g');")
    marks = _marks()
    many = f"regexp_replace(t, '([{marks}]{{{MOST_MARKS}}})[{marks}]+', '\\1', 'g')"
    bound = f"IF t ~ '[{marks}]{{{MOST_MARKS + 1}}}' THEN t := {many}; END IF;"
    steps = [*bare, bound, "t := normalize(t, NFKD);", *bare]
    for lower_of in _capitals():
        capitals, small = _quoted("".join(lower_of)), _quoted("".join(lower_of.values()))
        known = _quoted(f"[{''.join(lower_of)}]")
        # To translate costs as much as there are pairs, for each letter of the text.
        steps.append(f"IF t ~ {known} THEN t := translate(t, {capitals}, {small}); END IF;")
    steps.append('t := lower(t COLLATE "C");')  # of ASCII alone
    steps += [f"t := replace(t, {_quoted(was)}, {_quoted(as_)});" for was, as_ in _LONGER.items()]
    single = {was: as_ for was, as_ in ALIKE.items() if len(as_) == 1}
    was, as_ = _quoted("".join(single)), _quoted("".join(single.values()))
    steps.append(f"t := translate(t, {was}, {as_});")
    inside = "\n    ".join(steps)
    return f"""CREATE OR REPLACE FUNCTION {FUNCTION}(said text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $fold$
DECLARE t text COLLATE "C" := said;
BEGIN
    IF octet_length(t) = char_length(t) THEN RETURN lower(t COLLATE "C"); END IF;
    {inside}
    RETURN normalize(t, NFC);
END $fold$"""


_LONGER = {was: as_ for was, as_ in ALIKE.items() if len(as_) > 1} | {"ẞ": "ss"}
_GROUPS = (0x80, 0x370, 0x400, 0x430, 0x590, 0x110000)  # Latin, Greek, Cyrillic, all others


def _capitals() -> list[dict[str, str]]:
    """List the letters that have a small one, by groups, as they are once they are decomposed."""
    groups: list[dict[str, str]] = []
    for first, behind in pairwise(_GROUPS):
        letters = (chr(code) for code in range(first, behind))
        groups.append(
            {
                each: each.casefold()
                for each in letters
                if each.casefold() != each
                and len(each.casefold()) == 1
                and unicodedata.normalize("NFKD", each) == each
                and not _LEFT_OUT.match(each)
            }
        )
    return groups


def _marks() -> str:
    """List the marks that are not left out, as ranges: what `bounded` counts."""
    codes = [code for code in range(0x110000) if unicodedata.combining(chr(code))]
    kept = [code for code in codes if not _LEFT_OUT.match(chr(code))]
    known = frozenset(kept)
    firsts = [code for code in kept if code - 1 not in known]
    lasts = [code for code in kept if code + 1 not in known]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(firsts, lasts, strict=True))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
