"""The settings of blocks."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard_landing.html.sizes import LARGEST


class BlockSettings(Struct, frozen=True):
    """The section `[blocks]` of the settings.

    `verify_writes`: read every edited block back and compare (B15). `embed_hosts`: the hosts that
    embeds may come from; empty: any but the service's own (H3). `characters`: how many a block may
    have, of HTML and of parameters each; `page_characters` and `page_blocks`: how many a page's
    draft may have; `answer_characters`: how many of blocks one answer may have (B18).
    """

    verify_writes: bool = False
    embed_hosts: list[str] = []
    characters: Annotated[int, Meta(ge=1024, le=16 * 1024 * 1024)] = LARGEST
    page_characters: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
    page_blocks: Annotated[int, Meta(ge=1)] = 1000
    answer_characters: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
