"""Hostile values in nodes, sent by calls and opened by a visitor (H1, H3, H4)."""

import httpx
import pytest
from browser.conftest import Demo
from browser.payloads import PAYLOADS, alive, framed
from browser.visiting import Visitor
from browser.visits import Raw, Visit, without_framing
from clients.serving import load

PAGE = 5000
PATH = "/hostile/"
FIRST_BLOCK = 5100
PLAYER_BLOCK = 5099
PLAYER = "https://player.example/tour"
FRAME = f"iframe[src='{PLAYER}']"
# A foreign player that redirects the whole tab at the first click.
HIJACKER = {
    PLAYER: Raw("<body onclick=\"top.location='https://evil.example/'\" style='height:100vh'>")
}
CARELESS = {it.number: it.careless for it in PAYLOADS}


@pytest.fixture(scope="session")
def answers(demo: Demo) -> dict[int, str | None]:
    """The answers to the attacks; the published page has a block for each payload."""
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
    """The attacked page, provoked while the policy stops nothing: the HTML must be safe by
    itself.
    """
    return visitor.visit(PATH, provoke=True, loosely=True)


@pytest.fixture(scope="session")
def careless(visitor: Visitor) -> Visit:
    """The same payloads in the pages of a careless service."""
    return visitor.visit("/careless", provoke=True, raw=framed(CARELESS))


def test_H1_payloads_run_where_they_are_not_cleaned(careless: Visit) -> None:
    """Proves that the next tests can fail."""
    assert [it for it in PAYLOADS if it.number not in alive(careless)] == []
    assert len(careless.dialogs) > len(PAYLOADS) / 2


@pytest.mark.parametrize("text", ["<script>ran(1)</script>", "<img src=x onerror=ran(1)>"])
def test_H4_a_report_only_policy_stops_nothing_and_reports_violations(
    visitor: Visitor, text: str
) -> None:
    """Proves that one visit is enough for both tests."""
    raw = {"/told": Raw(text, "default-src 'none'")}

    visit = visitor.visit("/told", provoke=True, raw=raw, loosely=True)

    assert set(visit.ran) == {1}
    assert any(each.startswith("script-src") for each in visit.violations)


@pytest.mark.rule("H1")
def test_H1_payloads_are_inert_without_the_policy(attacked: Visit) -> None:
    assert [it for it in PAYLOADS if it.number in alive(attacked)] == []


@pytest.mark.rule("H3", "landing.block.updatenodes TYPE_ERROR")
def test_H3_refused_addresses_are_TYPE_ERROR(answers: dict[int, str | None]) -> None:
    assert answers == {it.number: "TYPE_ERROR" if it.refused else None for it in PAYLOADS}


@pytest.mark.rule("H1")
def test_H1_nothing_happens_to_a_visitor(demo: Demo, attacked: Visit) -> None:
    assert (attacked.ran, attacked.dialogs, attacked.violations) == ([], [], [])
    assert attacked.went == [demo.base + PATH]
    assert not [address for address in attacked.foreign if "evil.example" in address]


@pytest.mark.rule("H4")
def test_H4_the_policy_alone_runs_no_script(demo: Demo, visitor: Visitor) -> None:
    policy = httpx.get(f"{demo.base}/demo/").headers["Content-Security-Policy"]

    # Every payload is in a frame.
    raw = framed(CARELESS, without_framing(policy))
    visit = visitor.visit("/careless", provoke=True, raw=raw)

    assert (visit.ran, visit.dialogs) == ([], [])
    assert {"script-src-elem inline", "script-src-attr inline"} <= set(visit.violations)


@pytest.mark.rule("H3")
def test_H3_a_frame_cannot_redirect_the_page(
    demo: Demo, visitor: Visitor, answers: dict[int, str | None]
) -> None:
    visit = visitor.visit(PATH, click=FRAME, raw=HIJACKER, without_policy=True)

    assert visit.went == [demo.base + PATH]


def test_H3_a_frame_without_a_sandbox_can_redirect_the_page(demo: Demo, visitor: Visitor) -> None:
    """Proves that the test above can fail."""
    page = Raw(f"<iframe src='{PLAYER}'></iframe>")

    visit = visitor.visit("/careless", click=FRAME, raw={**HIJACKER, "/careless": page})

    assert visit.went == [f"{demo.base}/careless", "https://evil.example/"]


def _update(demo: Demo, block: int, data: object) -> str | None:
    """Update nodes of a block; return the error's code, or None."""
    answer = demo.call("landing.block.updatenodes", lid=PAGE, block=block, data=data)
    return answer.get("error")
