"""Hostile and rich texts from outside, and an independent detector for dangerous HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from corpora import read_data
from turbohtml import Element, parse_fragment

HOSTILE = read_data(__file__, "HOSTILE", list[str])

RICH = read_data(__file__, "RICH", list[str])

# fmt: off
_ELEMENTS = frozenset({
    "applet", "area", "base", "body", "dialog", "embed", "fencedframe", "form", "frame",
    "frameset", "head", "html", "input", "link", "map", "marquee", "math", "meta", "noscript",
    "object", "param", "plaintext", "portal", "script", "select", "slot", "style", "svg",
    "template", "textarea", "title", "xmp",
})
# fmt: on
# fmt: off
_ATTRIBUTES = frozenset({
    "action", "attributionsrc", "autofocus", "background", "command", "commandfor",
    "contenteditable", "form", "formaction", "http-equiv", "is", "nonce", "part", "ping", "popover",
    "popovertarget", "slot", "srcdoc", "usemap", "xlink:href",
})
# fmt: on
_TEXTUAL = frozenset({"alt", "aria-label", "class", "content", "placeholder", "title"})
_OPENER = re.compile(r"(?<!\S)opener(?!\S)", re.IGNORECASE)
_SCRIPTED = re.compile(
    r"(?:^|,)(?:javascript|vbscript|blob|filesystem|view-source|data:(?!image/(?:png|gif|jpe?g|webp)))"
)
# A data attribute is no address to a browser, but scripts may use it as one; it may name a picture.
_SCRIPTED_DATA = re.compile(r"^(?:(?:javascript|vbscript|livescript):|data:(?!image/))")
_STYLE = re.compile(r"expression|binding|behavior|javascript|@import|(?<!-)position|\\|[<>{}]")
_LOADING = re.compile(r"(?:^|;)(?!\s*background(?:-image)?\s*:)[^;]*url\(", re.IGNORECASE)
# A quoted picture address that cannot end its quotes: its text is an address and no style.
_PICTURE = re.compile(r"(?<=url\()'(?!\s*(?:javascript|vbscript|data:text))[^'\"()\\<>]*'(?=\))")
_BLANKS = re.compile(r"[\x00-\x20\x7f-\xa0]+")


def dangers(html: str) -> list[str]:
    """The parts of this HTML that a browser could run or load, found by two parsers; none if it is
    inert.
    """
    return [*_tree_dangers(html), *_tag_dangers(html)]


def _tree_dangers(html: str) -> Iterator[str]:
    for element in parse_fragment(html).iter_elements():
        yield from _of_element(element.tag, _pairs(element))


def _pairs(element: Element) -> list[tuple[str, str]]:
    return [(name, element.attr(name) or "") for name in element.attrs]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += _of_element(tag, [(name, value or "") for name, value in attrs])

    def handle_comment(self, data: str) -> None:
        self.found.append(f"comment {data}")


def _tag_dangers(html: str) -> list[str]:
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.found


def _of_element(tag: str, attributes: list[tuple[str, str]]) -> Iterator[str]:
    if tag in _ELEMENTS or "-" in tag or ":" in tag:
        yield f"<{tag}>"
    for name, value in attributes:
        if name in _ATTRIBUTES or name.startswith(("on", "xmlns")):
            yield f"{tag}[{name}]"
        # A named element shadows a property of the document.
        if (name == "name" and tag != "details") or (name == "rel" and _OPENER.search(value)):
            yield f"{tag}[{name}]"
        scripted = _SCRIPTED_DATA if name.startswith("data-") else _SCRIPTED
        if name not in _TEXTUAL and scripted.search(_BLANKS.sub("", value).lower()):
            yield f"{tag}[{name}={value}]"
        style = _PICTURE.sub("", value) if name == "style" else ""
        if _STYLE.search(style.lower()) or _LOADING.search(style):
            yield f"{tag}[style={value}]"
    sandbox = dict(attributes).get("sandbox")
    if tag == "iframe" and (not sandbox or "top-navigation" in sandbox):
        yield "<iframe> without a sandbox"
