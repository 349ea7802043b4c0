"""Addresses in registered manifests and templates, as other callers are told them (`H1`).

A client may put any of them into a link, a picture or a frame of its own.
"""

import re
from collections.abc import Mapping
from typing import Any

from landyard_landing.html.addresses import media_address
from landyard_landing.html.allowed import is_scripted

_TEXTS = frozenset({"name", "title", "description", "label", "text", "content"})
_PICTURES = re.compile(r"preview(2x|3x)?|picture|image|logo|thumbnail", re.IGNORECASE)


def safe_addresses(told: Any) -> Any:
    """Return what is to be told with an empty text in place of each address that runs a script.

    That is any text that begins as one does, but for names, titles and descriptions. A picture, by
    its key, keeps only an address that a picture may have.
    """
    return _safe("", told)


def _safe(key: str, told: Any) -> Any:
    match told:
        case str() if key.lower() in _TEXTS:
            return told
        case str():
            picture = _PICTURES.fullmatch(key) is not None
            refused = is_scripted(told) or (picture and told and media_address(told) is None)
            return "" if refused else told
        case list() | tuple():
            return [_safe(key, each) for each in told]
        case Mapping():
            return {name: _safe(str(name), each) for name, each in told.items()}
    return told
