"""Hostile texts in every field of a site's theme: nothing runs and no foreign host is asked."""

import json
from collections.abc import Mapping

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from clients.serving import load
from plugins.public.themes.hostile import HOSTILE
from sqlalchemy import text

from landyard import Kernel, Settings
from landyard_public.themes.tokens import NAMES

FIRST = 300
FEW = (4, 7, 8, 9)  # every run tests these; `make soak` tests the others
FIELDS = ("LOGO_PICTURE", "FAVICON_PICTURE", "METAOG_IMAGE")


@pytest.fixture(scope="module")
def hostile(demo: Demo) -> Mapping[int, str]:
    """A site for each text, with the text in every field, written past all checks; their paths."""
    sites, pages = [], []
    for number, value in enumerate(HOSTILE):
        site = FIRST + number
        fields = dict.fromkeys(FIELDS, value)
        sites.append({"id": site, "code": f"hostile{number}", "additional_fields": fields})
        blocks = [
            {"code": code, "published_id": 9000 + 10 * number + place}
            for place, code in enumerate(("ly.menu", "ly.cover", "ly.cards"))
        ]
        shown = {"active": True, "published": True, "code": "home"}
        pages.append({"id": 900_000 + number, "site": site, **shown, "blocks": blocks})
    load(demo.data, {"sites": sites, "pages": pages})
    kernel = Kernel(Settings(data=demo.data))
    save = text("UPDATE landing_site SET theme_tokens = :tokens WHERE id = :site")
    with kernel.store.session(writes=True) as session:
        for number, value in enumerate(HOSTILE):
            tokens = json.dumps({**dict.fromkeys(NAMES, value), value: value})
            session.execute(save, {"tokens": tokens, "site": FIRST + number})
    kernel.close()
    return {number: f"/hostile{number}/home/" for number in range(len(HOSTILE))}


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=() if number in FEW else pytest.mark.soak)
        for number in range(len(HOSTILE))
    ],
)
def test_H4_a_hostile_theme_does_no_harm(
    visitor: Visitor, hostile: Mapping[int, str], number: int
) -> None:
    """Also while the page's policy stops nothing, because the written HTML must be safe."""
    visit = visitor.visit(hostile[number], provoke=True, loosely=True, schemes=("light", "dark"))

    assert (visit.ran, visit.dialogs, visit.foreign) == ([], [], [])
    assert [page.overflow for page in visit.measured.values()] == [0, 0]
