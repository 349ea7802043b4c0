"""Structured data: what blocks mean, as search engines read it (JSON-LD, the words of schema.org).

It stands in the page as data: no browser runs it, and no text in it can end its element.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from landyard_landing.html.addresses import link_address
from landyard_landing.html.meanings import Meaning, read_links, read_meaning, read_parts
from landyard_landing.public.metadata import share_picture

Thing = dict[str, Any]
Parts = Mapping[str, str]

_MOST = 100  # things that a page tells of
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?")
_HOUR = re.compile(r"\d\d:\d\d(?::\d\d)?")
_AMOUNT = re.compile(r"\d[\d\s.,'\u2019]*")
_CURRENCY = re.compile(r"\b[A-Z]{3}\b")
_SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₴": "UAH", "₺": "TRY", "₪": "ILS"}
# None of them can be in an element of its own then, nor in a comment or CDATA.
_ESCAPED = [(each, f"\\u{ord(each):04x}") for each in "<>&\u2028\u2029"]


class About(Struct, frozen=True):
    """What is known of the page: its one address, "" for none, and where paths begin."""

    url: str
    home: str
    site_title: str
    language: str


Block = tuple[Mapping[str, object], str]
"""The document of a block's manifest, and its HTML."""


def structured_data(blocks: Iterable[Block], about: About) -> str:
    """Write the element with all that the blocks of a page mean; "" where they mean nothing."""
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
    # An hour is one of the day that was named last; one before all days of the first.
    day = next(filter(None, (_day(parts) for kind, parts in read if kind == "event")), "")
    for kind, parts in read:
        if kind == "event":
            day = _day(parts) or day
        if kind != "questions":
            things += _WRITERS[kind](parts, about, day)
    if questions := [_question(parts) for kind, parts in read if kind == "questions"]:
        # A page has one list of questions, however many blocks they stand in.
        things.append({"@type": "FAQPage", "mainEntity": questions[:_MOST]})
    return things


def _question(parts: Parts) -> Thing:
    answer = {"@type": "Answer", "text": parts["answer"]}
    return {"@type": "Question", "name": parts["question"], "acceptedAnswer": answer}


def _event(parts: Parts, about: About, day: str) -> Iterator[Thing]:
    """An hour alone is one of the page's `day`; where it names none it is no event."""
    start = _moment(parts["start"], day)
    if start:
        yield _without_empty(
            {
                "@type": "Event",
                "name": parts["name"],
                "startDate": start,
                "endDate": _moment(parts.get("end", ""), day),
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
            "datePublished": _moment(parts.get("date", ""), ""),
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
    """A text with a link to a telephone or a mail box is that; the first without one the place."""
    found: Thing = {}
    for text, links in read_links(meaning, html):
        for link in links:
            scheme, _, value = link.partition(":")
            name = {"tel": "telephone", "mailto": "email"}.get(scheme.lower())
            if name and value:
                found.setdefault(name, value.partition("?")[0])
        if text and not links:
            found.setdefault("address", text)
    if found:
        named = {"@type": "Organization", "name": about.site_title}
        yield _without_empty({**named, **found, "url": about.home})


def _offer(price: str, url: str) -> Thing | str:
    """A price is told where it can be read, with its currency: nothing is guessed."""
    amount = _AMOUNT.search(price)
    code = _CURRENCY.search(price)
    currency = code[0] if code else next((_SIGNS[each] for each in price if each in _SIGNS), "")
    number = _number(amount[0]) if amount else ""
    if not number or not currency:
        return ""
    offer = {"@type": "Offer", "price": number, "priceCurrency": currency, "url": url}
    return _without_empty(offer)


def _number(written: str) -> str:
    """Read `1,299.00`, `1.299,00` and `1 299`: the last mark with one or two digits is a point."""
    bare = re.sub(r"[\s'\u2019]", "", written).rstrip(".,")
    whole, mark, rest = bare.rpartition(max(".,", key=bare.rfind)) if bare else ("", "", "")
    if mark and whole and len(rest) in {1, 2}:
        return f"{re.sub(r'[.,]', '', whole)}.{rest}"
    return re.sub(r"[.,]", "", bare)


def _image(parts: Parts, about: About) -> str:
    return share_picture({"METAOG_IMAGE": parts.get("picture", "")}, about.home)


def _link(parts: Parts, about: About) -> str:
    """The whole address that a thing's link leads to, where that is one of the web."""
    link = link_address(parts.get("link", "")) or ""
    if link.startswith("/") and not link.startswith("//"):
        return about.home + link
    return link if link.startswith(("https://", "http://")) else about.url


def _day(parts: Parts) -> str:
    found = _DAY.match(parts["start"])
    return found[0] if found else ""


def _moment(value: str, day: str) -> str:
    if _MOMENT.fullmatch(value):
        return value.replace(" ", "T")
    return f"{day}T{value}" if day and _HOUR.fullmatch(value) else ""


def _without_empty(thing: Thing) -> Thing:
    return {name: value for name, value in thing.items() if value}
