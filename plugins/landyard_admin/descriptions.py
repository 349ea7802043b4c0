"""What a plugin says of itself: the first line of its module's docstring."""

import ast
import functools
import importlib.util
from pathlib import Path


@functools.cache
def description_of(module: str) -> str:
    """Read the line from the source, for one that fails or is off is not imported; "" for none."""
    top, *inner = module.partition(":")[0].split(".")
    try:
        spec = importlib.util.find_spec(top)
        place = Path((spec and spec.origin) or "")
        if inner:
            place = place.parent.joinpath(*inner)
            place = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        told = ast.get_docstring(ast.parse(place.read_bytes())) or ""
    except (ImportError, OSError, SyntaxError, ValueError):
        return ""
    return told.partition("\n")[0].strip()
