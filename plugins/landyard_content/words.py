"""The service's own texts in public pages, translated by the files in `words/`."""

import functools
import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from landyard_landing.languages import USUAL_LANGUAGE, direction


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of one language.

    `locale` is the language's locale for Open Graph; `labels` are translations of the English
    labels in the catalogue's blocks. `{path}` in a text stands for an address.
    """

    locale: str
    skip: str
    lost_title: str
    lost_heading: str
    lost_text: str
    labels: Mapping[str, str]


_BLANK = re.compile(r"\{\w+\}")
_NUMBER = re.compile(r"(?<![\w.@/])\+?\d(?:[\d ().,:/\u2013-]*\d)?(?![\w@])", re.ASCII)
T = TypeVar("T")


@functools.lru_cache(maxsize=256)
def words_of(language: str) -> Words:
    """Find the texts of a language; `pt-BR` falls back to `pt`, and any language to English."""
    return nearest(word_files(), language) or word_files()[USUAL_LANGUAGE]


def nearest(by_language: Mapping[str, T], language: str) -> T | None:
    """Find the entry of a language tag, or of the longest prefix of it, `pt` for `pt-BR`."""
    tag = language
    while tag:
        if (found := by_language.get(tag)) is not None:
            return found
        tag = tag.rpartition("-")[0]
    return None


@functools.cache
def word_files() -> Mapping[str, Words]:
    return read_words(files("landyard_content") / "words", Words)


def read_words(folder: Traversable, kind: type[T]) -> Mapping[str, T]:
    """Read the JSON files of a folder as `kind`, by the language in the name, as in `de.json`."""
    found = {}
    for file in folder.iterdir():
        language, _, ending = file.name.rpartition(".")
        if ending == "json":
            texts = msgspec.json.decode(file.read_bytes())
            found[language] = msgspec.convert(isolated(texts, language), kind)
    return found


def isolated(texts: Any, language: str) -> Any:
    """Isolate numbers and placeholders in the texts of a right-to-left language.

    Otherwise a number with spaces or dashes would be shown in the wrong order.
    """
    if direction(language) == "ltr":
        return texts
    if isinstance(texts, dict):
        return {name: isolated(each, language) for name, each in texts.items()}
    if not isinstance(texts, str):
        return texts
    return _BLANK.sub("\u2068\\g<0>\u2069", _NUMBER.sub("\u2066\\g<0>\u2069", texts))
