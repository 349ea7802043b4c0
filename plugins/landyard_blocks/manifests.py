"""The manifest of a block type in the form that methods answer, with all parts filled in."""

from typing import Any

from landyard_content import blocks
from landyard_html.registered_addresses import safe_addresses

_MAPS = ("nodes", "style", "attrs", "cards", "menu", "callbacks")
_ASSETS = ("css", "js", "ext", "class", "callbacks")
_REMEMBERED = 1024
# The key is the type's `id()`, which is cheap; keeping the type itself keeps the key valid.
_prepared: dict[int, tuple[blocks.BlockType, dict[str, Any]]] = {}


def prepared(kind: blocks.BlockType) -> dict[str, Any]:
    """Return the manifest with all parts, and a `code` in each node; do not change it."""
    cached = _prepared.get(id(kind))
    if cached is None or cached[0] is not kind:
        if len(_prepared) > _REMEMBERED:
            _prepared.clear()
        cached = _prepared[id(kind)] = (kind, _prepare(kind))
    return cached[1]


def sections(kind: blocks.BlockType) -> list[str]:
    """Return the sections of the repository that list the block type."""
    return _texts(block_part(kind).get("section"))


def site_types(kind: blocks.BlockType) -> list[str]:
    """Return the site types for which the block type is meant; an empty list means all."""
    return [each.upper() for each in _texts(block_part(kind).get("type"))]


def is_offered(kind: blocks.BlockType) -> bool:
    """Tell whether blocks of the type may be added; false if the manifest has `active: false`."""
    return block_part(kind).get("active") is not False


def block_part(kind: blocks.BlockType) -> dict[str, Any]:
    """Return the part `block` of the manifest."""
    part = kind.manifest.document.get("block")
    return part if isinstance(part, dict) else {}


def _prepare(kind: blocks.BlockType) -> dict[str, Any]:
    document = kind.manifest.document
    maps = {name: _map(document.get(name)) for name in _MAPS}
    maps["nodes"] = {
        selector: {**node, "code": selector} if isinstance(node, dict) else node
        for selector, node in maps["nodes"].items()
    }
    assets = _map(safe_addresses(document.get("assets")))
    files = {"css": list(kind.css), "js": list(kind.js)}
    whole: dict[str, Any] = safe_addresses({**document, **maps, "block": block_part(kind)})
    return {
        **whole,
        "block": {
            **whole["block"],
            "name": block_part(kind).get("name") or kind.name,
            "section": sections(kind),
            "dynamic": False,
        },
        "assets": {**{name: [] for name in _ASSETS}, **assets, **files},
        "timestamp": 0,
        "namespace": str(document.get("namespace") or ""),
        "code": kind.code,
        "preview": kind.preview,
    }


def _map(value: Any) -> dict[str, Any]:
    """Return a map; an empty one may be written as a list."""
    return dict(value) if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    """Return a list of the texts in a text or list."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]
