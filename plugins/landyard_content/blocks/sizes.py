"""Refuses blocks, pages and answers that are larger than the settings allow (B18)."""

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, select

from landyard import Call, Prepared
from landyard_html.policy import clean_block
from landyard_landing.errors import TooLarge
from landyard_landing.lengths import total_length
from landyard_landing.settings import BlockSettings
from landyard_landing.tables import BLOCK

_OF_PAGE = Prepared(
    select(func.count(), total_length([BLOCK.content, BLOCK.params])).where(
        BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False)
    )
)


def require_length(length: int, most: int, what: str = "The block's HTML") -> None:
    """Raise `TooLarge` for more than `most` characters; `what` names the text in the error."""
    if length > most:
        raise TooLarge(f"{what} would have more than {most} characters.")


def clean_sent(call: Call, html: str) -> str:
    """Sanitise the HTML that a caller sent for a whole block; raises `TooLarge` first.

    The largest HTML takes seconds: call this before the call opens its connection.
    """
    most = call.settings(BlockSettings).characters
    require_length(len(html), most)
    cleaned = clean_block(html)
    require_length(len(cleaned), most)
    return cleaned


def require_block(call: Call, content: str, params: Any) -> None:
    """Raise `TooLarge` for a block with too long HTML or parameters."""
    most = call.settings(BlockSettings).characters
    require_length(len(content), most)
    if params:
        require_length(len(msgspec.json.encode(params)), most, "The block's parameters")


def require_grown(call: Call, page_id: int, before: int, after: int) -> None:
    """Raise `TooLarge` where a page is too large once a block grows from `before` to `after`."""
    settings = call.settings(BlockSettings)
    # A page of blocks no longer than this average is never too large: no query is needed.
    if after > max(before, settings.page_characters // settings.page_blocks):
        count, length = _OF_PAGE.all(call.connection, page_id=page_id)[0]
        _require_page(settings, count, length + after - before)


def require_block_place(call: Call, page_id: int, length: int) -> None:
    """Raise `TooLarge` where a page's draft has no room for a block of `length` characters."""
    count, before = _OF_PAGE.all(call.connection, page_id=page_id)[0]
    _require_page(call.settings(BlockSettings), count + 1, before + length)


def require_new_page(settings: BlockSettings, lengths: Iterable[int]) -> None:
    """Raise `TooLarge` for a new page of too many blocks or characters."""
    found = list(lengths)
    _require_page(settings, len(found), sum(found))


def require_answer(call: Call, length: int) -> None:
    """Raise `TooLarge` where an answer would have too many characters of blocks."""
    most = call.settings(BlockSettings).answer_characters
    if length > most:
        raise TooLarge(
            f"The answer would have more than {most} characters of blocks: ask for less."
        )


def _require_page(settings: BlockSettings, blocks: int, length: int) -> None:
    if blocks > settings.page_blocks:
        raise TooLarge(f"The page would have more than {settings.page_blocks} blocks.")
    require_length(length, settings.page_characters, "The page")
