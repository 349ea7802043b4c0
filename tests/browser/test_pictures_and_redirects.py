"""A browser loads picture variants, runs no structured data, and follows a redirect from an old
address.
"""

import base64
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from contract.pictures import drawn, encoded
from kernel.supervised import until
from playwright.async_api import Page

PATH = "/found/boats/"
HOSTILE = "</script><script>ran(1)</script><!--<script>"
IMAGE = "img.ly-picture[src*='/files/']"


def call(demo: Demo, method: str, **params: Any) -> Any:
    answer = demo.call(f"landing.{method}", **params)
    assert "error" not in answer, answer
    return answer["result"]


@pytest.fixture(scope="module")
def page_id(demo: Demo) -> int:
    """Make a site whose page has an uploaded picture, at `PATH`, and wait for its variants."""
    site = call(demo, "site.add", fields={"TITLE": f"Boats {HOSTILE}", "CODE": "found"})
    fields = {"TITLE": "Boats", "SITE_ID": site, "CODE": "boats"}
    page: int = call(demo, "landing.add", fields=fields)
    blocks = {
        code: call(demo, "landing.addblock", lid=page, fields={"CODE": code})
        for code in ("ly.cover", "ly.product", "ly.faq", "ly.date", "ly.timetable", "ly.contact")
    }
    picture = base64.b64encode(encoded(drawn(2000, 1500), "BMP")).decode()
    product = blocks["ly.product"]
    params = {"block": product, "picture": ["boat.bmp", picture]}
    src = call(demo, "block.uploadfile", **params)["src"]
    data = {
        ".landing-block-node-img": {"src": src, "alt": "A boat"},
        ".landing-block-node-price": "€ 1.200",
        ".landing-block-node-title": HOSTILE.replace("<", "&lt;"),
    }
    call(demo, "block.updatenodes", lid=page, block=product, data=data)
    call(demo, "landing.publication", lid=page)
    until(lambda: "<picture" in httpx.get(demo.base + PATH).text, lambda: "no variants")
    return page


@pytest.mark.parametrize(("width", "taken"), [(1280, "_w1600.avif"), (390, "_w480.avif")])
@pytest.mark.usefixtures("page_id")
def test_a_browser_loads_the_picture_that_fits(
    demo: Demo, visitor: Visitor, tmp_path: Path, width: int, taken: str
) -> None:
    async def act(page: Page) -> tuple[str, list[float], list[float]]:
        await page.goto(demo.base + PATH)
        image = page.locator(IMAGE)
        await image.scroll_into_view_if_needed()
        await image.evaluate("each => each.decode()")
        measure = "each => (box => [box.width, box.height])(each.getBoundingClientRect())"
        shown = await image.evaluate(measure)
        source = await image.evaluate("each => each.currentSrc")
        await page.screenshot(path=tmp_path / f"found-{width}.png", full_page=True)
        await image.evaluate("each => each.parentElement.replaceWith(each)")
        return source, shown, await image.evaluate(measure)

    (source, shown, alone), visit = visitor.act(act, width=width)

    # A picture shown in a column may be smaller.
    least = int(re.findall(r"_w(\d+)\.avif\?", source)[0])
    assert 0.8 * shown[0] <= least <= int(re.findall(r"\d+", taken)[0])
    assert shown == alone  # with and without the element that holds the variants
    assert (visit.complaints, visit.violations, visit.failed, visit.ran) == ([], [], [], [])


@pytest.mark.usefixtures("page_id")
def test_structured_data_is_read_and_not_run(demo: Demo, visitor: Visitor) -> None:
    async def act(page: Page) -> Any:
        await page.goto(demo.base + PATH)
        return await page.evaluate(
            "[...document.scripts].map(each => [each.type, JSON.parse(each.textContent)])"
        )

    (((kind, data),), visit) = visitor.act(act)

    assert kind == "application/ld+json"
    things = {each["@type"]: each for each in data["@graph"]}
    assert things.keys() == {"Product", "FAQPage", "Event", "Organization"}
    assert things["Product"]["name"] == HOSTILE
    assert things["Product"]["offers"]["price"] == "1200"
    assert (visit.complaints, visit.violations, visit.ran) == ([], [], [])


def test_a_visitor_of_the_old_address_sees_the_page(
    demo: Demo, visitor: Visitor, page_id: int
) -> None:
    call(demo, "landing.update", lid=page_id, fields={"CODE": "fleet"})

    async def act(page: Page) -> str:
        await page.goto(f"{demo.base}{PATH}?from=a-friend")
        return page.url

    url, visit = visitor.act(act)
    assert url == f"{demo.base}/found/fleet/?from=a-friend"
    assert (visit.complaints, visit.violations) == ([], [])
