"""Hostile values, sent through the front door and opened by a visitor (H1, H3, H4)."""

import httpx
import pytest
from browser.conftest import Demo
from browser.payloads import PAYLOADS, Payload, alive, framed
from browser.visiting import Visitor
from browser.visits import Raw, Visit
from clients.serving import load

PAGE = 5000
PATH = "/hostile/"
FIRST_BLOCK = 5100
PLAYER_BLOCK = 5099
PLAYER = "https://player.example/tour"
FRAME = f"iframe[src='{PLAYER}']"
# A foreign player that leads the whole tab away at the first click.
HIJACKER = {
    PLAYER: Raw("<body onclick=\"top.location='https://evil.example/'\" style='height:100vh'>")
}
CARELESS = {it.number: it.careless for it in PAYLOADS}

each_payload = pytest.mark.parametrize(
    "payload", PAYLOADS, ids=[f"{it.number}-{it.place}" for it in PAYLOADS]
)


@pytest.fixture(scope="session")
def answers(demo: Demo) -> dict[int, str | None]:
    """A published page with a block for each payload: what the attacks were answered."""
    blocks = [{"id": FIRST_BLOCK + it.number, "code": it.code} for it in PAYLOADS]
    player = {"id": PLAYER_BLOCK, "code": "ly.embed"}
    page = {"id": PAGE, "site": 50, "code": "hostile", "title": "Hostile"}
    site = {"id": 50, "code": "hostile", "type": "PAGE", "title": "Hostile", "main_page": PAGE}
    load(demo.data, {"sites": [site], "pages": [{**page, "blocks": [player, *blocks]}]})
    answers = {it.number: _update(demo, FIRST_BLOCK + it.number, it.data) for it in PAYLOADS}
    assert _update(demo, PLAYER_BLOCK, {".landing-block-node-embed": {"src": PLAYER}}) is None
    demo.publish(PAGE)
    return answers


@pytest.fixture(scope="session")
def attacked(visitor: Visitor, answers: dict[int, str | None]) -> Visit:
    """The attacked page, provoked without its Content-Security-Policy: the HTML has to be safe."""
    return visitor.visit(PATH, provoke=True, without_policy=True)


@pytest.fixture(scope="session")
def careless(visitor: Visitor) -> Visit:
    """The same payloads in the pages of a careless service."""
    return visitor.visit("/careless", provoke=True, raw=framed(CARELESS))


@each_payload
def test_H1_a_payload_is_alive_where_nobody_cleans_it(payload: Payload, careless: Visit) -> None:
    """What the next test is worth."""
    assert payload.number in alive(careless)


@pytest.mark.rule("H1")
@each_payload
def test_H1_a_payload_is_inert_without_the_policy(payload: Payload, attacked: Visit) -> None:
    assert payload.number not in alive(attacked)


@pytest.mark.rule("H3", "landing.block.updatenodes TYPE_ERROR")
@each_payload
def test_H3_refused_addresses_are_TYPE_ERROR(
    payload: Payload, answers: dict[int, str | None]
) -> None:
    assert answers[payload.number] == ("TYPE_ERROR" if payload.refused else None)


@pytest.mark.rule("H1")
@pytest.mark.parametrize("without_policy", [False, True])
def test_H1_nothing_happens_to_a_visitor(
    demo: Demo, visitor: Visitor, answers: dict[int, str | None], without_policy: bool
) -> None:
    visit = visitor.visit(PATH, provoke=True, without_policy=without_policy)

    assert (visit.ran, visit.dialogs, visit.violations) == ([], [], [])
    assert visit.went == [demo.base + PATH]
    assert not [address for address in visit.foreign if "evil.example" in address]


@pytest.mark.rule("H4")
def test_H4_the_policy_alone_runs_no_script(demo: Demo, visitor: Visitor) -> None:
    policy = httpx.get(f"{demo.base}/demo/").headers["Content-Security-Policy"]
    # But for who may frame the page: here every payload is in a frame.
    rules = [rule for rule in policy.split(";") if "frame-ancestors" not in rule]

    visit = visitor.visit("/careless", provoke=True, raw=framed(CARELESS, ";".join(rules)))

    assert (visit.ran, visit.dialogs) == ([], [])
    assert {"script-src-elem inline", "script-src-attr inline"} <= set(visit.violations)


@pytest.mark.rule("H3")
def test_H3_a_frame_cannot_lead_the_page_away(
    demo: Demo, visitor: Visitor, answers: dict[int, str | None]
) -> None:
    visit = visitor.visit(PATH, click=FRAME, raw=HIJACKER, without_policy=True)

    assert visit.went == [demo.base + PATH]


def test_H3_a_frame_without_a_sandbox_could(demo: Demo, visitor: Visitor) -> None:
    """What the test above is worth."""
    page = Raw(f"<iframe src='{PLAYER}'></iframe>")

    visit = visitor.visit("/careless", click=FRAME, raw={**HIJACKER, "/careless": page})

    assert visit.went == [f"{demo.base}/careless", "https://evil.example/"]


def _update(demo: Demo, block: int, data: object) -> str | None:
    """Update nodes of a block; the error's code, or None where there is none."""
    answer = demo.call("landing.block.updatenodes", lid=PAGE, block=block, data=data)
    return answer.get("error")
