"""The texts that forms show to visitors, in the languages that have a file in `words/`."""

import functools
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from msgspec import Struct

from landyard_content import words
from landyard_landing import languages


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The plain texts of forms in one language.

    `{most}` stands for a number, and `{kinds}` for kinds of files. `block` are translations of the
    block's initial texts, by the English ones.
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
    """Return the texts of a language; `pt-BR` falls back to `pt`, any other to English."""
    return words.nearest(_files(), language) or _files()[languages.USUAL_LANGUAGE]


def in_words_of(language: str, content: str) -> str:
    """Translate the texts of a form that are still the initial English ones."""
    for english, own in words_of(language).block.items():
        if own != english:
            content = content.replace(f">{english}<", f">{escape(own)}<")
    return content


@functools.cache
def _files() -> Mapping[str, Words]:
    return words.read_words(files("landyard_forms") / "words", Words)
