"""What an operator can set for the methods of blocks: the section `[blocks]`."""

from msgspec import Struct


class BlockSettings(Struct, frozen=True):
    """`verify_writes`: read every edited block back and compare (B15).

    `embed_hosts`: the hosts that embeds may come from; empty for any but our own (H3).
    """

    verify_writes: bool = False
    embed_hosts: list[str] = []
