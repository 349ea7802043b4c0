"""Hostile values, sent through the front door and opened by a visitor (H1, H3, H4)."""

import httpx
import pytest
from browser.conftest import Demo
from browser.payloads import PAYLOADS, Payload
from browser.visiting import Raw, Visit, Visitor
from clients.serving import load

PAGE = 5000
PATH = "/hostile/"
FIRST_BLOCK = 5100
PLAYER = "https://player.example/tour"

each_payload = pytest.mark.parametrize(
    "payload", PAYLOADS, ids=[f"{it.number}-{it.place}" for it in PAYLOADS]
)


@pytest.fixture(scope="session")
def answers(demo: Demo) -> dict[int, str | None]:
    """A page with a block for each payload, attacked and published: errors by number."""
    blocks = [{"id": FIRST_BLOCK + it.number, "code": it.code} for it in PAYLOADS]
    page = {"id": PAGE, "site": 50, "code": "hostile", "title": "Hostile", "active": True}
    site = {"id": 50, "code": "hostile", "type": "PAGE", "title": "Hostile", "main_page": PAGE}
    load(demo.data, {"sites": [site], "pages": [{**page, "blocks": blocks}]})
    answers = {
        payload.number: demo.call(
            "landing.block.updatenodes",
            lid=PAGE, block=FIRST_BLOCK + payload.number, data=payload.data,
        ).get("error")
        for payload in PAYLOADS
    }  # fmt: skip
    demo.publish(PAGE)
    return answers


@pytest.fixture(scope="session")
def attacked(visitor: Visitor, answers: dict[int, str | None]) -> Visit:
    """The attacked page, provoked without its Content-Security-Policy: the HTML itself is safe."""
    return visitor.visit(PATH, provoke=True, without_policy=True)


@pytest.fixture(scope="session")
def careless(visitor: Visitor) -> Visit:
    return visitor.visit("/careless", provoke=True, raw=_careless(None))


@each_payload
def test_H1_a_payload_is_alive_where_nobody_cleans_it(payload: Payload, careless: Visit) -> None:
    """The proof that the tests below could fail."""
    assert payload.number in _alive(careless)


@each_payload
def test_H3_a_refused_address_is_TYPE_ERROR(
    payload: Payload, answers: dict[int, str | None]
) -> None:
    assert answers[payload.number] == ("TYPE_ERROR" if payload.refused else None)


@each_payload
def test_H1_a_payload_is_inert(payload: Payload, attacked: Visit) -> None:
    assert payload.number not in _alive(attacked)
