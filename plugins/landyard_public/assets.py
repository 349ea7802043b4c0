"""Reads the static files of public pages: the style sheet and pictures of built-in blocks."""

import functools
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from landyard_html.assets import Asset, address_of_asset, read_asset
from landyard_public.themes.default_theme import with_tokens

_SHEET = "landyard.css"


@functools.cache
def assets() -> Mapping[str, Asset]:
    """Read all of them, by path below `/assets/`."""
    folder = files("landyard_public") / "static"
    contents = {name: file.read_bytes() for name, file in _walk(folder)}
    contents[_SHEET] = with_tokens(contents[_SHEET])
    return {name: read_asset(name, content) for name, content in contents.items()}


def _walk(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _walk(file, f"{above}{file.name}/")
        else:
            yield above + file.name, file


STYLESHEET = address_of_asset(_SHEET, assets()[_SHEET])
