"""What the methods of blocks share: their group, its settings, and how selectors are told."""

from collections.abc import Iterable

from msgspec import Struct

from landyard import Bounds, MethodGroup

# The nodes of a block may hold whole articles.
blocks = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))


class BlockSettings(Struct, frozen=True):
    """The section `[blocks]` of the settings.

    `verify_writes`: read every edited block back and compare (B15). `embed_hosts`: the hosts that
    embeds may come from; empty for any but our own (H3).
    """

    verify_writes: bool = False
    embed_hosts: list[str] = []


def selectors(noun: str, found: Iterable[str]) -> str:
    """Say in an error which selectors the block has."""
    names = sorted(found)
    return f"Its {noun}: {', '.join(names)}." if names else f"It has no {noun}."
