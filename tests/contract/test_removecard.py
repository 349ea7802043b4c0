"""`landing.block.removecard`: parameters and refusals (contract 4.5; C1, C9).

Whatever is refused leaves every table as it was.
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.cards import DRAFT, MANIFEST, PUBLISHED, card_block, many_cards
from contract.rules import rows
from contract.worlds import (
    CALLERS,
    NO_BLOCK,
    NO_PAGE,
    OUTSIDER,
    PAGE,
    STRANGER,
    VIEWER,
    as_user,
    draft_html,
    everything,
    find,
    page,
    site,
    world,
)

METHOD = "landing.block.removecard"


WORLD = world(
    page(
        PAGE,
        card_block(DRAFT, published_id=PUBLISHED, params={"a:b": {"c": 1}}),
        card_block(101, deleted=True),
        card_block(102, code="nobody.knows"),
        active=True,
        published=True,
    ),
    page(11, card_block(110)),
    page(12, card_block(120), deleted=True),
    page(20, card_block(130), site=8),
    sites=[site(8, type="KNOWLEDGE")],
    manifests=[MANIFEST],
    users=CALLERS,
)


OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "selector": ".card@1"}

NO_SELECTOR: list[Any] = [0, 7, 1.5, True, [], {}, [".card@0"], {".card": 0}, ""]

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "MISSING_PARAMS"),
    ({"lid": PAGE}, "MISSING_PARAMS"),
    (OF_BLOCK, "MISSING_PARAMS"),
    ({"block": DRAFT, "selector": ".card@0"}, "MISSING_PARAMS"),
    *((EVERY | {name: None}, "MISSING_PARAMS") for name in EVERY),
    ({"lid": "x", "block": []}, "MISSING_PARAMS"),
    (EVERY | {"lid": []}, "MISSING_PARAMS"),  # C7
    # C9: an unusable id names nothing
    *((EVERY | {"lid": bad}, "LANDING_NOT_EXIST") for bad in NO_PAGE),
    *((EVERY | {"block": bad}, "BLOCK_NOT_FOUND") for bad in NO_BLOCK),
    ({"lid": "x", "block": "x", "selector": 7}, "LANDING_NOT_EXIST"),
    ({"lid": PAGE, "block": "x", "selector": 7}, "BLOCK_NOT_FOUND"),
    (EVERY | {"lid": 12, "block": 120}, "LANDING_NOT_EXIST"),
    (EVERY | {"lid": 20, "block": 130}, "LANDING_NOT_EXIST"),
    (EVERY | {"scope": "GROUP"}, "LANDING_NOT_EXIST"),
    # B2: another page's, published, marked deleted
    (EVERY | {"block": 110}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (EVERY | {"block": 101}, "BLOCK_NOT_FOUND"),
    # C9: an unusable selector
    *((EVERY | {"selector": bad}, "CARD_NOT_FOUND") for bad in NO_SELECTOR),
    # 4.5: no position, not among the cards, none found, out of range
    *(
        (EVERY | {"selector": bad}, "CARD_NOT_FOUND")
        for bad in (
            *(".card", ".card#0", ".card[0]", "card@0", ".CARD@0", " .card@0", ".card @0"),
            *(".text@0", ".other@0", ".big@0", ".unknown@0", "div@0", "*@0", ".card, .other@0"),
            *("@", "@0", "@@0", ".card@0@1", ".card@0@", "section@0", ".landing-block@0"),
            *(".absent@0", ".absent@", ".bro[ken@0", "#block100@0"),
            *(".card@3", ".card@4", ".card@99999999999999999999", ".inline@2", ".outer@2"),
        )
    ),
    (EVERY | {"block": 102}, "CARD_NOT_FOUND"),
]

BY_OTHERS: list[tuple[int, dict[str, Any], str]] = [
    # C1: all entities are looked up before the right is checked, the selector is judged after it
    (VIEWER, EVERY, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"selector": ".unknown"}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"selector": 7}, "ACCESS_DENIED"),
    (VIEWER, EVERY | {"block": 999}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"block": PUBLISHED}, "BLOCK_NOT_FOUND"),
    (VIEWER, EVERY | {"lid": 99, "block": 999}, "LANDING_NOT_EXIST"),
    (STRANGER, EVERY, "LANDING_NOT_EXIST"),
    (STRANGER, EVERY | {"block": 999}, "LANDING_NOT_EXIST"),
    # R1: before any entity is looked up, behind the parameters
    (OUTSIDER, EVERY, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"lid": 99}, "ACCESS_DENIED"),
    (OUTSIDER, EVERY | {"block": 999, "selector": 7}, "ACCESS_DENIED"),
    (OUTSIDER, OF_BLOCK, "MISSING_PARAMS"),
]


@pytest.mark.rule(
    "C1", "C5", "C7", "C9", "B2", "R5", "R6", *rows(METHOD, "lid block selector scope")
)
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS LANDING_NOT_EXIST BLOCK_NOT_FOUND CARD_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [(params, service.call(METHOD, params)) for params, _ in REFUSED]

    assert [(params, answer.error) for params, answer in answers] == REFUSED
    assert {answer.status for _, answer in answers} == {400}
    assert everything(service) == before


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", f"{METHOD} ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)
    before = everything(service)

    answers = [
        (who, params, service.call(METHOD, params, **as_user(who))) for who, params, _ in BY_OTHERS
    ]

    assert [(who, params, answer.error) for who, params, answer in answers] == BY_OTHERS
    assert everything(service) == before


@pytest.mark.rule("C8", f"{METHOD} MISSING_PARAMS")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C8_the_text_names_what_is_missing(make_service: MakeService) -> None:
    answer = make_service().call(METHOD, {"block": 1})

    text = "Not enough call parameters, missing: lid, selector"
    assert answer.body["error_description"] == text


ACCEPTED: list[dict[str, Any]] = [
    {"lid": str(PAGE), "block": float(DRAFT)},
    {"scope": None, "order": {"x": 1}},
    {"scope": "page"},
    {"scope": ["GROUP"]},  # C9: an unusable optional parameter is an absent one
]


@pytest.mark.rule("C4", "C5", "C7", "C9", *rows(METHOD, "lid block scope result"))
def test_4_5_accepted_spellings_answer_true(make_service: MakeService) -> None:
    service = make_service(world=many_cards(9))

    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)
    assert len(find(draft_html(service), ".card")) == 9 - len(ACCEPTED)
