"""The manifest of a block as methods answer it: what was given, with what every client expects."""

from typing import Any

from landyard_landing import BlockType, safe_addresses

_MAPS = ("nodes", "style", "attrs", "cards", "menu", "callbacks")
_ASSETS = ("css", "js", "ext", "class", "callbacks")
_REMEMBERED = 1024
# By the type's identity, for that is cheap to ask for; the type is kept, so that it stays its own.
_prepared: dict[int, tuple[BlockType, dict[str, Any]]] = {}


def prepared(kind: BlockType) -> dict[str, Any]:
    """Return the manifest with its every part, each node with its `code`; not to be changed."""
    known = _prepared.get(id(kind))
    if known is None or known[0] is not kind:
        if len(_prepared) > _REMEMBERED:
            _prepared.clear()
        known = _prepared[id(kind)] = (kind, _prepare(kind))
    return known[1]


def sections(kind: BlockType) -> list[str]:
    """Return the sections of the repository that the block type is shown in."""
    return _texts(block_part(kind).get("section"))


def site_types(kind: BlockType) -> list[str]:
    """Return the types of sites that the block type is meant for; none are all."""
    return [each.upper() for each in _texts(block_part(kind).get("type"))]


def is_offered(kind: BlockType) -> bool:
    """Tell whether blocks of the type may be added; a manifest says it with `active`."""
    return block_part(kind).get("active") is not False


def block_part(kind: BlockType) -> dict[str, Any]:
    """Return what the manifest says of the block itself."""
    found = kind.manifest.document.get("block")
    return found if isinstance(found, dict) else {}


def _prepare(kind: BlockType) -> dict[str, Any]:
    document = kind.manifest.document
    maps = {name: _map(document.get(name)) for name in _MAPS}
    maps["nodes"] = {
        selector: {**node, "code": selector} if isinstance(node, dict) else node
        for selector, node in maps["nodes"].items()
    }
    assets = _map(safe_addresses(document.get("assets")))
    files = {"css": list(kind.css), "js": list(kind.js)}
    told: dict[str, Any] = safe_addresses({**document, **maps, "block": block_part(kind)})
    return {
        **told,
        "block": {
            **told["block"],
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
    """Read a map; an empty one may be written as a list."""
    return dict(value) if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    """Read one text or a list of them."""
    found = value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, str) and each]
