"""A site made only by calls, as visitors see it: narrow and wide, light and dark."""

import base64
import io
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.brackets import query
from PIL import Image

BLOCK, PAGE, SITE = "landing.block", "landing.landing", "landing.site"
TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
PICTURE, CAPTION = ".landing-block-node-img", ".landing-block-node-caption"
QUOTE, AUTHOR = ".landing-block-node-quote", ".landing-block-node-author"
LONG = "Wharf-side weatherboarding, hand-planed & thrice-tarred, from larch of the upper valley"
WIDTH, HEIGHT = 1200, 800


@pytest.fixture(scope="module")
def path(demo: Demo) -> str:
    """Make the site and publish its page; return the path of the page."""

    def call(method: str, **params: Any) -> Any:
        answer = demo.call(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    site = call(f"{SITE}.add", fields={"TITLE": "Wharf & Sons", "CODE": "wharf"})
    folder = call(f"{SITE}.addFolder", siteId=site, fields={"TITLE": "Work", "CODE": "work"})
    fields = {"TITLE": "Weatherboarding", "FOLDER_ID": folder}
    named = {"CODE": "weatherboarding", "ADDITIONAL_FIELDS": {"METAMAIN_TITLE": "Boards & tar"}}
    page = call(f"{PAGE}.addByTemplate", siteId=site, code="portfolio", fields=fields)
    draft = {
        block["code"]: block["id"]
        for block in call(f"{BLOCK}.getlist", lid=page, params={"edit_mode": True})
    }
    after = {"CODE": "ly.text_picture", "AFTER_ID": draft["ly.cover"]}
    shown = call(f"{PAGE}.addblock", lid=page, fields=after)
    picture = ["weather boards.png", base64.b64encode(_picture()).decode()]
    src = call(f"{BLOCK}.uploadfile", block=shown, picture=picture)["src"]
    nodes = {
        TITLE: LONG,
        TEXT: "<p>Twelve coats in <em>twelve</em> years; see <a href='/demo/'>how</a>.</p>",
        PICTURE: {"src": src, "alt": "Dark boards in a low sun"},
        CAPTION: "The north wall",
    }
    assert call(f"{BLOCK}.updatenodes", lid=page, block=shown, data=nodes) is True
    made = {"lid": page, "block": "$result[quote]"}
    place = {"CODE": "ly.quote", "AFTER_ID": draft["ly.gallery"]}
    words = {QUOTE: "It has not let a drop in.", AUTHOR: "A neighbour, in March"}
    came = call(
        "batch",
        cmd={
            "quote": f"{PAGE}.addblock?" + query({"lid": page, "fields": place}),
            "words": f"{BLOCK}.updatenodes?" + query({**made, "data": words}),
            "moved": f"{PAGE}.downblock?" + query(made),
            "clone": f"{BLOCK}.clonecard?"
            + query({"lid": page, "block": draft["ly.steps"], "selector": ".landing-block-card@0"}),
        },
    )
    assert came["result_error"] == []
    assert call(f"{PAGE}.update", lid=page, fields=named) is True
    assert call(f"{PAGE}.publication", lid=page) is True
    address: str = call(f"{PAGE}.getpublicurl", lid=page)
    return urlsplit(address).path


@pytest.mark.rule("H4")
@pytest.mark.parametrize("width", [1280, 390])
def test_H4_a_page_made_by_calls_is_complete(
    demo: Demo, visitor: Visitor, tmp_path: Path, path: str, width: int
) -> None:
    """Nothing is missing, refused, loaded from elsewhere or wider than the screen."""
    visit = visitor.visit(path, width=width, schemes=("light", "dark"), shots=tmp_path)

    assert path == "/wharf/work/weatherboarding/"
    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    assert visit.went == [demo.base + path]
    for page in visit.measured.values():
        assert (page.headings, page.overflow, page.broken) == (1, 0, [])
        assert (page.title, page.pictures > 0) == ("Boards & tar", True)
        assert page.text.count("It has not let a drop in.") == 1
        assert LONG in page.text


def _picture() -> bytes:
    """Draw boards: dark stripes on a warm ground, as a PNG of three to two."""
    ground = Image.linear_gradient("L").resize((WIDTH, HEIGHT))
    boards = Image.merge("RGB", (ground, ground.point(_dimmed), ground.point(_dimmed)))
    for top in range(0, HEIGHT, HEIGHT // 10):
        boards.paste((24, 20, 18), (0, top, WIDTH, top + 8))
    written = io.BytesIO()
    boards.save(written, "PNG")
    return written.getvalue()


def _dimmed(value: int) -> int:
    return value * 2 // 3
