"""Every layout of the catalogue's blocks as visitors see it: complete, legible, and distinct.

The layouts are shown in each theme and right to left, wide and narrow, light and dark.
"""

import itertools
from pathlib import Path
from typing import Any

import pytest
from browser.axe import examine_path
from browser.conftest import Demo
from browser.contrast import illegible
from browser.validity import errors_of
from browser.visiting import Visitor
from clients.serving import load
from playwright.async_api import Page
from plugins.content.blocks.shipped import CODES, HTML, in_layout, layouts

THEMES = ("harbour", "folio", "studio", "bench")
SITE, PAGE, PUBLISHED = 900, 500_000, 510_000
TONES = ("plain", "tint", "deep")
# The places of all elements of a block and the settings of its lines; equal ones in two layouts are
# a mistake.
_PLACES = """
block => [...block.querySelectorAll('*')].map(each => {
  const box = each.getBoundingClientRect(), above = block.getBoundingClientRect()
  return [box.left, box.top - above.top, box.width, box.height].map(Math.round).join()
}).join(';') + getComputedStyle(block.querySelector('h1, h2, p')).textAlign
"""


@pytest.fixture(scope="session")
def layouts_shown(demo: Demo) -> None:
    """A site for each theme and a right-to-left one, with a page for each half of the blocks."""
    ids, copies = itertools.count(PAGE), itertools.count(PUBLISHED)
    looks = [(theme, theme, "en") for theme in THEMES] + [("right", "harbour", "ar")]
    sites, pages = [], []
    for number, (code, theme, language) in enumerate(looks):
        site = {"id": SITE + number, "code": f"laid-{code}", "theme": theme, "language": language}
        sites.append(site)
        for block in CODES:
            tones = itertools.cycle(TONES)
            laid = [
                {
                    "code": block,
                    "content": in_layout(block, layout, next(tones)),
                    "published_id": next(copies),
                }
                for layout in layouts(block)
            ]
            page = {"id": next(ids), "site": SITE + number, "code": block.replace(".", "-")}
            pages.append({**page, "blocks": laid, "active": True, "published": True})
    load(demo.data, {"sites": sites, "pages": pages})


def path_of(code: str, look: str = "harbour") -> str:
    return f"/laid-{look}/{code.replace('.', '-')}/"


CASES = [
    pytest.param(look, width, marks=[] if (look, width) in NORMAL else [pytest.mark.soak])
    for NORMAL in [{("harbour", 390)}]
    for look in (*THEMES, "right")
    for width in (1280, 390)
]


@pytest.mark.usefixtures("layouts_shown")
@pytest.mark.parametrize(("look", "width"), CASES)
def test_every_layout_is_complete_and_legible(
    demo: Demo, visitor: Visitor, tmp_path: Path, look: str, width: int
) -> None:
    async def act(page: Page) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for code in CODES:
            await page.goto(demo.base + path_of(code, look))
            wide: int = await page.evaluate(
                "() => Math.max(0, document.documentElement.scrollWidth - innerWidth)"
            )
            wrong = [f"{wide} pixels too wide"] if wide else []
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                shot = tmp_path / f"{code}-{look}-{width}-{scheme}.png"
                await page.screenshot(path=shot, full_page=True)
                wrong += [f"{scheme}: {each}" for each in await illegible(page)]
            if wrong:
                found[code] = wrong
        return found

    found, visit = visitor.act(act, width=width, patience=400)

    assert found == {}
    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])


@pytest.mark.usefixtures("layouts_shown")
def test_each_layout_of_a_block_has_a_structure_of_its_own(demo: Demo, visitor: Visitor) -> None:
    """The default layout is that of a block without the attribute."""

    async def act(page: Page) -> list[str]:
        alike = []
        for code in CODES:
            await page.goto(demo.base + path_of(code))
            blocks = page.locator(".landing-block")
            for block in await blocks.all():
                await block.evaluate("each => { each.dataset.tone = 'plain' }")
            seen = [await block.evaluate(_PLACES) for block in await blocks.all()]
            usual = blocks.first
            await usual.evaluate("each => { delete each.dataset.layout }")
            if await usual.evaluate(_PLACES) != seen[0] or len({*seen}) != len(seen):
                alike.append(code)
        return alike

    assert visitor.act(act, patience=100)[0] == []


@pytest.mark.usefixtures("layouts_shown")
@pytest.mark.soak  # its default blocks are examined in every run
@pytest.mark.parametrize("width", [1280, 390])
def test_every_layout_is_accessible_and_valid(demo: Demo, visitor: Visitor, width: int) -> None:
    found = [
        line for code in CODES for line in examine_path(visitor, demo.base + path_of(code), width)
    ]
    assert found == []


def test_every_layout_is_valid() -> None:
    page = '<!doctype html><html lang="en"><head><title>x</title></head><body>{}</body></html>'
    laid = {f"{code} {each}": in_layout(code, each) for code in CODES for each in layouts(code)}
    assert errors_of({name: page.format(html) for name, html in laid.items()}) == []


def test_a_new_block_has_no_layout_attribute() -> None:
    """Stored blocks therefore look as before, byte for byte."""
    assert [code for code in CODES if "data-layout" in HTML[code]] == []
