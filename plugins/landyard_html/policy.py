"""Sanitises callers' HTML, and fits it into the elements of a block (`H1`, `H2`)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from landyard_html import tree
from landyard_html.allowed import (
    ATTRIBUTES,
    PHRASES,
    PREFIXES,
    RICH,
    SANDBOX,
    SCHEMES,
    STRUCTURE,
    SWALLOWED,
    attribute_value,
)
from landyard_html.nesting import bare_text, is_tangled
from landyard_html.styles import safe_style

if TYPE_CHECKING:
    import nh3
    from turbohtml import Element

POLICY_VERSION = 4
"""Stored beside sanitised HTML; a new number has the HTML sanitised again."""

_NARROW = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_TABLE_PARTS = frozenset({"colgroup", "select", "table", "tbody", "tfoot", "thead", "tr"})
# The end tag of a block-level element that is followed by more content.
_BLOCK_END = re.compile(
    r"(</(?:address|blockquote|caption|center|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hgroup"
    r"|li|ol|p|pre|summary|table|td|th|tr|ul)>)(?=\s*(?:[^<\s]|<[^/]))"
)
_PLAIN_TEXT = re.compile(r">[^\s<>&\x00\xa0][^<>&\r\x00\xa0]*+<")
_MARKUP = re.compile(r"[<>&\r\x00\xa0]")
# NUL is not allowed in HTML, and every line end is read as \n.
_UNWRITTEN = re.compile(r"[<>&\xa0\x00]|\r\n?")
_WRITTEN = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\xa0": "&nbsp;", "\r": "\n", "\r\n": "\n"}


def clean_block(html: str) -> str:
    """Sanitise a whole block; tidy and harmless HTML comes back byte for byte (`H1`, `H2`)."""
    cleaned = _settled(_BLOCK, html)
    if "<iframe" in cleaned and not _is_sandboxed(cleaned):
        cleaned = _settled(_SANDBOXING, cleaned)
    return cleaned


def clean_alike(html: str) -> str:
    """Return `clean_block(html)`, faster for many blocks that differ in their texts alone."""
    # HTML that the policy leaves unchanged has no `<` or `>` outside its tags. The policy treats
    # all texts in a place alike, except blank ones and ones with references. So the answer for one
    # block holds for every block with the same tags.
    stands = not is_tangled(html) and _stays(_PLAIN_TEXT.sub(">x<", html))
    return html if stands else clean_block(html)


@functools.lru_cache(maxsize=64)
def _stays(html: str) -> bool:
    return clean_block(html) == html


def clean_text(html: str, *, links: bool = True) -> str:
    """The rich text of a text node: balanced, inert, without frames and loading styles (`H1`).

    Without `links` the text of links stays and the links go.
    """
    return html if _is_plain(html) else _settled(_TEXT if links else _TEXT_WITHOUT_LINKS, html)


def clean_phrase(html: str, *, links: bool = True) -> str:
    """Sanitise rich text for one line, as `clean_text`: only elements that fit a paragraph stay."""
    return html if _is_plain(html) else _settled(_PHRASE if links else _PHRASE_WITHOUT_LINKS, html)


def fit_text(element: Element, value: str) -> tuple[str, str]:
    """Fit the value into the element: the tag for the element, and the content, sanitised.

    A paragraph or heading that cannot hold the value (a list, a paragraph) becomes a `div`. A value
    that would still break out of the element or its ancestors (a list inside a `span` inside a
    paragraph, a link inside a link) is reduced to its phrasing content.
    """
    tags = _ancestry(element)
    for tag, content in _candidates(element, value, links="a" not in (*tags, element.tag)):
        plain = "<" not in content and tag not in _TABLE_PARTS
        if (plain and tag != "pre") or _holds([*tags, tag], content):
            return tag, content
    return element.tag, ""


def fit_inside(element: Element, html: str) -> str:
    """Sanitise a piece of a block, such as a card, and fit it into the element.

    HTML that would break out of the element, or nests too deeply there, is reduced to its text.
    Empty where nothing is left.
    """
    cleaned = clean_block(html).strip()
    for content in (cleaned, escape_text(bare_text(cleaned)).strip()):
        if fits(element, element.tag, content):
            return content
    return ""


def fits(element: Element, tag: str, content: str) -> bool:
    """Whether the content is parsed as written inside the element, if it had this tag."""
    tags = [*_ancestry(element), tag]
    nested = "".join(f"<{each}>" for each in tags) + content
    return not is_tangled(nested) and _holds(tags, content)


def escape_text(text: str) -> str:
    """Escape a text for HTML the way the policy does."""
    return _UNWRITTEN.sub(lambda found: _WRITTEN.get(found[0], ""), text)


def escape_attribute(text: str) -> str:
    """Escape a text for a double-quoted attribute the way the policy does."""
    return escape_text(text).replace('"', "&quot;")


def _candidates(element: Element, value: str, *, links: bool) -> Iterator[tuple[str, str]]:
    tag = element.tag
    content = clean_text(value, links=links)
    if tag == "pre":
        content = content.lstrip("\n")
    yield tag, content
    if tag in _NARROW:
        yield "div", content
    phrase = clean_phrase(_BLOCK_END.sub(r"\1<br>", content), links=links)
    yield tag, phrase
    yield tag, escape_text(bare_text(phrase))


def _ancestry(element: Element) -> list[str]:
    tags = [parent.tag for parent in element.ancestors if isinstance(parent, tree.Element)]
    return tags[-2::-1]  # outermost first, without the fragment's own root


def _holds(tags: list[str], content: str) -> bool:
    """Whether the content is parsed as written inside these elements."""
    start = "".join(f"<{tag}>" for tag in tags)
    end = "".join(f"</{tag}>" for tag in reversed(tags))
    html = start + content + end
    return tree.parse_fragment(html).inner_html == html


def _is_plain(html: str) -> bool:
    return not _MARKUP.search(html)


def _text_attribute(tag: str, name: str, value: str) -> str | None:
    if name == "style":
        return safe_style(value, pictures=False)
    return attribute_value(tag, name, value)


def _cleaner(
    tags: frozenset[str],
    attribute_filter: Callable[[str, str, str], str | None],
    forced: dict[str, dict[str, str]] | None = None,
) -> Callable[[], nh3.Cleaner]:
    # nh3 puts a forced attribute last, and refuses one that is also allowed.
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items() if tag in tags | {"*"}}
    for tag, names in (forced or {}).items():
        attributes[tag] -= names.keys()

    @functools.cache
    def cleaner() -> nh3.Cleaner:
        import nh3  # imported by the first edit: serving pages does not need it

        return nh3.Cleaner(
            tags=set(tags),
            clean_content_tags=set(SWALLOWED - tags),
            attributes=attributes,
            attribute_filter=attribute_filter,
            generic_attribute_prefixes=set(PREFIXES),
            link_rel=None,
            set_tag_attribute_values=forced,
            url_schemes=set(SCHEMES),
        )

    return cleaner


_BLOCK = _cleaner(PHRASES | RICH | STRUCTURE, attribute_value)
_SANDBOXING = _cleaner(
    PHRASES | RICH | STRUCTURE, attribute_value, {"iframe": {"sandbox": SANDBOX}}
)
_TEXT = _cleaner(PHRASES | RICH, _text_attribute)
_TEXT_WITHOUT_LINKS = _cleaner((PHRASES | RICH) - {"a"}, _text_attribute)
_PHRASE = _cleaner(PHRASES | {"a"}, _text_attribute)
_PHRASE_WITHOUT_LINKS = _cleaner(PHRASES, _text_attribute)

# The two places where serialised HTML is parsed differently: a line end at the start of a
# <pre>, and the raw text of a frame. `>` in attribute values is always written `&gt;`.
_PRE_START = re.compile(r"(<pre(?: [^>]*)?>)\n+")
_FRAME_TEXT = re.compile(r"(<iframe(?: [^>]*)?>).*?(?=</iframe>)", re.DOTALL)
_PASSES = 4


def _settled(cleaner: Callable[[], nh3.Cleaner], html: str) -> str:
    """Clean the HTML until cleaning changes nothing; empty if it still changes after four passes.

    HTML that nests too deeply to be parsed is reduced to its text.
    """
    if is_tangled(html):
        return escape_text(bare_text(html))
    for _ in range(_PASSES):
        cleaned = cleaner().clean(html)
        cleaned = _FRAME_TEXT.sub(r"\1", _PRE_START.sub(r"\1", cleaned))
        if cleaned == html:
            return cleaned
        html = cleaned
    return ""


def _is_sandboxed(html: str) -> bool:
    frames = tree.parse_fragment(html).find_all("iframe")
    return all(frame.attr("sandbox") == SANDBOX for frame in frames)
