"""Further blocks and templates as visitors see them: complete under the policy, usable by keys
alone.
"""

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.serving import load
from playwright.async_api import Page
from plugins.catalogue.shipped import PAGES, TYPES, layouts

from landyard_content.pages.templates import PageTemplate

SITE = 61
FIRST = 7000
PUBLISHED = 7500
SHOWN = "/catalogue"
NORMAL = {"restaurant", "documentation/guide/first-ring"}  # the other templates take minutes
TONES = ("plain", "tint", "deep")
FROM_THE_RIGHT = 62
WORDS = "ورشة صغيرة لبناء القوارب الخشبية على ضفة النهر"
MOST_BYTES = 100_000
MOST_REQUESTS = 12


@pytest.fixture(scope="session")
def pages(demo: Demo) -> None:
    """A site with a page for each block type, in all its layouts and tones, and each template."""
    copies = itertools.count(PUBLISHED)

    def published(number: int, page: Mapping[str, Any]) -> dict[str, Any]:
        blocks = [{**block, "published_id": next(copies)} for block in page["blocks"]]
        state = {"id": FIRST + number, "site": SITE, "active": True, "published": True}
        return {**state, **page, "blocks": blocks}

    every = [*map(_of_type, TYPES), *map(_of_template, PAGES.values())]
    site = {"id": SITE, "code": SHOWN.strip("/"), "title": "Catalogue"}
    right = {"id": FROM_THE_RIGHT, "code": "yamin", "title": "Yamin", "language": "ar"}
    shown = [published(*each) for each in enumerate(every)]
    shown.append(published(len(every), _from_the_right()) | {"site": FROM_THE_RIGHT})
    load(demo.data, {"sites": [site, right], "pages": shown})


def path_of(code: str) -> str:
    return f"{SHOWN}/{re.sub('[./]', '-', code)}/"


def _of_type(code: str) -> dict[str, Any]:
    blocks = []
    for layout, tone in zip(layouts(code), itertools.cycle(TONES), strict=False):
        html = re.sub(r'data-layout="\w+"', f'data-layout="{layout}"', TYPES[code].content, count=1)
        html = re.sub(r'data-tone="\w+"', f'data-tone="{tone}"', html, count=1)
        blocks.append({"code": code, "content": html})
    return {"code": path_of(code).split("/")[2], "title": TYPES[code].name, "blocks": blocks}


def _of_template(page: PageTemplate) -> dict[str, Any]:
    return {
        "code": path_of(page.code).split("/")[2],
        "title": page.title,
        "additional_fields": page.fields["ADDITIONAL_FIELDS"],
        "blocks": [
            {"code": block.code, "content": block.content, "anchor": block.anchor}
            for block in page.blocks
        ],
    }


