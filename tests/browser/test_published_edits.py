"""An edit on its way to a visitor: through the webhook into the draft, and out by publishing."""

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.serving import landyard

PAGE, BLOCK = 10, 105
TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
NEW = "Grown, not made"


@pytest.mark.rule("B1", "state: draft edit")
def test_3_an_edit_is_visible_once_it_is_published(demo: Demo, visitor: Visitor) -> None:
    rich = "<p>Larch <em>and</em> <a href='/demo/visit/'>oak</a></p>"
    answer = demo.call(
        "landing.block.updatenodes", lid=PAGE, block=BLOCK, data={TITLE: NEW, TEXT: rich}
    )
    draft = _text(visitor)
    landyard(demo.data, "page", "publish", str(PAGE))
    published = _text(visitor)

    assert answer["result"] is True
    assert (NEW in draft, NEW in published) == (False, True)
    assert "Larch and oak" in published


def _text(visitor: Visitor) -> str:
    return visitor.visit("/demo/", schemes=("light",)).measured["light"].text
