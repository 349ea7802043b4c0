"""The console's texts, by language: `words/<language>.json`, keys and texts."""

import functools
from collections.abc import Mapping
from importlib.resources import files

from msgspec import Struct

from landyard_content import words

USUAL = "en"
_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})


class Words(Struct, frozen=True):
    """The texts of a language; missing ones are in English."""

    language: str
    texts: Mapping[str, str]

    @property
    def direction(self) -> str:
        """The writing direction: `rtl` or `ltr`."""
        return "rtl" if self.language in _RIGHT_TO_LEFT else "ltr"

    def text(self, key: str, /, **values: object) -> str:
        """Return the text of a key; an unknown key is returned as the text."""
        text = self.texts.get(key, key)
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text


@functools.cache
def languages() -> Mapping[str, Words]:
    """Return the texts of all languages, by tag."""
    read = words.read_words(files("landyard_console") / "words", dict[str, str])
    return {name: Words(name, {**read[USUAL], **texts}) for name, texts in read.items()}


def words_of(chosen: str, accepted: str) -> Words:
    """Return the texts of the chosen language, else of the first accepted one that exists."""
    for tag in (chosen, *accepted.split(",")):
        if found := words.nearest(languages(), tag.partition(";")[0].strip().lower()):
            return found
    return languages()[USUAL]
