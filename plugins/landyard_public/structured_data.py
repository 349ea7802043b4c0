"""Writes the structured data of a page's blocks for search engines, as JSON-LD of schema.org.

The element is data that no browser runs, and no text in it can end the element.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from landyard import plain_digits
from landyard_html.addresses import link_address
from landyard_html.microdata import Meaning, read_links, read_meaning, read_parts
from landyard_public.machine_dates import read_day, read_moment
from landyard_public.metadata import share_picture
from landyard_public.prices import read_price

Thing = dict[str, Any]
Parts = Mapping[str, str]

_MOST = 100  # the most things in a page's structured data
# Escaped in JSON, so that no text can start an element, a comment or a CDATA section.
_ESCAPED = [(each, f"\\u{ord(each):04x}") for each in "<>&\u2028\u2029"]


class About(Struct, frozen=True):
    """The page's canonical URL, "" for none, the scheme and host of its site, title, language."""

    url: str
    home: str
    site_title: str
    language: str


Block = tuple[Mapping[str, object], str]
"""The document of a block's manifest, and its HTML."""


def structured_data(blocks: Iterable[Block], about: About) -> str:
    """Write the element with the structured data of a page's blocks; "" where they have none."""
    things = _things(blocks, about)
    if not things:
        return ""
    graph = {"@context": "https://schema.org", "@graph": things[:_MOST]}
    text = msgspec.json.encode(graph).decode()
    for each, escaped in _ESCAPED:
        text = text.replace(each, escaped)
    return f'<script type="application/ld+json">{text}</script>\n'


def _things(blocks: Iterable[Block], about: About) -> list[Thing]:
    things: list[Thing] = []
    read: list[tuple[str, Parts]] = []
    for document, html in blocks:
        meaning = read_meaning(document)
        if meaning is None:
            continue
        if meaning.type == "address":
            things += _addresses(meaning, html, about)
        else:
            read += ((meaning.type, parts) for parts in read_parts(meaning, html))
    # A time alone belongs to the last day named before it, or to the first day of the page.
    day = next(
        filter(None, (read_day(parts["start"]) for kind, parts in read if kind == "event")), ""
    )
    for kind, parts in read:
        if kind == "event":
            day = read_day(parts["start"]) or day
        if kind != "questions":
            things += _WRITERS[kind](parts, about, day)
    if questions := [_question(parts) for kind, parts in read if kind == "questions"]:
        # A page has one list of questions, even from several blocks.
        things.append({"@type": "FAQPage", "mainEntity": questions[:_MOST]})
    return things


def _question(parts: Parts) -> Thing:
    answer = {"@type": "Answer", "text": parts["answer"]}
    return {"@type": "Question", "name": parts["question"], "acceptedAnswer": answer}


def _event(parts: Parts, about: About, day: str) -> Iterator[Thing]:
    """Write an event; a time alone is one on `day`, and without any day there is no event."""
    start = read_moment(parts["start"], day)
    if start:
        yield _without_empty(
            {
                "@type": "Event",
                "name": parts["name"],
                "startDate": start,
                "endDate": read_moment(parts.get("end", ""), day),
                "description": parts.get("text", ""),
                "location": {"@type": "Place", "name": place}
                if (place := parts.get("place", ""))
                else "",
                "url": _link(parts, about),
            }
        )


def _product(parts: Parts, about: About, _: str) -> Iterator[Thing]:
    yield _without_empty(
        {
            "@type": "Product",
            "name": parts["name"],
            "description": parts.get("text", ""),
            "image": _image(parts, about),
            "offers": _offer(parts.get("price", ""), _link(parts, about)),
        }
    )


def _article(parts: Parts, about: About, _: str) -> Iterator[Thing]:
    author = parts.get("author", "")
    yield _without_empty(
        {
            "@type": "Article",
            "headline": parts["title"],
            "datePublished": read_moment(parts.get("date", "")),
            "author": {"@type": "Person", "name": author} if author else "",
            "description": parts.get("text", ""),
            "image": _image(parts, about),
            "mainEntityOfPage": about.url,
            "inLanguage": about.language,
        }
    )


_WRITERS: Mapping[str, Callable[[Parts, About, str], Iterator[Thing]]] = {
    "article": _article,
    "event": _event,
    "product": _product,
}


def _addresses(meaning: Meaning, html: str, about: About) -> Iterator[Thing]:
    """Write the organization: telephone and mail from links, the address from a text without."""
    found: Thing = {}
    for text, links in read_links(meaning, html):
        for link in links:
            scheme, _, value = link.partition(":")
            name = {"tel": "telephone", "mailto": "email"}.get(scheme.lower())
            if name and value:
                found.setdefault(name, plain_digits(value.partition("?")[0]).strip())
        if text and not links:
            found.setdefault("address", text)
    if found:
        named = {"@type": "Organization", "name": about.site_title}
        yield _without_empty({**named, **found, "url": about.home})


def _offer(price: str, url: str) -> Thing | str:
    """Write the offer of a price; "" where its amount or currency is ambiguous."""
    read = read_price(price)
    if read is None:
        return ""
    offer = {"price": read.amount, "priceCurrency": read.currency, "url": url}
    return _without_empty({"@type": "Offer", **offer})


def _image(parts: Parts, about: About) -> str:
    return share_picture({"METAOG_IMAGE": parts.get("picture", "")}, about.home)


def _link(parts: Parts, about: About) -> str:
    """The URL of a thing's link; the page's own URL where the link is not of the web."""
    link = link_address(parts.get("link", "")) or ""
    if link.startswith("/") and not link.startswith("//"):
        return about.home + link
    return link if link.startswith(("https://", "http://")) else about.url


def _without_empty(thing: Thing) -> Thing:
    return {name: value for name, value in thing.items() if value}
