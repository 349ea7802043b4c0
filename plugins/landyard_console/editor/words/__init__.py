"""The editor's texts, by language: `<language>.json`, keys and texts."""

import functools
from collections.abc import Mapping
from pathlib import Path

import msgspec

USUAL = "en"


@functools.cache
def texts_of(language: str) -> Mapping[str, str]:
    """Read the texts of a language; what it has not is said in English."""
    own = Path(__file__).parent / f"{language}.json"
    usual = msgspec.json.decode(own.with_name(f"{USUAL}.json").read_bytes(), type=dict[str, str])
    if language == USUAL or not own.is_file():
        return usual
    return usual | msgspec.json.decode(own.read_bytes(), type=dict[str, str])
