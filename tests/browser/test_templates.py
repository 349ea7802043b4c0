"""Built-in templates and blocks as visitors see them: narrow and wide, light and dark."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.serving import load

from landyard_landing.blocks.blocktypes import catalogue
from landyard_landing.blocks.templates import PageTemplate, TemplateBlock, builtin_templates

SITE = 60
PAGE = 6000
PUBLISHED = 6500
SHOWN = [template for template in builtin_templates().values() if template.blocks]
FRAMED = "ly.embed"  # asks a foreign server for its film at once
FILM = "ly.video"


@pytest.fixture(scope="session")
def pages(demo: Demo) -> None:
    """A site with a public page for each template, one of all blocks, and one of an open film."""
    film = catalogue()[FILM].content.replace("<details ", "<details open ")
    pages = [
        *map(_page, builtin_templates().values()),
        {"code": "all", "blocks": [{"code": code} for code in catalogue() if code != FRAMED]},
        {"code": "film", "blocks": [{"code": FILM, "content": film}]},
    ]
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
def test_H4_a_page_of_a_template_is_whole_under_its_policy(
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
def test_H4_every_block_is_whole_as_it_comes(visitor: Visitor, tmp_path: Path, width: int) -> None:
    visit = visitor.visit("/templates/all/", width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    assert [(page.overflow, page.broken) for page in visit.measured.values()] == [(0, []), (0, [])]


@pytest.mark.usefixtures("pages")
def test_H3_a_film_is_asked_for_when_its_cover_is_open(visitor: Visitor) -> None:
    """What the test above is worth: its film is the same, behind a cover."""
    visit = visitor.visit("/templates/film/", schemes=("light",))

    assert visit.foreign == ["https://video.example/embed/film"]


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
