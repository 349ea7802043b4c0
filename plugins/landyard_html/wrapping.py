"""Wraps a block's HTML in a `<div>` with its id and class (B5)."""

import functools
import re
from html import escape

_PUNCTUATION = re.compile(r"[._:]")


def wrap_public(block_id: int, code: str, anchor: str | None, content: str) -> str:
    """Wrap a published block; the `<div>`'s id is the block's own anchor, or `b<ID>`."""
    name = escape(anchor) if anchor else f"b{block_id}"
    return f'<div id="{name}" class="block-wrapper {_css_class(code)}">{content}</div>'


def wrap_draft(block_id: int, code: str, content: str) -> str:
    """Wrap a draft block for editors; the `<div>`'s id is `block<ID>`, anchor or not."""
    return (
        f'<div id="block{block_id}" data-id="{block_id}" class="block-wrapper {_css_class(code)}">'
        f"{content}</div>"
    )


@functools.lru_cache(maxsize=1024)
def _css_class(code: str) -> str:
    """Write a block's code as a CSS class, escaped for HTML: `0.menu_02` is `block-0-menu-02`."""
    return escape("block-" + _PUNCTUATION.sub("-", code))
