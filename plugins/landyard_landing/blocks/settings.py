"""The settings of blocks."""

from msgspec import Struct


class BlockSettings(Struct, frozen=True):
    """The section `[blocks]` of the settings.

    `verify_writes`: read every edited block back and compare (B15). `embed_hosts`: the hosts that
    embeds may come from; empty: any but the service's own (H3).
    """

    verify_writes: bool = False
    embed_hosts: list[str] = []
