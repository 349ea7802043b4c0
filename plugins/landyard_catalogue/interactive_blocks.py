"""The published HTML of this plugin's interactive blocks, made without scripts.

Each function is the `show` of a block type: it takes the id and the HTML of a published block. Ids
and names of elements contain the block's id, so that blocks of a page never share one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING

from landyard_content import blocks

if TYPE_CHECKING:
    from turbohtml import Element

_CARD = ".landing-block-card"
_INSIDE = ("a", "button", "label", "summary")  # elements that cannot contain a button
_WIDTH, _HEIGHT = "1280", "720"
_FEW = 2  # the least number of headings for an outline


def show_header(block_id: int, content: str, language: str) -> str:
    """Make the menu fold on narrow screens, like the built-in menu."""
    return blocks.fold_menu(block_id, content, "site", language)


def show_tabs(block_id: int, content: str, _language: str) -> str:
    """Open exactly one tab: the one stored as open, else the first."""
    root = _parsed(content)
    tabs = _one_open(root, f"tabs{block_id}")
    if tabs and not any("open" in tab.attrs for tab in tabs):
        tabs[0].attrs["open"] = ""
    return root.inner_html


def show_accordion(block_id: int, content: str, _language: str) -> str:
    """Let at most one part be open, if the block has `data-one="yes"`."""
    root = _parsed(content)
    block = root.select_one("[data-one]")
    if block is not None and block.attr("data-one") == "yes":
        _one_open(root, f"parts{block_id}")
    return root.inner_html


def show_chapter(block_id: int, content: str, _language: str) -> str:
    """Add an outline of the chapter's headings to its contents, below the current link if any."""
    root = _parsed(content)
    headings = root.select(".site-chapter-text h2")
    contents = root.select_one(".site-contents-list")
    if contents is None or len(headings) < _FEW:
        return content
    links = ""
    for number, heading in enumerate(headings, 1):
        place = heading.attr("id") or f"part{block_id}-{number}"
        heading.attrs["id"] = place
        links += (
            f'<li class="site-contents-item"><a class="site-contents-link" href="#{escape(place)}">'
            f"{escape(' '.join(heading.text.split()))}</a></li>"
        )
    outline = f'<ul class="site-contents-list site-outline">{links}</ul>'
    current = contents.select_one('[aria-current="page"]')
    if current is None:
        contents.insert_adjacent_html("afterend", outline)
    else:
        current.insert_adjacent_html("afterend", outline)
    return root.inner_html


def show_gallery(block_id: int, content: str, _language: str) -> str:
    """Make each picture a button that opens a large view over the page; Escape closes it."""
    root = _parsed(content)
    pictures = root.select_one(".site-photos")
    if pictures is None:
        return content
    opens = _label(pictures, "data-open", "Show large")
    closes = _label(pictures, "data-close", "Close")
    for number, card in enumerate(root.select(_CARD), 1):
        picture = card.select_one("img")
        if picture is None or any(picture.closest(tag) for tag in _INSIDE):
            continue
        place, copy = f"photo{block_id}-{number}", _copied(picture)
        label = escape(picture.attr("alt") or str(number))
        caption = card.select_one(".landing-block-node-card-text")
        caption_html = "" if caption is None else f"<p>{escape(caption.text)}</p>"
        close = (
            f'<button class="site-light-close" type="button" popovertarget="{place}"'
            f' popovertargetaction="hide">{closes}</button>'
        )
        card.insert_adjacent_html(
            "beforeend",
            f'<div class="site-light" id="{place}" popover="auto" role="dialog"'
            f' aria-label="{label}">{close}{copy}{caption_html}</div>',
        )
        picture.insert_adjacent_html(
            "beforebegin",
            f'<button class="site-photo-open" type="button" popovertarget="{place}"'
            f' aria-label="{opens}: {label}">{picture.html}</button>',
        )
        picture.extract()
    return root.inner_html


def show_map(_block_id: int, content: str, _language: str) -> str:
    """Leave out the external map if the block has no map address."""
    root = _parsed(content)
    question = root.select_one(".site-map-ask")
    if question is None:
        return content
    frame = question.select_one("iframe")
    if frame is None or not (frame.attr("src") or "").strip():
        question.extract()
    return root.inner_html


def show_film(_block_id: int, content: str, _language: str) -> str:
    """Show the poster picture if the block has no film yet."""
    root = _parsed(content)
    film = root.select_one("video")
    if film is None or (film.attr("src") or "").strip() or film.select_one("source"):
        return content
    if poster := (film.attr("poster") or "").strip():
        label = escape(film.attr("aria-label") or "")
        film.insert_adjacent_html(
            "beforebegin",
            f'<img class="site-film-video" src="{escape(poster)}" alt="{label}" width="{_WIDTH}"'
            f' height="{_HEIGHT}" loading="lazy">',
        )
    film.extract()
    return root.inner_html


SHOWN: Mapping[str, Callable[[int, str, str], str]] = {
    "site.accordion": show_accordion,
    "site.chapter": show_chapter,
    "site.film": show_film,
    "site.gallery": show_gallery,
    "site.header": show_header,
    "site.map": show_map,
    "site.tabs": show_tabs,
}
"""The `show` functions by the codes of block types."""


def _parsed(content: str) -> Element:
    from turbohtml import parse_fragment  # imported late: only these blocks need the parser

    return parse_fragment(content)


def _label(element: Element, name: str, usual: str) -> str:
    return escape((element.attr(name) or "").strip() or usual)


def _one_open(root: Element, name: str) -> list[Element]:
    """Give folding cards a common name, so that a browser closes one when it opens another."""
    cards = [card for card in root.select(_CARD) if card.tag == "details"]
    one_is_open = False
    for card in cards:
        card.attrs["name"] = name
        if one_is_open and "open" in card.attrs:
            del card.attrs["open"]
        one_is_open = one_is_open or "open" in card.attrs
    return cards


def _copied(picture: Element) -> str:
    """Return the HTML of a copy of the picture, loaded only when visible."""
    names = ("src", "srcset", "alt", "width", "height")
    attributes = "".join(
        f' {name}="{escape(value)}"' for name in names if (value := picture.attr(name)) is not None
    )
    return f'<img{attributes} loading="lazy">'
