"""Wraps a block's HTML in a `<div>` with its id and class (B5)."""

import functools
import re
from html import escape

_PUNCTUATION = re.compile(r"[._:]")


def block_class(code: str) -> str:
    """Write a block's code as a CSS class: `0.menu_02` is `block-0-menu-02`."""
    return "block-" + _PUNCTUATION.sub("-", code)


def wrap_public(block_id: int, code: str, anchor: str | None, content: str) -> str:
    """Wrap a published block; the `<div>`'s id is the block's own anchor, or `b<ID>`."""
    name = escape(anchor) if anchor else f"b{block_id}"
    return f'<div id="{name}" class="block-wrapper {written_class(code)}">{content}</div>'


@functools.lru_cache(maxsize=1024)
def written_class(code: str) -> str:
    """Write the CSS class of a block's code, escaped for HTML."""
    return escape(block_class(code))
