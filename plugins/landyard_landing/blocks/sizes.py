"""Sizes of blocks and pages: what is larger than the settings have it is refused (B18)."""

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, select

from landyard import Call, Prepared
from landyard_landing.blocks.settings import BlockSettings
from landyard_landing.html.policy import clean_block
from landyard_landing.html.sizes import TooLarge, require_length
from landyard_landing.lengths import total_length
from landyard_landing.tables import BLOCK

_OF_PAGE = Prepared(
    select(func.count(), total_length([BLOCK.content, BLOCK.params])).where(
        BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False)
    )
)


def clean_sent(call: Call, html: str) -> str:
    """Sanitise a whole block's HTML that was sent; raises `TooLarge` before that.

    It takes seconds for the largest: do it before the call asks for the connection.
    """
    most = call.settings(BlockSettings).characters
    require_length(len(html), most)
    cleaned = clean_block(html)
    require_length(len(cleaned), most)
    return cleaned


def require_block(call: Call, content: str, params: Any) -> None:
    """Raise `TooLarge` for a block that is larger than one may be."""
    most = call.settings(BlockSettings).characters
    require_length(len(content), most)
    if params:
        require_length(len(msgspec.json.encode(params)), most, "The block's parameters")


def require_grown(call: Call, page_id: int, before: int, after: int) -> None:
    """Raise `TooLarge` where a block of a page's draft grows so much that the page is too large."""
    settings = call.settings(BlockSettings)
    # As many small ones as a page may have are never too large together.
    if after > max(before, settings.page_characters // settings.page_blocks):
        count, length = _OF_PAGE.all(call.connection, page_id=page_id)[0]
        _require_page(settings, count, length + after - before)


def require_block_place(call: Call, page_id: int, length: int) -> None:
    """Raise `TooLarge` where a page's draft cannot have one more block of so many characters."""
    count, before = _OF_PAGE.all(call.connection, page_id=page_id)[0]
    _require_page(call.settings(BlockSettings), count + 1, before + length)


def require_new_page(settings: BlockSettings, lengths: Iterable[int]) -> None:
    """Raise `TooLarge` for a page that would be made of too many blocks, or too large ones."""
    found = list(lengths)
    _require_page(settings, len(found), sum(found))


def require_answer(call: Call, length: int) -> None:
    """Raise `TooLarge` where an answer would have blocks of so many characters in all."""
    most = call.settings(BlockSettings).answer_characters
    if length > most:
        raise TooLarge(
            f"The answer would have more than {most} characters of blocks: ask for less."
        )


def _require_page(settings: BlockSettings, blocks: int, length: int) -> None:
    if blocks > settings.page_blocks:
        raise TooLarge(f"The page would have more than {settings.page_blocks} blocks.")
    require_length(length, settings.page_characters, "The page")
