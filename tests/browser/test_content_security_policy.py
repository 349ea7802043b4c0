"""The Content-Security-Policy stops hostile HTML that the sanitiser let through (H4)."""

from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from browser.conftest import Demo
from browser.payloads import alive, framed
from browser.visiting import Visitor
from browser.visits import Raw, Visit
from clients.serving import load
from plugins.html.hostile_elements import ACTING, HANDLERS, LOADING, SCRIPTS
from plugins.html.hostile_texts import TEXTS, Hostile

from landyard import Kernel, Settings
from landyard_html.policy import POLICY_VERSION
from landyard_landing.tables import BLOCK, BLOCKS

SITE, FIRST_PAGE, FIRST_BLOCK = 95, 950_000, 970_000
# A few handlers stand for all, and a few plain texts for those that parsers read differently.
NAMES = {*SCRIPTS, *LOADING, *ACTING, *list(HANDLERS)[::4]}
SLIPPED = [text for text in TEXTS if text.name in NAMES]
# The policy stops kinds of requests, so a few of each kind show it.
SOME = {*list(SCRIPTS)[::3], *list(LOADING)[::3], *list(ACTING)[::5], *list(HANDLERS)[::16]}
SOME |= {"a plug-in", "a base for all addresses"}
NUMBERS = {text.number: text.name for text in SLIPPED}
# Browsers do these without asking any policy.
UNSTOPPABLE = {"a refreshing page": "document", "what is fetched in advance": "other"}
FRAMES = {"a frame": "document", "a frame with an open sandbox": "document"}
MAY_ASK = {**FRAMES, **UNSTOPPABLE}


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.soak)])
def texts(request: pytest.FixtureRequest) -> list[Hostile]:
    names = {*SOME, *MAY_ASK} if request.param == "some" else NAMES
    return [text for text in SLIPPED if text.name in names]


@pytest.fixture(scope="module")
def slipped(demo: Demo, visitor: Visitor, texts: list[Hostile]) -> list[Visit]:
    """Public pages whose blocks contain the texts unchanged, as if the sanitiser had let them
    through.
    """
    _slip_through(demo, texts)
    return [_visit_slipped(visitor, share) for share in _shares(texts)]


@pytest.mark.soak
def test_H1_most_texts_run_where_they_are_not_cleaned(visitor: Visitor) -> None:
    """The other texts need an old browser, or a click."""
    visits = [
        visitor.visit("/careless", provoke=True, raw=framed(_pages(share)))
        for share in _shares(SLIPPED)
    ]
    living = set().union(*map(alive, visits))

    assert len(living) > len(SLIPPED) * 0.6


@pytest.mark.rule("H4")
def test_H4_no_unsanitised_text_runs(slipped: list[Visit]) -> None:
    for visit in slipped:
        assert (visit.ran, visit.dialogs) == ([], [])
        assert len(visit.went) == 1


@pytest.mark.rule("H4")
def test_H4_unsanitised_texts_request_only_pictures_and_frames(slipped: list[Visit]) -> None:
    asked = {
        NUMBERS[int(urlsplit(url).path.strip("/"))]: kind
        for visit in slipped
        for url, kind in visit.asked.items()
        if kind not in {"image", "media"}
    }

    assert asked == MAY_ASK


@pytest.mark.rule("H4")
def test_H4_the_policy_stopped_the_unsanitised_texts(slipped: list[Visit]) -> None:
    """The texts were present, and the policy's rule stopped each kind of request."""
    stopped = {each.split()[0] for visit in slipped for each in visit.violations}

    rules = {"script-src-elem", "script-src-attr", "style-src-elem", "object-src", "base-uri"}
    assert rules <= stopped


def _shares(texts: list[Hostile]) -> list[list[Hostile]]:
    """Shares of the texts, as many as one page of frames can hold."""
    return [texts[first : first + 50] for first in range(0, len(texts), 50)]


def _slip_through(demo: Demo, texts: list[Hostile]) -> None:
    """Publish a page for each text, and then write the text into its published block."""
    pages = [
        {
            "id": FIRST_PAGE + text.number,
            "site": SITE,
            "code": f"wall-{text.number}",
            "active": True,
            "published": True,
            "blocks": [
                {
                    "id": FIRST_BLOCK + text.number,
                    "code": "wall.text",
                    "content": "x",
                    "published_id": FIRST_BLOCK + 10_000 + text.number,
                }
            ],
        }
        for text in texts
    ]
    site = {"id": SITE, "code": "wall", "title": "Wall"}
    load(demo.data, {"sites": [site], "pages": pages})
    kernel = Kernel(Settings(data=demo.data))
    with kernel.store.session(writes=True) as session:
        for text in texts:
            found = sa.update(BLOCKS).where(BLOCK.id == FIRST_BLOCK + 10_000 + text.number)
            session.execute(found.values(content=text.html, policy=POLICY_VERSION))
    kernel.close()


def _visit_slipped(visitor: Visitor, texts: list[Hostile]) -> Visit:
    frames = "".join(f"<iframe src='/wall/wall-{text.number}/'></iframe>" for text in texts)
    return visitor.visit("/walls", provoke=True, raw={"/walls": Raw(frames)}, framing=True)


def _pages(texts: list[Hostile]) -> dict[int, str]:
    return {text.number: f"<!doctype html><body><div>{text.html}</div></body>" for text in texts}
