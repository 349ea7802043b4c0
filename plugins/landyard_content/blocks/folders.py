"""Reads a plugin's block types from folders, one a type, each named by the type's code."""

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any

import msgspec
from msgspec import Struct

from landyard import PluginError
from landyard_content.blocks.blocktypes import BlockType
from landyard_html.assets import address_of_asset, read_asset
from landyard_html.manifests import Manifest, parse_manifest
from landyard_html.selectors import wrong_selectors

HTML, DESCRIPTION = "block.html", "block.json"
_PREVIEWS = frozenset({"preview.avif", "preview.jpg", "preview.png", "preview.svg", "preview.webp"})


class _Described(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `block.json`."""

    name: str
    manifest: dict[str, Any]


def read_block_types(folder: Traversable) -> list[BlockType]:
    """Read the block types of a plugin; each is a folder in `folder`, named by its code.

    It holds `block.html`, `block.json` with `name` and `manifest`, a picture `preview.svg` (or
    `.png`, `.jpg`, `.webp`, `.avif`), and any other files of the block: pages load its `*.css`,
    and lists of blocks name its `*.js` to editors. Every file is served as
    `/assets/<code>/<file>`. Raises `PluginError` for a folder of another shape.
    """
    folders = sorted(folder.iterdir(), key=lambda each: each.name)
    return [
        _block_type(each)
        for each in folders
        if each.is_dir() and not each.name.startswith(("_", "."))
    ]


def _block_type(folder: Traversable) -> BlockType:
    code = folder.name
    found = [each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")]
    files = {each.name: each.read_bytes() for each in found}
    for name in (HTML, DESCRIPTION):
        if name not in files:
            raise PluginError(f"block type '{code}': there is no file {name} in its folder")
    try:
        described = msgspec.json.decode(files.pop(DESCRIPTION), type=_Described)
    except msgspec.DecodeError as error:
        raise PluginError(f"block type '{code}': {DESCRIPTION} cannot be read: {error}") from error
    content = files.pop(HTML).decode().strip()
    assets = {name: read_asset(name, content) for name, content in files.items()}
    addresses = {name: address_of_asset(f"{code}/{name}", each) for name, each in assets.items()}
    return BlockType(
        code,
        described.name,
        _manifest(code, described.manifest),
        content,
        css=tuple(addresses[name] for name in sorted(addresses) if name.endswith(".css")),
        js=tuple(addresses[name] for name in sorted(addresses) if name.endswith(".js")),
        preview=_preview(code, addresses),
        assets=assets,
    )


def _manifest(code: str, document: Mapping[str, Any]) -> Manifest:
    """Read a manifest; raise `PluginError` for entries that a world file's manifest may have."""
    if wrong := wrong_selectors(document):
        raise PluginError(f"block type '{code}': {wrong}")
    manifest = parse_manifest(document)
    read = {"nodes": manifest.nodes, "cards": manifest.cards, "menu": manifest.menu}
    for part, entries in read.items():
        for selector in document.get(part) or {}:
            if selector not in entries:
                wanted = "an object with a 'type'" if part == "nodes" else "an object"
                raise PluginError(f"block type '{code}': {part}['{selector}'] must be {wanted}")
    return manifest


def _preview(code: str, addresses: Mapping[str, str]) -> str:
    found = sorted(_PREVIEWS & addresses.keys())
    if len(found) != 1:
        raise PluginError(
            f"block type '{code}': its folder needs one picture of it, named preview.svg,"
            " preview.png, preview.jpg, preview.webp or preview.avif"
        )
    return addresses[found[0]]
