"""The words of ours in public pages, in the languages that have a file in `words/`."""

import functools
from collections.abc import Mapping
from html import escape
from importlib.resources import files

import msgspec
from msgspec import Struct

from landyard_landing.sites.languages import USUAL_LANGUAGE


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


@functools.lru_cache(maxsize=256)
def words_of(language: str) -> Words:
    """Find the words of a language: `pt-BR` has those of `pt`, else there are the English."""
    tag = language
    while tag:
        if (found := _files().get(tag)) is not None:
            return found
        tag = tag.rpartition("-")[0]
    return _files()[USUAL_LANGUAGE]


def with_labels(content: str, language: str) -> str:
    """Translate the labels in a block of the catalogue that are still the English ones."""
    for english, own in words_of(language).labels.items():
        if own != english:
            content = content.replace(f'aria-label="{english}"', f'aria-label="{escape(own)}"')
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
    folder = files("landyard_landing") / "words"
    return {
        file.name.removesuffix(".json"): msgspec.json.decode(file.read_bytes(), type=Words)
        for file in folder.iterdir()
        if file.name.endswith(".json")
    }
