"""Rewrites the HTML of the catalogue's menu, video and embed blocks for visitors.

Each function is the `show` of a block type. Its arguments are the id of a published block, its
sanitised HTML, and the language of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape, unescape
from typing import TYPE_CHECKING

from landyard_content.words import words_of

if TYPE_CHECKING:
    from turbohtml import Element

# The policy writes every attribute as ` name="value"`, with neither `"` nor `>` in the value. So
# pages with a menu, as nearly all have, need no parser.
_NAV = re.compile(r'<nav((?: [\w:.-]+="[^">]*")*)>')
_ATTRIBUTE = re.compile(r' ([\w:.-]+)="([^">]*)"')
_FRAME = re.compile(r"<iframe(?: [^>]*)?>")
_FILM = re.compile(r' src="\s*[^\s"]')
_WIDTH, _HEIGHT = "1280", "720"


def fold_menu(block_id: int, content: str, name: str, language: str) -> str:
    """Fold the menu in the `<nav>` of class `<name>-nav`, with a link to open it and one to close.

    The browser shows the menu while the address names it (`:target`). So a link to an anchor of the
    same page closes it as well, and so does the browser's back button. The links have the classes
    `<name>-open` and `<name>-close` for the style sheet. Their texts are the editor's (`data-open`,
    `data-close`), or else ours in the page's language.
    """
    for nav in _NAV.finditer(content):
        attributes = dict(_ATTRIBUTE.findall(nav[1]))
        if f"{name}-nav" in attributes.get("class", "").split():
            break
    else:
        return content
    opens = _label(attributes.get("data-open"), "Menu", language)
    closes = _label(attributes.get("data-close"), "Close", language)
    place = f"menu{block_id}"
    with_id = {**attributes, "id": place}
    written = "".join(f' {each}="{value}"' for each, value in with_id.items())
    return (
        f"{content[: nav.start()]}"
        f'<a class="{name}-open" id="{place}-open" href="#{place}">{opens}</a>'
        f"<nav{written}>"
        f'<a class="{name}-close" href="#{place}-open">{closes}</a>'
        f"{content[nav.end() :]}"
    )


def show_menu(block_id: int, content: str, language: str) -> str:
    """Fold the menu where the screen is narrow."""
    return fold_menu(block_id, content, "ly-menu", language)


def show_video(_block_id: int, content: str, _language: str) -> str:
    """Show the picture alone where the block has no film yet."""
    if _has_film(content):
        return content
    root = _parsed(content)
    player = root.select_one(".ly-video-player")
    if player is None:
        return content
    if picture := player.select_one("img"):
        player.insert_adjacent_html("beforebegin", f'<p class="ly-video-player">{picture.html}</p>')
    player.extract()
    return root.inner_html


def show_embed(_block_id: int, content: str, _language: str) -> str:
    """Show the preview alone where the block has no film yet; nothing where it has no preview."""
    if _has_film(content):
        return content
    root = _parsed(content)
    frame = root.select_one("iframe")
    if frame is None:
        return content
    if preview := (frame.attr("data-preview") or "").strip():
        named = escape(frame.attr("title") or "")
        frame.insert_adjacent_html(
            "beforebegin",
            f'<img class="ly-picture ly-embed-frame" src="{escape(preview)}" alt="{named}"'
            f' width="{_WIDTH}" height="{_HEIGHT}" loading="lazy">',
        )
    frame.extract()
    return root.inner_html


SHOWN: Mapping[str, Callable[[int, str, str], str]] = {
    "ly.embed": show_embed,
    "ly.menu": show_menu,
    "ly.video": show_video,
}
"""The `show` functions of the catalogue's block types, by code."""


def _label(own: str | None, usual: str, language: str) -> str:
    """Write the editor's own label, else the usual word in the page's language."""
    text = unescape(own or "").strip() or words_of(language).labels.get(usual, usual)
    return escape(text)


def _has_film(content: str) -> bool:
    return any(_FILM.search(frame) for frame in _FRAME.findall(content))


def _parsed(content: str) -> Element:
    from turbohtml import parse_fragment  # imported here: only blocks without a film need it

    return parse_fragment(content)
