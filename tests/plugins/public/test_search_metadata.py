"""A page's search metadata: its share image, structured data, and the robots rules of its site
(P11).
"""

# ruff: noqa: RUF001 - signs and digits of many scripts are what is read here

import json
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import find, page, world
from plugins.html.corpus import HOSTILE
from tables import for_each

from landyard_html.microdata import NEEDED, read_meaning, wrong_meaning
from landyard_public.machine_dates import with_dates
from landyard_public.pictures import Picture, first_picture, pictures_in
from landyard_public.structured_data import About, structured_data

BASE = "https://base.example"
KEY = "0123456789abcdef0123456789abcdef"
PICTURE = f"/files/{KEY}/boat.png"
SHOWN: dict[str, Any] = {"active": True, "published": True}
PATH = "/site-7/page-10/"
ABOUT = About(f"{BASE}{PATH}", BASE, "Quay & Sons", "en")
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
pytestmark = pytest.mark.rule("P11")


def block_of(code: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    content_key = {} if content is None else {"content": content}
    return {"id": 100, "code": code, "published_id": 200, **content_key, **more}


def _metas(html: str) -> dict[str, str]:
    return {str(each.attr("property")): str(each.attr("content")) for each in find(html, "meta")}


def _things(html: str) -> list[dict[str, Any]]:
    elements = find(html, "script")
    assert [each.attr("type") for each in elements] == ["application/ld+json"]
    written = json.loads(elements[0].text)
    assert written["@context"] == "https://schema.org"
    things: list[dict[str, Any]] = written["@graph"]
    return things


@on_sqlite
def test_P11_the_first_picture_is_the_share_image(make_service: MakeService) -> None:
    html = (
        '<section><img src="/assets/pictures/withies.svg" alt="Drawn">'
        f'<img src="{PICTURE}" alt="A &quot;boat&quot;"><img src="/files/x/later.png"></section>'
    )
    shown = page(10, block_of("ly.text", html), **SHOWN)
    own = page(11, block_of("ly.text", html, id=101, published_id=201), **SHOWN)
    own["additional_fields"] = {"METAOG_IMAGE": "/files/k/own.png"}
    service = make_service(world=world(shown, own), public_base=BASE)

    metas = _metas(service.get(PATH).text)
    assert metas["og:image"] == BASE + PICTURE
    assert metas["og:image:alt"] == 'A "boat"'
    tags = _metas(service.get("/site-7/page-11/").text)
    assert (tags["og:image"], "og:image:alt" in tags) == (f"{BASE}/files/k/own.png", False)


PICTURES = {
    '<img src="/a.png" alt="x">': [Picture("/a.png", "x")],
    '<img alt="a &gt; b" class="c" src="/a.png?x=1&amp;y=2">': [Picture("/a.png?x=1&y=2", "a > b")],
    '<div class="x" style="background-image:url(\'/b.png\')"></div>': [Picture("/b.png")],
    '<img src="/a.png"><p style="background:url(/b.png)">': [Picture("/a.png"), Picture("/b.png")],
    "<p>&lt;img src=/a.png&gt; url(/b.png)</p><img alt>": [],
}


@pytest.mark.parametrize("html", PICTURES)
def test_P11_pictures_of_blocks_are_found(html: str) -> None:
    assert list(pictures_in(html)) == PICTURES[html]


@pytest.mark.parametrize("src", ["/a.svg", "/a.SVG?v=1", "data:image/png;base64,AAAA", "a.png"])
def test_P11_some_pictures_are_not_used_as_share_images(src: str) -> None:
    assert first_picture([f'<img src="{src}">', '<img src="/b.png">'], BASE) == Picture(
        f"{BASE}/b.png"
    )


MEANT: dict[str, list[str]] = {
    "ly.article": ["Article"],
    "ly.contact": ["Organization"],
    "ly.date": ["Event"],
    "ly.faq": ["FAQPage"],
    "ly.product": ["Product"],
    "ly.text": [],
}


@on_sqlite
@pytest.mark.parametrize("code", MEANT)
def test_P11_blocks_of_the_catalogue_have_structured_data(
    make_service: MakeService, code: str
) -> None:
    html = make_service(world=world(page(10, block_of(code), **SHOWN))).get(PATH).text

    types = [each["@type"] for each in _things(html)] if MEANT[code] else []
    assert types == MEANT[code]
    assert ("application/ld+json" in html) == bool(types)


@on_sqlite
def test_P11_all_questions_of_a_page_form_one_list(make_service: MakeService) -> None:
    blocks = [block_of("ly.faq", id=number, published_id=number + 100) for number in (100, 101)]
    html = make_service(world=world(page(10, *blocks, **SHOWN))).get(PATH).text

    (listed,) = _things(html)
    assert len(listed["mainEntity"]) == 6
    assert listed["mainEntity"][0] == {
        "@type": "Question",
        "name": "What do they ask first?",
        "acceptedAnswer": {"@type": "Answer", "text": "Answer in two lines at most."},
    }


@on_sqlite
def test_P11_a_timetable_belongs_to_the_day_that_the_page_names(make_service: MakeService) -> None:
    blocks = [
        block_of("ly.timetable", sort=900, id=101, published_id=201),
        block_of("ly.date", sort=500),
    ]
    before = [each | {"sort": 1000 - each["sort"]} for each in blocks]
    one = make_service(world=world(page(10, *blocks, **SHOWN)), public_base=BASE).get(PATH).text
    other = make_service(world={"pages": [page(10, *before, **SHOWN)]}).get(PATH).text

    assert [each["startDate"] for each in _things(other)][::3] == ["2026-06-01T10:00", "2026-06-01"]
    day, first, *_ = things = _things(one)
    assert (day["startDate"], len(things)) == ("2026-06-01", 4)
    assert first == {
        "@type": "Event",
        "name": "First",
        "startDate": "2026-06-01T10:00",
        "description": "What it is, in one line.",
        "location": {"@type": "Place", "name": "Where"},
        "url": BASE + PATH,
    }


@on_sqlite
def test_P11_a_block_with_contacts_is_an_address(make_service: MakeService) -> None:
    built = world(page(10, block_of("ly.contact"), **SHOWN))
    built["sites"][0]["title"] = "Quay & Sons"
    (thing,) = _things(make_service(world=built, public_base=BASE).get(PATH).text)

    assert thing == {
        "@type": "Organization",
        "name": "Quay & Sons",
        "address": "Street and number Town",
        "telephone": "+441632960100",
        "email": "us@yours.example",
        "url": BASE,
    }


PRICES = {
    "€ 1.299,00": ("1299.00", "EUR"),
    "1,299 USD": ("1299", "USD"),
    "£12.5": ("12.5", "GBP"),
    "CHF 1'299.-": ("1299", "CHF"),
    "1 299 ₽ per day": ("1299", "RUB"),
    "100": None,
    "$ 100": None,
    "EUR on demand": None,
    "120 € TTC": ("120", "EUR"),
    "120 TTC": None,
    "ALL inclusive: 120 €": ("120", "EUR"),
    "TOP 3 for 120 €": ("120", "EUR"),
    "TRY it for £9": ("9", "GBP"),
    "€120": ("120", "EUR"),
    "EUR 120": ("120", "EUR"),
    "120,00\u00a0€ (TVA 20%)": ("120.00", "EUR"),
    "20% TVA, 96 €": ("96", "EUR"),
    "1 234,50 zł": ("1234.50", "PLN"),
    "1\u202f234,50\u00a0€": ("1234.50", "EUR"),
    "1.234.567,89 €": ("1234567.89", "EUR"),
    "₹1,23,456.50": ("123456.50", "INR"),
    "1,234.50 CAD": ("1234.50", "CAD"),
    "US$ 99.90": ("99.90", "USD"),
    "R$ 1.234,50": ("1234.50", "BRL"),
    "$120 USD": ("120", "USD"),
    "1200円(税込)": ("1200", "JPY"),
    "1万円": None,
    "¥1,200": None,
    "¥1,200 JPY": ("1200", "JPY"),
    "١٢٠ ر.س": ("120", "SAR"),
    "١٬٢٣٤٫٥٠ د.إ": ("1234.50", "AED"),
    "۱۲۰ €": ("120", "EUR"),
    "१२०.५० ₹": ("120.50", "INR"),
    "１２０ €": ("120", "EUR"),
    "\u202d120 €\u202c": ("120", "EUR"),
    "1.250 KWD": ("1.250", "KWD"),
    "0,500 €": ("0.500", "EUR"),
    "120,- Kč": ("120", "CZK"),
    "120.\u2013 CHF": ("120", "CHF"),
    "12⁹⁹ €": ("12.99", "EUR"),
    "12½ €": None,
    "120\u2013150 €": None,
    "€120 - €150": None,
    "120k €": None,
    "-20 €": None,
    "120 euros": ("120", "EUR"),
    "120 ABC": None,
    "€ .99": None,
    "1.234.56 €": None,
    "120 % €": None,
    "€12k": None,
    "1,234,567.89 USD": ("1234567.89", "USD"),
    "1\u2019234.50 CHF": ("1234.50", "CHF"),
    "120 € TTC (100 € HT)": ("120", "EUR"),
    "2 x 60 €": ("60", "EUR"),
    "USD $100": ("100", "USD"),
    "120 XXX": None,
    "Price (EUR): 120": ("120", "EUR"),
    "120 EUR or 130 USD": ("120", "EUR"),
    "EUR and USD, 120": None,
}


@for_each("price", [*PRICES])
def test_P11_a_price_is_published_with_its_currency_or_not_at_all(price: str) -> None:
    document = {"meaning": {"type": "product", "name": "b", "price": "i"}}
    written = structured_data([(document, f"<b>Boat</b><i>{price}</i>")], ABOUT)

    offer = _things(written)[0].get("offers")
    published = (offer["price"], offer["priceCurrency"]) if offer else None
    assert published == PRICES[price]


DATES = {
    "2027-05-01": "2027-05-01",
    "2027-05-01 10:00": "2027-05-01T10:00",
    "2027-05-01T10:00:00+02:00": "2027-05-01T10:00:00+02:00",
    "٢٠٢٧-٠٥-٠١": "2027-05-01",
    "\u200e2027\u201105\u201101": "2027-05-01",
    "2027-02-30": None,
    "2027-13-01": None,
    "0000-01-01": None,
    "2027-05-01T25:00": None,
    "2027-05-01T10:61": None,
    "2027-05-01T10:00+99:00": None,
    "next week": None,
    "2027-5-1": None,
}


@for_each("written, published", [*DATES.items()])
def test_P11_an_invalid_date_is_in_no_structured_data(written: str, published: str | None) -> None:
    event = {"meaning": {"type": "event", "name": "b", "start": "time@datetime"}}
    article = {"meaning": {"type": "article", "title": "b", "date": "time@datetime"}}
    html = f'<b>Boat</b><time datetime="{written}">then</time>'

    events = _things(data) if (data := structured_data([(event, html)], ABOUT)) else []
    (article_told,) = _things(structured_data([(article, html)], ABOUT))
    kept = f' datetime="{published}"' if published else ""

    assert [each["startDate"] for each in events] == ([published] if published else [])
    assert article_told.get("datePublished") == published
    assert with_dates(html) == html.replace(f' datetime="{written}"', kept)


@for_each("part", ["10:30", "2027-05", "05-01", "2027", "2027-W05", "P3D", "PT2H30M", "P1DT2H"])
def test_P11_a_partial_date_stays_in_the_page(part: str) -> None:
    assert with_dates(f'<time class="a" datetime="{part}">x</time>').count(part) == 1


@for_each("part", ["24:10", "2027-W54", "P", "PT", "13-01", "02-32", "soon", "2027-5", "x2027"])
def test_P11_an_invalid_date_is_removed_from_the_page(part: str) -> None:
    written = f'<time class="a" datetime="{part}" id="b">{part}</time>'

    assert with_dates(written) == f'<time class="a" id="b">{part}</time>'


@pytest.mark.rule("H1")
@pytest.mark.parametrize("kind", NEEDED)
def test_H1_no_text_breaks_out_of_the_structured_data(kind: str) -> None:
    names = dict.fromkeys(NEEDED[kind], "p") | ({"start": "p@title"} if kind == "event" else {})
    for text in [*HOSTILE, "</script><script>x</script>", "<!--<script>", "]]>", "\u2028"]:
        safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        html = f'<p title="2026-01-01">{safe}</p>'
        written = structured_data([({"meaning": {"type": kind, **names}}, html)], ABOUT)

        assert {each.tag for each in find(written, "*")} <= {"script"}, text
        assert "<" not in written[1 : written.rfind("</script>")].partition(">")[2], text


WRONG: list[Any] = [
    *("event", [], {"type": "party"}, {"type": ["event"]}, {"type": "event", "name": ".x"}),
    {"type": "questions", "question": ".q", "answer": 1},
    {"type": "questions", "question": ".q", "answer": ".a", "price": ".p"},
    {"type": "product", "name": "p:has(b)"},
    {"type": "product", "name": "p", "each": ":HAS(*:has(*))"},
    {"type": "address", "contact": "p " * 101},
]


@pytest.mark.parametrize("meaning", WRONG)
def test_P11_an_invalid_meaning_gives_no_structured_data(meaning: Any) -> None:
    assert "'meaning'" in wrong_meaning({"meaning": meaning})
    assert read_meaning({"meaning": meaning}) is None
    assert structured_data([({"meaning": meaning}, "<p>x</p>")], ABOUT) == ""


@pytest.mark.parametrize("selector", ["p[", "::", "p:has(", "@", "", "x" * 5000])
def test_P11_an_unreadable_selector_finds_nothing(selector: str) -> None:
    for said in (
        {"type": "product", "name": selector},
        {"type": "product", "each": selector, "name": selector},
        {"type": "address", "contact": selector},
    ):
        assert structured_data([({"meaning": said}, "<p>x</p>")], ABOUT) == ""


MEANING = {"type": "product", "name": ".title"}


@on_sqlite
def test_P11_a_manifest_of_a_world_file_may_define_structured_data(
    make_service: MakeService,
) -> None:
    manifests = [{"code": "test.boat", "content": "<p>x</p>", "manifest": {"meaning": MEANING}}]
    block = block_of("test.boat", '<p class="title">A <b>boat</b></p>')
    built = world(page(10, block, **SHOWN), manifests=manifests)

    things = _things(make_service(world=built).get(PATH).text)
    assert things == [{"@type": "Product", "name": "A boat"}]


@on_sqlite
def test_P11_a_block_registered_by_a_caller_may_define_structured_data(
    make_service: MakeService,
) -> None:
    service = make_service(world=world(page(10, **SHOWN)), public_base=BASE)
    html = '<section class="landing-block"><p class="title">A boat</p></section>'
    fields = {"NAME": "Boat", "SECTIONS": "text", "PREVIEW": "https://a.example/b.png"}
    params = {
        "code": "boat",
        "fields": fields | {"CONTENT": html},
        "manifest": {"meaning": MEANING},
    }
    number = service.result("landing.repo.register", params)
    service.result("landing.landing.addblock", lid=10, fields={"CODE": f"repo_{number}"})
    service.result("landing.landing.publication", lid=10)

    things = _things(service.get(PATH).text)
    assert things == [{"@type": "Product", "name": "A boat"}]
