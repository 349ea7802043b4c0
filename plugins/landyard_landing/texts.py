"""Rich text put into an element of a block, as much of it as the element can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from turbohtml import Element, parse_fragment

from landyard_landing.markup import Markup
from landyard_landing.nesting import bare_text
from landyard_landing.policy import clean_phrase, clean_text, escape_text

_NARROW = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_TABLE_PARTS = frozenset({"colgroup", "select", "table", "tbody", "tfoot", "thead", "tr"})
# The end of a block that something follows, other than the end of what it stands in.
_BLOCK_END = re.compile(
    r"(</(?:address|blockquote|caption|center|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hgroup"
    r"|li|ol|p|pre|summary|table|td|th|tr|ul)>)(?=\s*(?:[^<\s]|<[^/]))"
)


def write_text(markup: Markup, element: Element, value: str) -> None:
    """Make the value the element's content, sanitised and contained (`H1`, `H2`).

    A paragraph or heading that cannot hold the value (a list, a paragraph) becomes a `div` with
    the same attributes. What then still would break out of the element or its surroundings
    (a list inside a `span` inside a paragraph, a link inside a link) is reduced to its phrases.
    """
    tag, content = next(_fitting(element, value), (element.tag, ""))
    if tag != element.tag:
        markup.rename(element, tag)
    markup.set_content(element, content)


def _fitting(element: Element, value: str) -> Iterator[tuple[str, str]]:
    tags = _ancestry(element)
    for tag, content in _candidates(element, value, links="a" not in (*tags, element.tag)):
        plain = "<" not in content and tag not in _TABLE_PARTS
        if (plain and tag != "pre") or _holds([*tags, tag], content):
            yield tag, content


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
    tags = [parent.tag for parent in element.ancestors if isinstance(parent, Element)]
    return tags[-2::-1]  # outermost first, without the fragment's own root


def _holds(tags: list[str], content: str) -> bool:
    """Whether the content, written inside these elements, reads back as written."""
    start = "".join(f"<{tag}>" for tag in tags)
    end = "".join(f"</{tag}>" for tag in reversed(tags))
    html = start + content + end
    return parse_fragment(html).inner_html == html
