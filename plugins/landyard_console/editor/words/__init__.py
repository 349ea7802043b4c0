"""The editor's texts, by language: `<language>.json`, keys and texts."""

import functools
from collections.abc import Mapping
from pathlib import Path

from landyard_content import words

USUAL = "en"


@functools.cache
def texts_of(language: str) -> Mapping[str, str]:
    """Return the texts of a language; missing ones are in English."""
    texts = words.read_words(Path(__file__).parent, dict[str, str])
    return texts[USUAL] | texts.get(language, {})
