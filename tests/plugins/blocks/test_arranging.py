"""`moveblock`, `upblock`, `downblock`, marking, showing and removing keep the order of blocks right
(B1).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import EDITOR, PAGE, as_user, everything, stored, user
from plugins.blocks.drafts import (
    FAR,
    ONE,
    OTHER,
    THREE,
    TWO,
    add,
    do,
    draft,
    ids,
    order,
    two_pages,
)

from landyard.testing import Service


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=two_pages())


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([("upblock", TWO)], [TWO, ONE, THREE]),
        ([("downblock", TWO)], [ONE, THREE, TWO]),
        ([("upblock", THREE), ("upblock", THREE)], [THREE, ONE, TWO]),
        ([("markdeletedblock", TWO), ("downblock", ONE)], [TWO, THREE, ONE]),
        ([("markdeletedblock", TWO), ("upblock", THREE)], [THREE, ONE, TWO]),
        ([("moveblock", ONE)], [TWO, THREE, ONE]),
        ([("deleteblock", TWO), ("downblock", ONE)], [THREE, ONE]),
    ],
)
def test_neighbouring_blocks_swap_places(
    service: Service, calls: list[tuple[str, int]], expected: list[int]
) -> None:
    for name, block_id in calls:
        assert do(service, name, block_id).error is None

    assert ids(service) == expected
    assert {sort % 500 for sort, _ in order(service)} == {0}


def test_the_first_block_moves_no_further_up_and_the_last_no_further_down(service: Service) -> None:
    do(service, "markdeletedblock", ONE)
    before = everything(service)

    errors = [
        do(service, name, block_id).error
        for name, block_id in (("upblock", TWO), ("downblock", THREE), ("upblock", ONE))
    ]

    assert errors == ["BLOCK_WRONG_SORT", "BLOCK_WRONG_SORT", "BLOCK_NOT_FOUND"]
    assert everything(service) == before


@pytest.mark.parametrize(
    ("after", "expected"),
    [(THREE, [TWO, THREE, ONE]), (TWO, [TWO, ONE, THREE]), (ONE, [ONE, TWO, THREE])],
)
def test_a_block_is_moved_after_another(service: Service, after: int, expected: list[int]) -> None:
    assert do(service, "moveblock", ONE, params={"AFTER_ID": after}).result == ONE
    assert ids(service) == expected


def test_a_block_moves_to_another_page_and_keeps_its_id(service: Service) -> None:
    moved = do(service, "moveblock", TWO, OTHER, params={"AFTER_ID": FAR, "RETURN_CONTENT": "Y"})

    assert (moved.result["result"], moved.result["content"]["id"]) == (True, TWO)
    assert (ids(service), ids(service, OTHER)) == ([ONE, THREE], [FAR, TWO])
    assert draft(service, TWO)["anchor"] == "here"
    entries = [(row["page_id"], row["block_id"]) for row in stored(service, "landing_history")]
    assert entries == [(PAGE, TWO), (OTHER, TWO)]
    assert len(stored(service, "landing_block", public=True)) == 1


@pytest.mark.rule("R3")
def test_R3_moving_away_needs_the_right_to_edit_there(make_service: MakeService) -> None:
    rights = {"*": ["edit"], "8": ["view"]}
    world = two_pages(
        users=[user(EDITOR, sites_access=True, rights=rights)], sites=[{"id": 8, "code": "b"}]
    )
    world["pages"][1]["site"] = 8
    service = make_service(world=world)
    before = everything(service)

    calls = [
        service.call(f"landing.landing.{name}", {"lid": lid, "block": block}, **as_user(EDITOR))
        for name, lid, block in (
            ("moveblock", PAGE, FAR),
            ("moveblock", OTHER, ONE),
            ("copyblock", OTHER, ONE),
        )
    ]

    assert [answer.error for answer in calls] == ["ACCESS_DENIED"] * 3
    assert everything(service) == before
    copied = service.call(
        "landing.landing.copyblock", {"lid": PAGE, "block": FAR}, **as_user(EDITOR)
    )
    assert copied.error is None


@pytest.mark.rule("B2")
def test_B2_only_blocks_of_the_draft_are_moved_and_marked(service: Service) -> None:
    do(service, "markdeletedblock", THREE)
    before = everything(service)
    names = ("deleteblock", "downblock", "hideblock", "moveblock", "showblock", "upblock")

    errors = {do(service, name, each).error for name in names for each in (201, THREE, 99_999)}
    errors |= {do(service, name, FAR).error for name in names if name != "moveblock"}
    errors |= {
        do(service, name, each).error
        for name in ("markdeletedblock", "markundeletedblock")
        for each in (201, FAR, 99_999)
    }

    assert errors == {"BLOCK_NOT_FOUND"}
    assert everything(service) == before


def test_an_unmarked_block_is_back_at_its_place(service: Service) -> None:
    states = []
    for name, more in (
        ("markdeletedblock", {}),
        ("markdeletedblock", {"mark": "N"}),
        ("markdeletedblock", {"preventHistory": True}),
        ("markundeletedblock", {}),
        ("markundeletedblock", {}),
        ("hideblock", {}),
        ("hideblock", {}),
        ("showblock", {}),
    ):
        assert do(service, name, TWO, **more).result is True
        row = draft(service, TWO)
        states.append((bool(row["deleted"]), bool(row["active"])))

    marked, plain, hidden = (True, True), (False, True), (False, False)
    assert states == [marked, plain, marked, plain, plain, hidden, hidden, plain]
    assert ids(service) == [ONE, TWO, THREE]
    methods = [row["method"].rpartition(".")[2] for row in stored(service, "landing_history")]
    assert methods == [
        *("markdeletedblock", "markdeletedblock", "markundeletedblock"),
        *("hideblock", "showblock"),
    ]


@pytest.mark.rule("B14")
def test_B14_concurrent_calls_give_every_block_a_place_of_its_own(service: Service) -> None:
    calls: list[Callable[[], Any]] = [partial(add, service, AFTER_ID=ONE) for _ in range(4)]
    calls += [partial(do, service, name, TWO) for name in ("upblock", "downblock") * 3]
    calls += [partial(do, service, "moveblock", each) for each in (ONE, THREE)]

    with ThreadPoolExecutor(6) as pool:
        done = [future.result() for future in [pool.submit(call) for call in calls]]

    sorts = [sort for sort, _ in order(service)]
    assert len({*sorts}) == 7
    assert {sort % 500 for sort in sorts} == {0}
    refused = {each.error for each in done if not isinstance(each, int)}
    assert refused <= {None, "BLOCK_WRONG_SORT"}


def test_two_blocks_can_move_between_two_pages_at_once(service: Service) -> None:
    calls = [
        partial(do, service, "moveblock", each, to) for each, to in ((ONE, OTHER), (FAR, PAGE))
    ]

    with ThreadPoolExecutor(2) as pool:
        done = [future.result() for future in [pool.submit(call) for call in calls]]

    assert [each.error for each in done] == [None, None]
    assert (ids(service), ids(service, OTHER)) == ([TWO, THREE, FAR], [ONE])


@pytest.mark.rule("B1")
def test_B1_publication_shows_the_new_order(service: Service) -> None:
    def shown() -> list[tuple[int, str, bool]]:
        listed = service.result("landing.block.getlist", {"lid": PAGE})
        return [(each["id"], each["code"], each["active"]) for each in listed]

    before = shown()
    added = add(service, CODE="ly.text")
    do(service, "moveblock", ONE)
    do(service, "hideblock", ONE)
    do(service, "deleteblock", THREE)
    assert shown() == before

    service.result("landing.landing.publication", {"lid": PAGE})

    codes = [(code, active) for _, code, active in shown()]
    assert codes == [("ly.text", True), ("test.all", True), ("test.all", False)]
    # the published copy keeps its id as long as its draft exists
    assert shown()[1][0] == before[0][0]
    assert ids(service) == [added, TWO, ONE]
