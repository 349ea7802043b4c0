"""Hostile texts in blocks that are rewritten for visitors: none runs, not even as a label."""

import itertools
from html import escape
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser.conftest import Demo
from browser.payloads import alive
from browser.visiting import Visitor
from clients.serving import load
from plugins.catalogue.shipped import TYPES
from plugins.html.hostile_texts import OF_A_BLOCK, TEXTS, Hostile

SITE = 63
FIRST = 7900
PUBLISHED = 100_000
# The places for a text: the original text of the block's HTML, and whether it is an attribute.
PLACES = {
    "site.header": ('data-open="Menu"', ">First<"),
    "site.gallery": ('alt="A flat punt among reeds at dusk"', ">Among reeds<"),
    "site.film": ('aria-label="Film"', ">See it done<"),
    "site.tabs": ('data-layout="above"', ">The first<"),
}


@pytest.fixture(scope="session")
def pages(demo: Demo) -> None:
    """A page for each block type, with a block for each text."""
    copies = itertools.count(PUBLISHED)

    def block(code: str, text: Hostile) -> dict[str, Any]:
        attribute, inside = PLACES[code]
        name = attribute.partition("=")[0]
        html = TYPES[code].content
        assert attribute in html
        assert inside in html
        html = html.replace(attribute, f'{name}="{escape(text.html)}"', 1)
        html = html.replace(inside, f">{text.html}<", 1)
        return {"code": code, "content": html, "published_id": next(copies)}

    # A world file contains no NUL; test_hostile_texts covers calls with one.
    usable = [text for text in TEXTS if text.name not in OF_A_BLOCK]
    texts = [text for text in usable if "\0" not in text.html]
    rows = [
        {
            "id": FIRST + number,
            "site": SITE,
            "code": code.replace(".", "-"),
            "active": True,
            "published": True,
            "blocks": [block(code, text) for text in texts],
        }
        for number, code in enumerate(PLACES)
    ]
    load(demo.data, {"sites": [{"id": SITE, "code": "bad"}], "pages": rows})


@pytest.mark.soak
@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("code", PLACES)
def test_H1_no_text_runs_in_a_rewritten_block(visitor: Visitor, code: str) -> None:
    """The test provokes events while the policy stops nothing, so the HTML must be safe by
    itself.
    """
    visit = visitor.visit(f"/bad/{code.replace('.', '-')}/", provoke=True, loosely=True)

    assert alive(visit) == set()
    assert (visit.ran, visit.dialogs) == ([], [])
    assert "evil.example" not in {urlsplit(address).hostname for address in visit.asked}
