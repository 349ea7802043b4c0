"""Built-in templates and blocks as visitors see them: narrow and wide, light and dark."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.serving import load
from playwright.async_api import Page

from landyard_content.blocks.blocktypes import catalogue
from landyard_content.pages.templates import PageTemplate, TemplateBlock, builtin_templates

SITE = 60
PAGE = 6000
PUBLISHED = 6500
SHOWN = [template for template in builtin_templates().values() if template.blocks]
FILM = "ly.video"
FRAMED = "landing-block-node-embed"
PLAYED = "https://video.example/embed/film"


_ITEM = re.compile(r"<li .*?</li>")
_SEVEN = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh")


def _long_menu() -> str:
    """Seven entries, each leading to an anchor, in a sticky header."""
    html = catalogue()["ly.menu"].content.replace('ly-menu"', 'ly-menu" data-stay="yes"', 1)
    item = _ITEM.findall(html)[0].replace('"#"', '"#asked"')
    items = "".join(item.replace("First", name) for name in _SEVEN)
    return _ITEM.sub("", html).replace("</ul>", f"{items}</ul>")


_MENU = [{"code": "ly.menu", "content": _long_menu()}, *[{"code": "ly.text"}] * 6]


@pytest.fixture(scope="session")
def pages(demo: Demo) -> None:
    """A site with a public page for each template, one of all blocks, and one with an opened
    film.
    """
    film = catalogue()[FILM].content.replace(
        f'<iframe class="{FRAMED}', f'<iframe src="{PLAYED}" class="{FRAMED}'
    )
    opened = film.replace("<details ", "<details open ")
    pages = [
        *map(_page, builtin_templates().values()),
        {"code": "all", "blocks": [{"code": code} for code in catalogue()]},
        {"code": "covered", "blocks": [{"code": FILM, "content": film}]},
        {"code": "film", "blocks": [{"code": FILM, "content": opened}]},
    ]
    pages.append({"code": "menu", "blocks": [*_MENU, {"code": "ly.faq", "anchor": "asked"}]})
    copies = itertools.count(PUBLISHED)
    shown = [
        {
            "id": PAGE + number,
            "site": SITE,
            "active": True,
            "published": True,
            **page,
            "blocks": [{**block, "published_id": next(copies)} for block in page["blocks"]],
        }
        for number, page in enumerate(pages)
    ]
    site = {"id": SITE, "code": "templates", "title": "Templates"}
    load(demo.data, {"sites": [site], "pages": shown})


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 390])
@pytest.mark.parametrize("template", SHOWN, ids=[template.code for template in SHOWN])
def test_H4_a_page_of_a_template_is_complete_under_its_policy(
    visitor: Visitor, tmp_path: Path, template: PageTemplate, width: int
) -> None:
    """Nothing is missing, refused, loaded from elsewhere or wider than the screen."""
    path = f"/templates/{template.code}/"
    visit = visitor.visit(path, width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    for page in visit.measured.values():
        assert (page.headings, page.overflow, page.broken) == (1, 0, [])
        assert page.title == template.fields["ADDITIONAL_FIELDS"]["METAMAIN_TITLE"]
    assert visit.measured["light"].background != visit.measured["dark"].background


@pytest.mark.usefixtures("pages")
def test_a_page_of_the_empty_template_is_empty(visitor: Visitor) -> None:
    page = visitor.visit("/templates/empty/", schemes=("light",)).measured["light"]

    assert (page.pictures, page.headings, page.overflow) == (0, 0, 0)
    assert page.title == "New page"


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("width", [1280, 390])
def test_H4_every_block_is_complete_by_default(
    visitor: Visitor, tmp_path: Path, width: int
) -> None:
    visit = visitor.visit("/templates/all/", width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    assert [(page.overflow, page.broken) for page in visit.measured.values()] == [(0, []), (0, [])]


@pytest.mark.usefixtures("pages")
def test_H3_a_film_is_requested_when_its_cover_is_opened(visitor: Visitor) -> None:
    assert visitor.visit("/templates/covered/", schemes=("light",)).foreign == []
    assert visitor.visit("/templates/film/", schemes=("light",)).foreign == [PLAYED]


@pytest.mark.usefixtures("pages")
def test_a_menu_of_seven_folds_on_a_telephone(demo: Demo, visitor: Visitor, tmp_path: Path) -> None:
    """By keys alone, in a browser without scripts; one of its links folds it, and the header
    stays.
    """

    async def act(page: Page) -> None:
        await page.goto(f"{demo.base}/templates/menu/")
        nav, header = page.locator("nav.ly-menu-nav"), page.locator(".ly-menu")
        assert not await nav.is_visible()
        box = await header.bounding_box()
        assert box is not None
        assert box["height"] < 80
        await page.get_by_role("link", name="Menu").press("Enter")
        assert await nav.get_by_role("link", name="Seventh").is_visible()
        await page.screenshot(path=tmp_path / "menu.png")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")  # the first element in the menu closes it
        assert not await nav.is_visible()
        await page.get_by_role("link", name="Menu").press("Enter")
        await nav.get_by_role("link", name="Seventh").press("Enter")
        assert not await nav.is_visible()
        assert await page.get_by_role("heading", name="What people ask").is_visible()
        await page.wait_for_timeout(300)
        box = await header.bounding_box()
        assert box is not None
        assert box["y"] == 0
        assert await page.evaluate("() => scrollY") > 500

    _, visit = visitor.act(act, width=390, scripts=False)
    assert (visit.complaints, visit.violations, visit.foreign) == ([], [], [])


@pytest.mark.usefixtures("pages")
def test_a_menu_is_unfolded_where_there_is_room(demo: Demo, visitor: Visitor) -> None:
    async def act(page: Page) -> None:
        await page.goto(f"{demo.base}/templates/menu/")
        assert await page.get_by_role("link", name="Seventh").is_visible()
        assert not await page.get_by_role("link", name="Menu", exact=True).is_visible()

    visitor.act(act, width=1280)


def _page(template: PageTemplate) -> dict[str, Any]:
    fields = template.fields
    return {
        "code": template.code,
        "title": fields["TITLE"],
        "additional_fields": fields["ADDITIONAL_FIELDS"],
        "blocks": [_block(block) for block in template.blocks],
    }


def _block(block: TemplateBlock) -> dict[str, Any]:
    own = {} if block.content is None else {"content": block.content}
    return {"code": block.code, "anchor": block.anchor, "params": block.params, **own}
