"""The feeds of articles of a site and of a folder."""

import xml.etree.ElementTree as ET
from html import escape
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import find, page, site, world

from landyard.testing import Service

BASE = "https://base.example"
SHOWN: dict[str, Any] = {"active": True, "published": True, "modified_at": "2026-03-04T05:06:07Z"}
ATOM = "{http://www.w3.org/2005/Atom}"
pytestmark = pytest.mark.rule("P11")


def _article(page_id: int, title: str, day: str, **more: Any) -> dict[str, Any]:
    html = (
        '<section class="landing-block"><p><time class="landing-block-node-date"'
        f' datetime="{day}">{day}</time> <span'
        ' class="landing-block-node-author">Ann Quay</span></p>'
        f'<h1 class="landing-block-node-title">{title}</h1>'
        '<div class="landing-block-node-text"><p>Who, &amp; where.</p></div></section>'
    )
    block = {"id": page_id + 100, "code": "ly.article", "published_id": page_id + 200}
    return page(page_id, block | {"content": html}, **{**SHOWN, **more})


def _service(make_service: MakeService, *pages: dict[str, Any], **more: Any) -> Service:
    built = world(
        page(10, **SHOWN, title="Home"),
        page(11, **SHOWN, title="News", folder=1),
        *pages,
        folders=[
            {"id": 1, "site": 7, "code": "news", "index_page": 11},
            {"id": 2, "site": 7, "code": "old", "parent": 1},
            {"id": 3, "site": 7, "code": "off", "active": False},
        ],
        **more,
    )
    built["sites"][0] |= {"main_page": 10, "title": "Quay & Sons"}
    return make_service(world=built, public_base=BASE)


def _titles(text: str) -> list[str]:
    return [str(each.findtext(f"{ATOM}title")) for each in ET.fromstring(text).iter(f"{ATOM}entry")]


PAGES = [
    _article(20, "First", "2026-01-01", folder=1),
    _article(21, "Second", "2026-02-01", folder=2),
    _article(22, "Third", "2026-03-01"),
    _article(23, "Hidden", "2026-04-01", folder=3),
    _article(24, "Unpublished", "2026-04-01", active=False),
    _article(25, "Unlisted", "2026-04-01", additional_fields={"METAROBOTS_INDEX": "N"}),
    _article(26, "", "2026-04-01"),
]


def test_P11_articles_of_a_site_and_of_a_folder(make_service: MakeService) -> None:
    service = _service(make_service, *PAGES)

    answer = service.get("/site-7/feed.xml")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    assert _titles(answer.text) == ["Third", "Second", "First"]
    assert _titles(service.get("/site-7/news/feed.xml").text) == ["Second", "First"]
    entry = ET.fromstring(answer.text).find(f"{ATOM}entry")
    assert entry is not None
    elements = {each.tag.removeprefix(ATOM): each.text or dict(each.attrib) for each in entry}
    assert elements == {
        "id": elements["id"],
        "title": "Third",
        "published": "2026-03-01T00:00:00Z",
        "updated": "2026-03-04T05:06:07Z",
        "author": elements["author"],
        "link": {"href": f"{BASE}/site-7/page-22/"},
        "summary": "Who, & where.",
    }
    assert str(elements["id"]).startswith("tag:base.example,")
    assert ET.fromstring(answer.text).findtext(f"{ATOM}title") == "Quay & Sons"


def test_P11_a_feed_is_current_and_sent_from_memory(make_service: MakeService) -> None:
    service = _service(make_service, *PAGES[:1])
    first = service.get("/site-7/feed.xml")
    service.load({"pages": [PAGES[2]]})
    service.later(seconds=1)

    now = service.get("/site-7/feed.xml")
    assert (_titles(first.text), _titles(now.text)) == (["First"], ["Third", "First"])
    header = service.get("/site-7/feed.xml", **{"if-none-match": now.headers["etag"]})
    assert header.status_code == 304


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_without_articles_there_is_no_feed(make_service: MakeService) -> None:
    service = _service(make_service, *PAGES[2:3], page(30, **SHOWN, code="feed.xml", folder=1))

    for path in (
        "/feed.xml",
        "/site-8/feed.xml",
        "/site-7/page-22/feed.xml",
        "/site-7/off/feed.xml",
    ):
        assert service.get(path).status_code == 404, path
    assert service.get("/site-7/news/feed.xml").headers["location"].endswith("/feed.xml/")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_an_article_links_to_the_feed(make_service: MakeService) -> None:
    own = {"sites": [site(8, domain="shop.example", main_page=40)]}
    pages = [*PAGES[2:3], page(40, **SHOWN, site=8), _article(41, "Far", "2026-01-01", site=8)]
    service = _service(make_service, *pages, **own)

    def named(path: str, host: str = "any") -> list[str | None]:
        links = find(service.get(path, host=host).text, "link[type='application/atom+xml']")
        return [str(each.attr("href")) for each in links]

    assert named("/site-7/page-22/") == [f"{BASE}/site-7/feed.xml"]
    assert named("/page-41/", "shop.example") == ["https://shop.example/feed.xml"]
    assert named("/site-7/") == []
    assert _titles(service.get("/feed.xml", host="shop.example").text) == ["Far"]


@pytest.mark.rule("H1")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_H1_no_text_breaks_out_of_its_element_in_a_feed(make_service: MakeService) -> None:
    texts = ["</title><entry>", "]]>", "<!--", "&amp;lt;", "a\x0bb\ufffe", "<![CDATA[x"]
    pages = [_article(20 + n, escape(text), "2026-01-01") for n, text in enumerate(texts)]
    titles = _titles(_service(make_service, *pages).get("/site-7/feed.xml").text)

    assert len(titles) == len(texts)
    assert {"</title><entry>", "&amp;lt;", "<![CDATA[x"} <= set(titles)


def test_P11_an_invalid_date_is_in_no_feed_and_no_page(make_service: MakeService) -> None:
    public = {"date_public": "2026-05-06T07:08:09Z"}
    days = ["2026-13-45", "2026-02-30", "soon"]
    pages = [_article(number, "A", day, **public) for number, day in enumerate(days, 20)]
    service = _service(make_service, *pages)

    entries = ET.fromstring(service.get("/site-7/feed.xml").text).findall(f"{ATOM}entry")
    texts = [service.get(f"/site-7/page-{number}/").text for number in (20, 21, 22)]

    dates = [entry.findtext(f"{ATOM}published") for entry in entries]
    assert dates == ["2026-05-06T07:08:09Z"] * 3
    assert not any(wrong in text for text in texts for wrong in ("datetime=", "datePublished"))
