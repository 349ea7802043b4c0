"""Settings of a site that apply to all its pages: robots rules, and pictures in the site map."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, site, world
from plugins.public.test_search_metadata import BASE, PATH, PICTURE, SHOWN, block_of, on_sqlite

pytestmark = pytest.mark.rule("P11")


@on_sqlite
def test_P11_a_site_may_keep_search_engines_away(make_service: MakeService) -> None:
    built = world(
        page(10, **SHOWN),
        page(11, **SHOWN, additional_fields={"METAROBOTS_INDEX": "Y"}),
    )
    built["sites"][0]["additional_fields"] = {"METAROBOTS_INDEX": "N"}
    service = make_service(world=built, public_base=BASE)

    assert '<meta name="robots" content="noindex">' in service.get(PATH).text
    assert "noindex" not in service.get("/site-7/page-11/").text
    listed = service.get("/sitemap.xml").text
    assert ("page-10" in listed, "page-11" in listed) == (False, True)


ROBOTS: list[tuple[dict[str, Any], str]] = [
    ({}, "User-agent: *\nDisallow: /rest/\n\nSitemap: {map}\n"),
    (
        {"ROBOTS_CONTENT": "User-agent: x\r\nDisallow: /"},
        "User-agent: x\nDisallow: /\n\n{line}\n",
    ),
    ({"ROBOTS_CONTENT": "Sitemap: https://a.example/"}, "Sitemap: https://a.example/\n"),
    ({"ROBOTS_USE": "N", "ROBOTS_CONTENT": "x"}, "User-agent: *\nDisallow: /rest/\n\n{line}\n"),
    ({"ROBOTS_CONTENT": ["x"]}, "User-agent: *\nDisallow: /rest/\n\n{line}\n"),
]


@on_sqlite
@pytest.mark.parametrize(("fields", "expected"), ROBOTS)
def test_P11_the_robots_file_of_a_site_with_a_domain_follows_its_settings(
    make_service: MakeService, fields: dict[str, Any], expected: str
) -> None:
    own = site(8, domain="shop.example", additional_fields=fields)
    service = make_service(world=world(sites=[own]), public_base=BASE)

    where = "https://shop.example/sitemap.xml"
    text = service.get("/robots.txt", host="shop.example").text
    assert text == expected.replace("{map}", where).replace("{line}", f"Sitemap: {where}")
    assert "Disallow: /rest/" in service.get("/robots.txt").text


def test_P11_the_site_map_has_the_uploaded_pictures(make_service: MakeService) -> None:
    html = f'<p><img src="{PICTURE}"><img src="/assets/x.png"><img src="{PICTURE}"></p>'
    hidden = block_of("ly.text", html, id=101, published_id=201, active=False)
    built = world(
        page(10, block_of("ly.text", html), hidden, **SHOWN),
        page(11, block_of("ly.text", html, id=102, published_id=202), site=8, **SHOWN),
        page(12, block_of("ly.text", html, id=103, published_id=203), published=False),
        sites=[site(8, domain="shop.example")],
    )
    service = make_service(world=built, public_base=BASE)

    text = service.get("/sitemap.xml").text
    assert text.count("<image:loc>") == 1
    assert f"<image:image><image:loc>{BASE}{PICTURE}</image:loc></image:image>" in text
    shop = service.get("/sitemap.xml", host="shop.example").text
    assert f"<image:loc>https://shop.example{PICTURE}</image:loc>" in shop
