"""Selectors as callers write them: a manifest's selector, perhaps with a position (`B7`, `B8`)."""

from __future__ import annotations

from msgspec import Struct
from turbohtml import Element

from landyard_landing.manifests import Manifest

# More digits than any position that could exist, and few enough for int().
_MAX_DIGITS = 9


class Place(Struct, frozen=True):
    """A selector of the manifest, the position asked for (None: none), and its node type."""

    selector: str
    index: int | None = None
    type: str = ""

    @property
    def is_component(self) -> bool:
        """Whether it names a component: it contains `:` and is no other type of node (`B11`)."""
        return ":" in self.selector and self.type in {"", "component"}

    def pick(self, found: list[Element]) -> list[Element]:
        """The one element at the position, the first without one; empty when out of range."""
        index = self.index or 0
        return found[index : index + 1]

    def pick_all(self, found: list[Element]) -> list[Element]:
        """The one element at the position, all of them without one (`B8`, `B11`)."""
        return found if self.index is None else self.pick(found)


def find_place(key: str, manifest: Manifest) -> Place | None:
    """What a key of `data` names, or None when the manifest does not have it (`B7`).

    The key is looked up, never compiled.
    """
    selector, index = key, None
    if not manifest.names(key):
        selector, index = split_position(key)
        if index is None or not manifest.names(selector):
            return None
    node = manifest.nodes.get(selector)
    return Place(selector, index, node.type if node else "")


def split_position(key: str) -> tuple[str, int | None]:
    """Take the position behind the last `@` off a selector; None where there is no `@`."""
    selector, at, position = key.rpartition("@")
    return (selector, _index(position)) if at else (key, None)


def _index(position: str) -> int:
    """The number behind `@`; empty and non-numeric count as 0 (`B8`)."""
    if not (position.isascii() and position.isdigit()):
        return 0
    return int(position) if len(position) <= _MAX_DIGITS else 10**_MAX_DIGITS
