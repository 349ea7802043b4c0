"""The description of a plugin: the first line of its module's docstring."""

import ast
import functools
import importlib.util
from pathlib import Path


@functools.cache
def description_of(module: str) -> str:
    """Return the first line, read from the source: a plugin that is off is not imported."""
    top, *inner = module.partition(":")[0].split(".")
    try:
        spec = importlib.util.find_spec(top)
        place = Path((spec and spec.origin) or "")
        if inner:
            place = place.parent.joinpath(*inner)
            place = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        docstring = ast.get_docstring(ast.parse(place.read_bytes())) or ""
    except (ImportError, OSError, SyntaxError, ValueError):
        return ""
    return docstring.partition("\n")[0].strip()
