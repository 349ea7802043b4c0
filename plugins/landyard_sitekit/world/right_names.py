"""Rights as the world file names them."""

from collections.abc import Iterable

from landyard_landing.rights import Right


def right_set(names: Iterable[str]) -> Right:
    """Read rights by name; any right implies `view`. Raises `KeyError` for an unknown name."""
    found = Right(0)
    for name in names:
        found |= Right[name.upper()] | Right.VIEW
    return found


def right_names(rights: int) -> list[str]:
    """Write rights by name, in their usual order."""
    return [str(right.name).lower() for right in Right if right & rights]
