"""The words of ours that forms say to visitors, in the languages that have a file in `words/`."""

import functools
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from msgspec import Struct

from landyard_landing import USUAL_LANGUAGE, nearest, read_words


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """What forms of one language say, as plain text.

    `{most}` stands for a number, and `{kinds}` for kinds of files. `block` are the texts that the
    block comes with, by the English ones.
    """

    label: str
    send: str
    thanks: str
    choose: str
    leave_empty: str
    see_below: str
    missing: str
    too_long: str
    mail: str
    phone: str
    date: str
    choice: str
    consent: str
    changed: str
    too_many: str
    nothing: str
    once_more: str
    full: str
    too_often: str
    stopped: str
    kinds: str
    wrong_file: str
    large_file: str
    file_again: str
    block: Mapping[str, str]


@functools.lru_cache(maxsize=256)
def words_of(language: str) -> Words:
    """Find the words of a language: `pt-BR` has those of `pt`, else there are the English."""
    return nearest(_files(), language) or _files()[USUAL_LANGUAGE]


def in_words_of(language: str, content: str) -> str:
    """Translate the texts of a form that are still those it comes with."""
    for english, own in words_of(language).block.items():
        if own != english:
            content = content.replace(f">{english}<", f">{escape(own)}<")
    return content


@functools.cache
def _files() -> Mapping[str, Words]:
    return read_words(files("landyard_forms") / "words", Words)
