"""A visitor sees uploaded pictures in their own size, unless the layout makes them smaller."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser.visiting import CHROMIUM, Visitor
from conftest import MakeService
from contract.pictures import drawn, encoded, moving, upload
from contract.worlds import DRAFT, PAGE, PUBLISHED, page, world
from playwright.async_api import Page, Route
from plugins.catalogue.shipped import TYPES

from landyard.testing import Service
from landyard_events import deliver_due

PATH = "/site-7/page-10/"
BASE = "http://shown.example"
WAY = '<p><img class="landing-block-node-img" src="{src}"{more}></p>'
MEASURE = """
async () => {
  const boxes = []
  for (const image of document.querySelectorAll('img[src^="/files/"]')) {
    const shown = image.closest('[popover]')
    if (shown) shown.showPopover()
    image.scrollIntoView()
    await image.decode()
    const box = image.getBoundingClientRect()
    boxes.push([Math.round(box.width), Math.round(box.height), image.currentSrc])
    if (shown) shown.hidePopover()
  }
  return boxes
}
"""


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    made = Visitor(BASE)
    yield made
    made.close()


def measured(visitor: Visitor, service: Service) -> list[list[Any]]:
    """The boxes of the page's pictures, and the file that each shows."""

    html = service.get(PATH).text
    asked = {PATH, *re.findall(r"/(?:files|assets|themes)/[^\s\"'&<>)]+", html)}
    answers = {BASE + path: service.get(path) for path in asked}

    async def answer(route: Route) -> None:
        if (got := answers.get(route.request.url)) is None:
            await route.fulfill(status=404)
        else:
            await route.fulfill(headers=dict(got.headers), body=got.content)

    async def look(page_: Page) -> list[list[Any]]:
        await page_.route(f"{BASE}/**", answer)
        await page_.goto(BASE + PATH)
        boxes: list[list[Any]] = await page_.evaluate(MEASURE)
        return boxes

    return visitor.act(look, width=2000)[0]


def published(
    make_service: MakeService, content: bytes, name: str, html: str, code: str = "ly.text"
) -> Service:
    """A page with a picture in its second block, which loads lazily."""
    first = {"id": 99, "code": "ly.text", "content": "<p>First</p>", "published_id": 199, "sort": 1}
    block: dict[str, Any] = {"id": DRAFT, "code": code, "published_id": PUBLISHED}
    shown = page(PAGE, first, block, active=True, published=True)
    service = make_service(world=world(shown), pictures={"widths": [300, 600, 2400]})
    src = str(upload(service, content, name).result["src"])
    block["content"] = html.replace("{src}", src)
    service.load({"pages": [page(PAGE, first, block, active=True, published=True)]})
    service.result("landing.landing.publication", lid=PAGE)
    deliver_due(service.kernel)
    return service


WIDE = encoded(drawn(1800, 1200), "BMP")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_show_large_shows_a_picture_large(visitor: Visitor, make_service: MakeService) -> None:
    gallery = TYPES["site.gallery"].content.replace("/assets/pictures/lugger.svg", "{src}")
    service = published(make_service, WIDE, "boat.bmp", gallery, "site.gallery")

    (small, large) = measured(visitor, service)

    assert small[0] < 700
    assert large[0] > 900
    assert large[0] / large[1] == pytest.approx(1.5, abs=0.01)
    assert "_w1800." in large[2]


BOAT = ("boat.bmp", encoded(drawn(900, 600), "BMP"))
FILM = ("film.gif", moving("GIF", 3, (500, 250)))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("picture", "more", "size"),
    [
        (BOAT, ' style="width:auto;height:auto"', (900, 600)),
        (BOAT, ' style="width:auto;height:60px"', (90, 60)),
        (BOAT, ' height="60" style="height:60px"', (90, 60)),
        (BOAT, ' sizes="auto" style="width:auto"', (900, 600)),
        (FILM, ' style="width:auto"', (500, 250)),
    ],
)
def test_a_picture_without_a_set_width_has_its_own(
    visitor: Visitor,
    make_service: MakeService,
    picture: tuple[str, bytes],
    more: str,
    size: tuple[int, int],
) -> None:
    name, content = picture
    service = published(make_service, content, name, WAY.replace("{more}", more))

    (box,) = measured(visitor, service)

    assert tuple(box[:2]) == size
