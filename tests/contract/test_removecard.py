"""`landing.block.removecard`: parameters and refusals (contract 4.5; C1, C9).

A refused call leaves every table as it was.
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.cards import DRAFT, MANIFEST, card_block, many_cards
from contract.rules import rows
from contract.worlds import (
    PAGE,
    draft_html,
    find,
    guarded_world,
    need_refused,
)
from corpora import read_cases

METHOD = "landing.block.removecard"

WORLD = guarded_world(card_block, {"a:b": {"c": 1}}, [MANIFEST])


OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "selector": ".card@1"}

REFUSED = read_cases(__file__, "REFUSED", tuple[dict[str, Any], str])

BY_OTHERS = read_cases(__file__, "BY_OTHERS", tuple[int, dict[str, Any], str])


@pytest.mark.rule(
    "C1", "C5", "C7", "C9", "B2", "R5", "R6", *rows(METHOD, "lid block selector scope")
)
@pytest.mark.rule(*rows(METHOD, "MISSING_PARAMS LANDING_NOT_EXIST BLOCK_NOT_FOUND CARD_NOT_FOUND"))
def test_C1_refused_calls_of_an_admin_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, [(1, *case) for case in REFUSED])


@pytest.mark.rule("C1", "R1", "R2", "R3", "B2", f"{METHOD} ACCESS_DENIED")
def test_C1_refused_calls_of_others_write_nothing(make_service: MakeService) -> None:
    service = make_service(world=WORLD, raise_crashes=False)

    need_refused(service, METHOD, BY_OTHERS)


@pytest.mark.rule("C8", f"{METHOD} MISSING_PARAMS")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C8_the_text_names_what_is_missing(make_service: MakeService) -> None:
    answer = make_service().call(METHOD, {"block": 1})

    text = "Not enough call parameters, missing: lid, selector"
    assert answer.body["error_description"] == text


@pytest.mark.rule(f"{METHOD} CARD_NOT_FOUND")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_4_5_a_card_that_is_not_found_names_those_that_the_block_has(
    make_service: MakeService,
) -> None:
    answer = make_service(world=WORLD).call(METHOD, EVERY | {"selector": ".crad@0"})

    assert answer.error == "CARD_NOT_FOUND"
    assert ".card, " in answer.body["error_description"]


ACCEPTED: list[dict[str, Any]] = [
    {"lid": str(PAGE), "block": float(DRAFT)},
    {"scope": None, "order": {"x": 1}},
    {"scope": "page"},
    {"scope": ["GROUP"]},  # C9: an unusable optional parameter counts as absent
]


@pytest.mark.rule("C4", "C5", "C7", "C9", *rows(METHOD, "lid block scope result"))
def test_4_5_accepted_spellings_answer_true(make_service: MakeService) -> None:
    service = make_service(world=many_cards(9))

    results = [service.result(METHOD, EVERY | more) for more in ACCEPTED]

    assert results == [True] * len(ACCEPTED)
    assert len(find(draft_html(service), ".card")) == 9 - len(ACCEPTED)
