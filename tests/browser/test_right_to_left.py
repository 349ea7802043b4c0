"""A right-to-left site made by calls alone, with every block of the catalogue."""

from pathlib import Path

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from plugins.content.blocks.shipped import CODES

TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
WORDS = "ورشة صغيرة لبناء القوارب الخشبية على ضفة النهر"

PLACES = {"ly.menu": 0, "ly.cover": 1, "ly.footer": 3}


@pytest.fixture(scope="module")
def path(demo: Demo) -> str:
    """Make the site and publish its page; return the path of the page."""
    call = demo.result

    fields = {"TITLE": "ورشة القوارب", "CODE": "warsha", "LANG": "ar"}
    site = call("site.add", fields=fields)
    page = call("landing.add", fields={"TITLE": WORDS, "SITE_ID": site, "CODE": "kulluha"})
    block = 0
    for code in sorted(CODES, key=lambda code: PLACES.get(code, 2)):
        block = call("landing.addblock", lid=page, fields={"CODE": code, "AFTER_ID": block})
        known = call("block.getmanifest", lid=page, block=block, params={"edit_mode": True})[
            "nodes"
        ]
        words = {TITLE: WORDS, TEXT: f"<p>{WORDS}، {WORDS}.</p>"}
        own = {name: text for name, text in words.items() if name in known}
        if own:
            call("block.updatenodes", lid=page, block=block, data=own)
    call("landing.publication", lid=page)
    return "/warsha/kulluha/"


@pytest.mark.rule("H4")
@pytest.mark.parametrize("width", [1280, 390])
def test_H4_a_right_to_left_page_is_no_wider_than_the_screen(
    visitor: Visitor, tmp_path: Path, path: str, width: int
) -> None:
    visit = visitor.visit(path, width=width, schemes=("light",), shots=tmp_path)

    assert (visit.complaints, visit.violations, visit.failed) == ([], [], [])
    assert visit.measured["light"].overflow == 0
    assert WORDS in visit.measured["light"].text