def _from_the_right() -> dict[str, Any]:
    """A page of all block types, with every text in a right-to-left script."""
    texts = [
        re.sub(r">[^<>]*[A-Za-z][^<>]*<", f">{WORDS}<", kind.content) for kind in TYPES.values()
    ]
    blocks = [{"code": code, "content": text} for code, text in zip(TYPES, texts, strict=True)]
    return {"code": "kull", "title": WORDS, "blocks": blocks}


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_right_to_left_page_is_no_wider_than_the_screen(
    visitor: Visitor, tmp_path: Path, width: int
) -> None:
    visit = visitor.visit("/yamin/kull/", width=width, schemes=("light",), shots=tmp_path)

    assert (visit.complaints, visit.violations, visit.failed) == ([], [], [])
    assert visit.measured["light"].overflow == 0
    assert WORDS in visit.measured["light"].text


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 390])
@pytest.mark.parametrize("code", sorted(TYPES))
def test_every_layout_of_a_block_is_complete(
    visitor: Visitor, tmp_path: Path, code: str, width: int
) -> None:
    visit = visitor.visit(path_of(code), width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    assert [(page.overflow, page.broken) for page in visit.measured.values()] == [(0, []), (0, [])]


TEMPLATES = [
    pytest.param(code, width, marks=[] if code in NORMAL and width < 600 else [pytest.mark.soak])
    for code in PAGES
    for width in (1280, 390)
]

MEASURE = """
() => ({
  shift: performance.getEntriesByType('layout-shift')
    .reduce((sum, each) => sum + (each.hadRecentInput ? 0 : each.value), window.shifted || 0),
  bytes: performance.getEntriesByType('navigation')[0].encodedBodySize +
    performance.getEntriesByType('resource').filter(each => each.initiatorType !== 'img')
      .reduce((sum, each) => sum + each.encodedBodySize, 0),
  requests: performance.getEntriesByType('resource').length + 1
})
"""
WATCH = """
new PerformanceObserver(list => {
  for (const each of list.getEntries()) window.shifted = (window.shifted || 0) + each.value
}).observe({type: 'layout-shift', buffered: true})
"""


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(("code", "width"), TEMPLATES)
def test_a_page_of_a_template_is_complete_light_and_still(
    demo: Demo, visitor: Visitor, tmp_path: Path, code: str, width: int
) -> None:
    visit = visitor.visit(path_of(code), width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    said = PAGES[code].fields["ADDITIONAL_FIELDS"]["METAMAIN_TITLE"]
    for page in visit.measured.values():
        assert (page.title, page.headings, page.overflow, page.broken) == (said, 1, 0, [])

    async def scroll(page: Page) -> dict[str, float]:
        await page.add_init_script(WATCH)
        await page.goto(demo.base + path_of(code))
        for _ in range(14):
            await page.mouse.wheel(0, 700)
            await page.wait_for_timeout(40)
        measured: dict[str, float] = await page.evaluate(MEASURE)
        return measured

    found, _ = visitor.act(scroll, width=width)
    assert found["shift"] == 0
    assert found["bytes"] <= MOST_BYTES
    assert found["requests"] <= MOST_REQUESTS


async def tab_to(page: Page, selector: str) -> None:
    """Press the tab key until the selected element has the focus."""
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await page.evaluate(f"() => document.activeElement.matches('{selector}')"):
            return
    raise AssertionError(f"the tab key never comes to {selector}")


@pytest.mark.usefixtures("pages")
def test_the_menu_unfolds_and_one_of_its_links_folds_it(
    demo: Demo, visitor: Visitor, tmp_path: Path
) -> None:
    """By keys alone, in a browser without scripts."""

    async def act(page: Page) -> None:
        await page.goto(demo.base + path_of("newsletter"))
        assert not await page.locator("nav.site-nav").is_visible()
        await page.get_by_role("link", name="Menu").press("Enter")
        assert await page.get_by_role("link", name="Questions").first.is_visible()
        await page.screenshot(path=tmp_path / "menu.png")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")  # the first element in the menu closes it
        assert not await page.locator("nav.site-nav").is_visible()
        await page.get_by_role("link", name="Menu").press("Enter")
        await page.locator("nav.site-nav").get_by_role("link", name="Questions").press("Enter")
        assert not await page.locator("nav.site-nav").is_visible()
        assert await page.get_by_role("heading", name="Questions").is_visible()

    _, visit = visitor.act(act, width=390, scripts=False)
    assert (visit.violations, visit.foreign, visit.failed) == ([], [], [])


@pytest.mark.usefixtures("pages")
def test_a_picture_opens_large_and_escape_closes_it(
    demo: Demo, visitor: Visitor, tmp_path: Path
) -> None:
    async def act(page: Page) -> None:
        await page.goto(demo.base + path_of("restaurant"))
        await tab_to(page, ".site-photo-open")
        await page.keyboard.press("Enter")
        box = page.locator(".site-light:popover-open")
        assert await box.count() == 1
        await page.wait_for_timeout(300)
        await page.screenshot(path=tmp_path / "box.png")
        large = await box.locator("img").bounding_box()
        assert large is not None
        assert large["width"] > 600
        await page.keyboard.press("Escape")
        assert await box.count() == 0
        assert await page.evaluate("() => document.activeElement.matches('.site-photo-open')")

    _, visit = visitor.act(act)
    assert (visit.complaints, visit.violations, visit.foreign) == ([], [], [])


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_tab_opens_and_the_other_closes(
    demo: Demo, visitor: Visitor, tmp_path: Path, width: int
) -> None:
    async def act(page: Page) -> None:
        await page.goto(demo.base + path_of("agency"))
        walk, draw = (
            page.locator("summary", has_text=re.compile(f"^{name}$")) for name in ("Walk", "Draw")
        )
        assert await page.get_by_text("Before we draw anything").is_visible()
        await walk.focus()
        await page.keyboard.press("Tab")
        assert await draw.evaluate("each => each === document.activeElement")
        await page.keyboard.press("Enter")
        assert await page.get_by_text("a third of their signs").is_visible()
        assert not await page.get_by_text("Before we draw anything").is_visible()
        await page.screenshot(path=tmp_path / f"tabs-{width}.png")

    visitor.act(act, width=width, scripts=False)


@pytest.mark.usefixtures("pages")
def test_a_sticky_header_stays_while_the_page_scrolls(demo: Demo, visitor: Visitor) -> None:
    async def act(page: Page) -> None:
        await page.goto(demo.base + path_of("agency"))
        await page.mouse.wheel(0, 1500)
        await page.wait_for_timeout(200)
        header = await page.locator(".site-header").bounding_box()
        assert header is not None
        assert header["y"] == 0

    visitor.act(act)
