"""Axe and the HTML checker examine pages: WCAG 2.2 AA and valid, in light and dark.

`examined` takes any page of the service, such as one in another theme.
"""

import httpx
import pytest
from browser.axe import examine, examine_path
from browser.conftest import Demo
from browser.test_templates import SHOWN, pages
from browser.themed_sites import SHOWN as THEMED
from browser.themed_sites import THEMES, TONED, themed
from browser.validity import errors_of
from browser.visiting import Visitor
from playwright.async_api import Page

__all__ = ["pages", "themed"]
LOST = "/templates/nothing-is-here/"


BROKEN = """<!doctype html>
<html lang="en"><head><title>Broken</title></head>
<body><p><ul></ul></p><img src="/files/x.png"><input style="color:#eee">
<p style="color:#999;background:#aaa">Grey on grey</p></body></html>"""


def examined(visitor: Visitor, base: str, *paths: str, widths: tuple[int, ...]) -> list[str]:
    """The findings of axe and of the checker for pages, by their paths; empty where there are
    none.
    """
    served = {path: httpx.get(base + path).text for path in paths}
    found = [examine_path(visitor, base + path, width) for path in paths for width in widths]
    return errors_of(served) + [line for lines in found for line in lines]


@pytest.mark.usefixtures("pages")
def test_H4_every_block_is_accessible_and_valid(demo: Demo, visitor: Visitor) -> None:
    assert examined(visitor, demo.base, "/templates/all/", LOST, widths=(390,)) == []


@pytest.mark.soak
@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [1280, 390])
def test_H4_every_template_is_accessible_and_valid(
    demo: Demo, visitor: Visitor, width: int
) -> None:
    paths = [f"/templates/{each.code}/" for each in SHOWN]
    assert examined(visitor, demo.base, *paths, "/templates/empty/", widths=(width,)) == []


@pytest.mark.usefixtures("themed")
def test_H4_every_block_of_the_catalogue_is_accessible_and_valid(
    demo: Demo, visitor: Visitor
) -> None:
    paths = [f"/harbour/{code}/" for code in TONED]
    assert examined(visitor, demo.base, paths[1], widths=(390,)) == []
    assert errors_of({path: httpx.get(demo.base + path).text for path in paths}) == []


@pytest.mark.soak
@pytest.mark.usefixtures("themed")
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1280, 390])
def test_H4_every_template_is_accessible_and_valid_in_a_theme(
    demo: Demo, visitor: Visitor, theme: str, width: int
) -> None:
    paths = [f"/{theme}/{code}/" for code in THEMED]
    assert examined(visitor, demo.base, *paths, widths=(width,)) == []


def test_axe_and_the_checker_find_mistakes(visitor: Visitor) -> None:
    """Proves that the tests above can fail."""

    async def act(page: Page) -> list[str]:
        await page.set_content(BROKEN)
        return await examine(page)

    axe_says = " ".join(visitor.act(act)[0])
    checker_says = " ".join(errors_of({"broken": BROKEN}))

    assert [rule in axe_says for rule in ("color-contrast", "image-alt", "label")] == [True] * 3
    assert "broken:3: No “p” element in scope" in checker_says
