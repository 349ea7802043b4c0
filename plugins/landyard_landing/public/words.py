"""The words of ours in public pages, in the languages that have a file in `words/`."""

import functools
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from landyard_landing.sites.languages import USUAL_LANGUAGE, direction


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """What the pages of one language say.

    `locale` is the language's for Open Graph; `labels` are those that the catalogue's blocks have
    for screen readers, by the English ones. `{path}` stands for an address.
    """

    locale: str
    skip: str
    lost_title: str
    lost_heading: str
    lost_text: str
    labels: Mapping[str, str]


_BLANK = re.compile(r"\{\w+\}")
_NUMBER = re.compile(r"(?<![\w.@/])\+?\d(?:[\d ().,:/\u2013-]*\d)?(?![\w@])", re.ASCII)
_LABELS = ("aria-label", "data-open", "data-close")
T = TypeVar("T")


@functools.lru_cache(maxsize=256)
def words_of(language: str) -> Words:
    """Find the words of a language: `pt-BR` has those of `pt`, else there are the English."""
    return nearest(_files(), language) or _files()[USUAL_LANGUAGE]


def nearest(by_language: Mapping[str, T], language: str) -> T | None:
    """Find what is there for a language, or for the one that it is a kind of."""
    tag = language
    while tag:
        if (found := by_language.get(tag)) is not None:
            return found
        tag = tag.rpartition("-")[0]
    return None


def with_labels(content: str, labels: Mapping[str, str]) -> str:
    """Translate the labels in a block that are still the English ones."""
    for english, own in labels.items():
        if own != english:
            for name in _LABELS:
                content = content.replace(f'{name}="{english}"', f'{name}="{escape(own)}"')
    return content


def open_graph_locale(language: str) -> str:
    """Write a language as Open Graph has it, `pt_BR`; "" where its country is not known."""
    main, *rest = language.split("-")
    country = next((part for part in rest if len(part) == 2), "")
    if country:
        return f"{main}_{country}"
    return _files()[main].locale if main in _files() else ""


@functools.cache
def _files() -> Mapping[str, Words]:
    return read_words(files("landyard_landing") / "words", Words)


def read_words(folder: Traversable, kind: type[T]) -> Mapping[str, T]:
    """Read the JSON files of a folder that are named by a language, such as `de.json`."""
    found = {}
    for file in folder.iterdir():
        language, _, ending = file.name.rpartition(".")
        if ending == "json":
            texts = msgspec.json.decode(file.read_bytes())
            found[language] = msgspec.convert(isolated(texts, language), kind)
    return found


def isolated(texts: Any, language: str) -> Any:
    """Isolate numbers and what is filled in, in texts of a language from right to left.

    A number with spaces or dashes would be drawn backwards there.
    """
    if direction(language) == "ltr":
        return texts
    if isinstance(texts, dict):
        return {name: isolated(each, language) for name, each in texts.items()}
    if not isinstance(texts, str):
        return texts
    return _BLANK.sub("\u2068\\g<0>\u2069", _NUMBER.sub("\u2066\\g<0>\u2069", texts))
