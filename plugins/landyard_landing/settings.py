"""The settings section `[blocks]`: size limits, hosts of embeds, write verification."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard_html.sizes import LARGEST


class BlockSettings(Struct, frozen=True):
    """The section `[blocks]` of the settings.

    `verify_writes`: read every edited block back and compare (B15). `embed_hosts`: the hosts that
    embeds may come from; empty: any but the service's own (H3). `characters`: the most characters
    of a block's HTML, and of its parameters. `page_characters` and `page_blocks`: the most
    characters and blocks of a page's draft. `answer_characters`: the most characters of blocks in
    one answer (B18).
    """

    verify_writes: bool = False
    embed_hosts: list[str] = []
    characters: Annotated[int, Meta(ge=1024, le=16 * 1024 * 1024)] = LARGEST
    page_characters: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
    page_blocks: Annotated[int, Meta(ge=1)] = 1000
    answer_characters: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
