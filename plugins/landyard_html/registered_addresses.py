"""Removes addresses that run scripts from manifests and templates in answers (`H1`).

Callers read manifests and templates that others registered, and may put any address there into a
link, a picture or a frame of their own.
"""

import re
from collections.abc import Mapping
from typing import Any

from landyard_html.addresses import media_address
from landyard_html.allowed import is_scripted

_TEXTS = frozenset({"name", "title", "description", "label", "text", "content"})
_PICTURES = re.compile(r"preview(2x|3x)?|picture|image|logo|thumbnail", re.IGNORECASE)


def safe_addresses(answer: Any) -> Any:
    """Copy an answer with an empty text in place of each address that runs a script.

    Any text that begins like such an address is emptied, except under the keys of names, titles and
    descriptions. A text under the key of a picture must be an address that a picture may have.
    """
    return _safe("", answer)


def _safe(key: str, value: Any) -> Any:
    match value:
        case str() if key.lower() in _TEXTS:
            return value
        case str():
            picture = _PICTURES.fullmatch(key) is not None
            refused = is_scripted(value) or (picture and value and media_address(value) is None)
            return "" if refused else value
        case list() | tuple():
            return [_safe(key, each) for each in value]
        case Mapping():
            return {name: _safe(str(name), each) for name, each in value.items()}
    return value
