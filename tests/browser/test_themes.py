"""Every template in every theme is light, still and legible; contact sheets show them all."""

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from browser.axe import SCHEMES, SETTLE
from browser.conftest import Demo
from browser.contrast import illegible
from browser.themed_sites import SHOWN, TEMPLATES, THEMES, TONED, themed
from browser.visiting import Visitor
from msgspec import Struct
from PIL import Image
from playwright.async_api import Page

__all__ = ["themed"]
HEAVIEST = 100_000  # bytes over the wire, without pictures
MOST = 12  # requests without pictures
_WATCH = """
() => { window.moved = 0; new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value
}).observe({type: 'layout-shift', buffered: true}) }
"""
_LOADED = """
async () => {
  await document.fonts.ready
  await new Promise(resolve => setTimeout(resolve, 250))
  return performance.getEntries().filter(entry => entry.transferSize !== undefined).map(entry => [
    entry.initiatorType === 'navigation' ? 'page' : entry.name, entry.transferSize])
}
"""


_OVERFLOW = "() => Math.max(0, document.documentElement.scrollWidth - innerWidth)"


class Seen(Struct, frozen=True):
    """The files loaded in a visit, by address and without pictures; its layout shift; its dim
    texts.
    """

    loaded: dict[str, int]
    moved: float
    overflow: int
    dim: dict[str, list[str]]
    fonts: list[str]


def visit(visitor: Visitor, path: str, base: str, width: int, shot: Path) -> tuple[Seen, Any]:
    """Open a page for the first time, in both schemes; `shot` gives the file for each
    photograph.
    """

    async def act(page: Page) -> Seen:
        await page.add_init_script(f"({_WATCH})()")
        await page.goto(base + path)
        loaded = await page.evaluate(_LOADED)
        moved = await page.evaluate("() => window.moved")
        dim = dict[str, list[str]]()
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await page.screenshot(path=f"{shot}-{scheme}.png", full_page=True)
            dim[scheme] = await illegible(page)
        fonts: Any = await page.evaluate(
            "() => [...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)"
        )
        overflow: Any = await page.evaluate(_OVERFLOW)
        weighed = {name: size for name, size in loaded if "/pictures/" not in name}
        return Seen(weighed, moved, overflow, dim, fonts)

    return visitor.act(act, width=width, patience=120)


NORMAL = {*itertools.product(THEMES, ["product"], [390]), ("studio", "restaurant", 390)}
SOAK = [pytest.mark.soak]
CASES = [
    pytest.param(theme, page, width, marks=[] if (theme, page, width) in NORMAL else SOAK)
    for theme in THEMES
    for page in SHOWN
    for width in (1280, 390)
]


@pytest.mark.usefixtures("themed")
@pytest.mark.parametrize(("theme", "page", "width"), CASES)
def test_a_template_in_a_theme_is_light_still_and_legible(  # noqa: PLR0917 - a page, and its bars
    visitor: Visitor,
    demo: Demo,
    tmp_path: Path,
    record_property: Any,
    theme: str,
    page: str,
    width: int,
) -> None:
    seen, watched = visit(visitor, f"/{theme}/{page}/", demo.base, width, tmp_path / "page")

    record_property("bytes", sum(seen.loaded.values()))
    record_property("requests", len(seen.loaded))
    assert (watched.complaints, watched.violations, watched.failed) == ([], [], [])
    assert watched.foreign == []
    assert sum(seen.loaded.values()) <= HEAVIEST, seen.loaded
    assert len(seen.loaded) <= MOST
    assert (seen.moved, seen.overflow) == (0, 0)
    assert seen.dim == {"light": [], "dark": []}
    assert bool(seen.fonts) == (theme != "harbour")


@pytest.mark.usefixtures("themed")
@pytest.mark.parametrize(
    ("theme", "page"),
    [
        pytest.param(theme, page, marks=[] if (theme, page) == ("studio", "all") else SOAK)
        for theme in THEMES
        for page in ("all", *TONED)
    ],
)
def test_a_right_to_left_page_is_legible_and_as_wide_as_the_screen(
    visitor: Visitor, demo: Demo, tmp_path: Path, theme: str, page: str
) -> None:
    seen, watched = visit(visitor, f"/{theme}-ar/{page}/", demo.base, 390, tmp_path / "page")

    assert (watched.complaints, watched.violations, watched.foreign) == ([], [], [])
    assert (seen.moved, seen.overflow) == (0, 0)
    assert seen.dim == {"light": [], "dark": []}


@pytest.mark.soak
@pytest.mark.usefixtures("themed")
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1280, 390])
def test_contact_sheets(
    visitor: Visitor, demo: Demo, tmp_path: Path, width: int, theme: str
) -> None:
    """All templates side by side, whole, in light and dark; `make sheets` keeps them."""
    for page in TEMPLATES:
        address, shot = f"{demo.base}/{theme}/{page}/", tmp_path / page
        visitor.act(partial(photograph, address, shot), width=width)
    for scheme in SCHEMES:
        shots = [tmp_path / f"{page}-{scheme}.png" for page in TEMPLATES]
        sheet = contact_sheet(shots, 480 if width > 600 else 240)
        sheet.save(tmp_path.parent / f"{theme}-{width}-{scheme}.png")
        assert len(sheet.getcolors(sheet.width * sheet.height) or ()) > 1000


async def photograph(address: str, shot: Path, page: Page) -> None:
    """Photograph a whole page, in both schemes."""
    await page.goto(address)
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        await page.evaluate(SETTLE)
        await page.screenshot(path=f"{shot}-{scheme}.png", full_page=True)


def contact_sheet(shots: Sequence[Path], across: int) -> Image.Image:
    """Put photographs of pages side by side, each of this width."""
    small = list[Image.Image]()
    for shot in shots:
        with Image.open(shot) as page:
            small.append(page.convert("RGB").resize((across, page.height * across // page.width)))
    sheet = Image.new("RGB", (across * len(small), max(each.height for each in small)), "#808080")
    for column, each in enumerate(small):
        sheet.paste(each, (column * across, 0))
    return sheet


def test_dim_text_is_found(visitor: Visitor) -> None:
    """Proves that the tests above can fail."""
    dim = "<p style='color:#999'>dim</p><p style='font-size:30px;color:#999'>large</p>"
    ground = "width:7em;background:linear-gradient(90deg,#fff,#000);color:#000"
    behind = f"<p style='{ground}'>dark on dark</p>"

    async def act(page: Page) -> list[str]:
        await page.set_content(f"<body style='background:#fff'><p>clear</p>{dim}{behind}")
        return await illegible(page)

    found, _ = visitor.act(act)

    assert [each.partition("'")[2].partition("'")[0] for each in found] == [
        "dim",
        "large",
        "dark on dark",
    ]
