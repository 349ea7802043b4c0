"""A site for each theme, with a page for each page of every template and for the block types."""

import itertools
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from browser.conftest import Demo
from browser.test_catalogue_blocks import TONES
from browser.test_templates import FRAMED, _page
from clients.serving import load
from plugins.catalogue.shipped import PAGES, TYPES, layouts_of

from landyard_content.blocks.blocktypes import BlockType, catalogue
from landyard_content.pages.templates import builtin_templates
from landyard_forms import register_records

THEMES = ("harbour", "folio", "studio", "bench")
TEMPLATES = {
    code.replace("/", "-").replace(".", "-"): template
    for code, template in {**builtin_templates(), **PAGES}.items()
    if template.blocks
}
"""Pages of templates by the last part of their addresses: built-in ones, then those of a plugin."""
(FORM,) = cast("list[BlockType]", register_records())
KINDS = {**TYPES, FORM.code: FORM}
TONED = tuple(f"site-{tone}" for tone in TONES)
SHOWN = (*TEMPLATES, "all", "white", *TONED)
"""All pages of a themed site: `all` has the built-in blocks, `site-…` those of a plugin in that
tone.
"""
SITE = 700
FIRST = 300_000  # far from the ids of other tests on the same service
WHITE = "data:image/gif;base64,R0lGODdhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs="


@pytest.fixture(scope="session")
def themed(demo: Demo) -> None:
    """Two sites for each theme; the second is right to left."""
    ids = itertools.count(FIRST)
    sites, pages = [], []
    for site, (theme, language) in enumerate(itertools.product(THEMES, ("en", "ar")), SITE):
        code = theme if language == "en" else f"{theme}-{language}"
        sites.append({"id": site, "code": code, "theme": theme, "language": language})
        for page in _pages():
            blocks = [{**block, "published_id": next(ids)} for block in page["blocks"]]
            public = {"site": site, "active": True, "published": True}
            pages.append({"id": next(ids), **public, **page, "blocks": blocks})
    load(demo.data, {"sites": sites, "pages": pages})


def _pages() -> Iterator[dict[str, Any]]:
    for code, template in TEMPLATES.items():
        yield {**_page(template), "code": code}
    whole = [{"code": code} for code in catalogue() if code != FRAMED]
    yield {"code": "all", "title": "All", "blocks": whole}
    white = re.sub(r"url\('[^']+'\)", f"url('{WHITE}')", catalogue()["ly.cover"].content)
    yield {"code": "white", "blocks": [{"code": "ly.cover", "content": white}]}
    for turn, tone in enumerate(TONES):
        yield {"code": f"site-{tone}", "title": tone, "blocks": [*_toned(tone, turn)]}


def _toned(tone: str, turn: int) -> Iterator[dict[str, Any]]:
    """Each block type in a tone; together the pages of all tones contain up to 3 of its layouts."""
    for code, kind in KINDS.items():
        offered = layouts_of(kind)
        html = kind.content
        layout = offered[turn % len(offered)]
        html = re.sub(r'data-layout="\w+"', f'data-layout="{layout}"', html, count=1)
        html = re.sub(r'data-tone="\w+"', f'data-tone="{tone}"', html, count=1)
        yield {"code": code, "content": html}
