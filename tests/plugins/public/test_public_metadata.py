"""The metadata of a page: title, robots rules and Open Graph (H1, P11)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import find, page, site, world
from corpora import read_data
from plugins.html.corpus import HOSTILE

from landyard_public.metadata import describe, is_indexed, write_head

BASE = "https://base.example"
SHOWN: dict[str, Any] = {"active": True, "published": True}
PATH = "/site-7/page-10/"

pytestmark = [
    pytest.mark.rule("P11"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


def _html(make_service: MakeService, **fields: Any) -> str:
    shown = page(10, title="T", description="D", additional_fields=fields, **SHOWN)
    return make_service(world=world(shown), public_base=BASE).get(PATH).text


def _metas(html: str) -> dict[str, str]:
    metas = [each for each in find(html, "meta") if each.attr("content")]
    return {
        str(each.attr("name") or each.attr("property")): str(each.attr("content")) for each in metas
    }


def _head(**fields: Any) -> dict[str, str]:
    html = write_head(describe(fields, "T", "D", "", BASE))
    return _metas(html) | {"title": find(html, "title")[0].text}


def test_P11_a_page_without_fields_is_described_by_its_own_texts(make_service: MakeService) -> None:
    html = _html(make_service)

    assert _metas(html) == {
        "viewport": "width=device-width, initial-scale=1",
        "description": "D",
        "twitter:card": "summary",
        "og:type": "website",
        "og:title": "T",
        "og:description": "D",
        "og:url": f"{BASE}{PATH}",
        "og:locale": "en_US",
    }
    assert [each.text for each in find(html, "title")] == ["T"]
    assert [each.attr("href") for each in find(html, "link[rel=canonical]")] == [f"{BASE}{PATH}"]
    assert find(html, "script") == []


def test_P11_additional_fields_describe_a_page(make_service: MakeService) -> None:
    html = _html(
        make_service,
        METAMAIN_TITLE="Main T",
        METAMAIN_DESCRIPTION="Main D",
        METAMAIN_KEYWORDS="a, b",
        METAOG_TITLE="Og T",
        METAOG_DESCRIPTION="Og D",
        METAOG_IMAGE="/files/k/cover.png",
        METAROBOTS_INDEX="N",
    )

    metas = _metas(html)
    del metas["viewport"]
    assert metas == {
        "description": "Main D",
        "keywords": "a, b",
        "robots": "noindex",
        "twitter:card": "summary_large_image",
        "og:type": "website",
        "og:title": "Og T",
        "og:description": "Og D",
        "og:url": f"{BASE}{PATH}",
        "og:locale": "en_US",
        "og:image": f"{BASE}/files/k/cover.png",
    }
    assert [each.text for each in find(html, "title")] == ["Main T"]


FIELDS = read_data(__file__, "FIELDS", list[tuple[dict[str, Any], dict[str, str]]])


@pytest.mark.parametrize(("fields", "expected"), FIELDS)
def test_P11_fields_may_hold_any_stored_value(
    database: object, fields: dict[str, Any], expected: dict[str, str]
) -> None:
    assert expected.items() <= _head(**fields).items()


IMAGES = {
    "https://cdn.example/a.png": "https://cdn.example/a.png",
    " http://cdn.example/a b.png ": "http://cdn.example/a%20b.png",
    "//cdn.example/a.png": "https://cdn.example/a.png",
    "/files/k/a.png": f"{BASE}/files/k/a.png",
    "/\\evil.example/a.png": f"{BASE}/%5Cevil.example/a.png",
}
NO_IMAGES = [
    *("", "a.png", "12", 12, None, ["/a.png"], "javascript:alert(1)", "java\nscript:alert(1)"),
    *("data:image/png;base64,AAAA", "data:text/html,x", "ftp://a.example/a.png", "https:///a.png"),
    *("http://[bad/a.png", "https:", "mailto:a@b.example", "&#106;avascript:alert(1)"),
]


@pytest.mark.parametrize("image", IMAGES)
def test_P11_a_picture_is_ours_or_on_the_web(database: object, image: str) -> None:
    head = _head(METAOG_IMAGE=image)

    assert (head["og:image"], head["twitter:card"]) == (IMAGES[image], "summary_large_image")


@pytest.mark.parametrize("image", NO_IMAGES)
def test_H1_other_values_are_no_picture(database: object, image: Any) -> None:
    head = _head(METAOG_IMAGE=image)

    assert ("og:image" in head, head["twitter:card"]) == (False, "summary")


@pytest.mark.parametrize("wish", ["Y", "", None, "index, follow", "nofollow", 1, True, ["N"], {}])
def test_P11_search_engines_may_list_a_page(database: object, wish: Any) -> None:
    assert is_indexed({"METAROBOTS_INDEX": wish})


@pytest.mark.parametrize(
    "wish", ["N", "n", " no ", "NOINDEX", "noindex,nofollow", "none", 0, False]
)
def test_P11_search_engines_may_not_list_a_page(database: object, wish: Any) -> None:
    assert not is_indexed({"METAROBOTS_INDEX": wish})


NAMES = [f"METAMAIN_{name}" for name in ("TITLE", "DESCRIPTION", "KEYWORDS")]
NAMES += ["METAROBOTS_INDEX", "METAOG_TITLE", "METAOG_DESCRIPTION", "METAOG_IMAGE"]
BREAKING = ['"><script>x</script>', "</title><script>x</script>", "' onload='x", "\x01\x0b\ufffe<"]


@pytest.mark.rule("H1")
def test_H1_no_text_breaks_out_of_its_element(database: object) -> None:
    for text in [*HOSTILE, *BREAKING]:
        head = write_head(describe(dict.fromkeys(NAMES, text), text, text, text, BASE))

        assert {each.tag for each in find(head, "*")} <= {"title", "meta", "link"}, text
        assert {name for each in find(head, "*") for name in each.attrs} <= {
            *("name", "property", "content", "rel", "href")
        }, text


@pytest.mark.rule("H1")
@pytest.mark.parametrize("text", BREAKING)
def test_H1_no_field_breaks_out_of_its_element(make_service: MakeService, text: str) -> None:
    fields = dict.fromkeys(NAMES, text)
    shown = page(10, title=text, description=text, additional_fields=fields, **SHOWN)

    html = make_service(world=world(shown)).get(PATH).text

    assert find(html, "script") == []
    assert [each.text for each in find(html, "title")] == [text.strip()]


def test_P11_the_canonical_address_leads_to_the_page(make_service: MakeService) -> None:
    built = world(
        page(10, **SHOWN),
        page(11, **SHOWN, code="ruled", rule="r-[0-9]+"),
        page(12, **SHOWN, folder=1),
        page(13, **SHOWN, folder=1, code="index"),
        page(30, **SHOWN, site=8, code="x&y'z"),
        sites=[site(8, domain="shop.example")],
        folders=[{"id": 1, "site": 7, "code": "f", "index_page": 13}],
    )
    built["sites"][0] |= {"main_page": 10}
    service = make_service(world=built, public_base=BASE)
    canonical = {
        ("any", "/site-7/"): [f"{BASE}/site-7/"],
        ("any", "/site-7/page-10/"): [f"{BASE}/site-7/"],
        ("any", "/site-7/page%2D10/"): [f"{BASE}/site-7/"],
        ("any", "/site-7/f/"): [f"{BASE}/site-7/f/"],
        ("any", "/site-7/f/index/"): [f"{BASE}/site-7/f/"],
        ("any", "/site-7/f/page-12/"): [f"{BASE}/site-7/f/page-12/"],
        ("any", "/site-7/r-1/"): [],
        ("SHOP.example:81", "/x&y'z/"): ["https://shop.example/x%26y%27z/"],
    }

    addresses = {
        (host, path): [
            each.attr("href")
            for each in find(service.get(path, host=host).text, "link[rel=canonical]")
        ]
        for host, path in canonical
    }

    assert addresses == canonical
