"""`landing.landing.history.*` undoes and redoes changes of a draft (B14)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import PAGE, everything
from plugins.blocks.drafts import FAR, ONE, OTHER, THREE, TWO, add, do, drafts, ids, two_pages

from landyard.testing import Service

LIST, UNDO, REDO = (f"landing.landing.history.{name}" for name in ("getList", "undo", "redo"))


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=two_pages())


def step(service: Service, method: str, page_id: int = PAGE) -> Any:
    return service.result(method, {"lid": page_id})


def edit_much(service: Service) -> None:
    """Make one change of every kind that an entry can record, each based on the one before."""
    first = add(service)
    do(service, "downblock", ONE)
    do(service, "updatenodes", ONE, data={".title": "New"})
    do(service, "hideblock", TWO)
    do(service, "moveblock", first)
    do(service, "markdeletedblock", THREE)
    add(service, AFTER_ID=TWO)
    do(service, "updatecontent", TWO, content="<p>all of it</p>")
    do(service, "copyblock", TWO)
    do(service, "deleteblock", TWO)
    do(service, "markundeletedblock", THREE)
    do(service, "showblock", ONE)  # it is shown already, so there is no entry
    do(service, "moveblock", THREE, params={"AFTER_ID": first})


@pytest.mark.rule("B14")
def test_B14_every_kind_of_change_is_undone_and_redone(service: Service) -> None:
    states = [drafts(service)]
    edit_much(service)
    end = drafts(service)

    taken = [step(service, UNDO) for _ in range(13)]
    assert drafts(service) == states[0]
    redone = [step(service, REDO) for _ in range(13)]

    assert drafts(service) == end
    assert taken == [*range(12, 0, -1), None]
    assert redone == [*range(1, 13), None]


@pytest.mark.rule("B14")
def test_B14_a_block_that_moved_to_another_page_is_moved_back(service: Service) -> None:
    before = drafts(service)
    do(service, "moveblock", ONE, OTHER)
    after = drafts(service)

    assert service.call(UNDO, {"lid": PAGE}).error == "HISTORY_CONFLICT"  # the block is elsewhere
    step(service, UNDO, OTHER)
    step(service, UNDO, PAGE)
    assert drafts(service) == before
    step(service, REDO, PAGE)
    step(service, REDO, OTHER)

    assert drafts(service) == after


@pytest.mark.parametrize(
    ("name", "aside", "more"),
    [
        ("hideblock", ("markdeletedblock", ONE), {}),
        ("downblock", ("upblock", ONE), {}),
        ("downblock", ("downblock", TWO), {}),
        ("moveblock", ("updatenodes", ONE), {"data": {".title": "x"}}),
    ],
)
def test_changes_outside_of_the_history_are_not_lost(
    service: Service, name: str, aside: tuple[str, int], more: dict[str, Any]
) -> None:
    added = add(service, AFTER_ID=THREE)
    step(service, UNDO)
    do(service, name, ONE)
    assert do(service, *aside, preventHistory=True, **more).error is None
    before = everything(service)

    error = service.call(UNDO, {"lid": PAGE}).error

    # Undoing a move does not depend on the block's content.
    assert error == (None if more else "HISTORY_CONFLICT")
    assert (everything(service) == before) is not bool(more)
    assert added not in ids(service)


def test_an_added_block_that_was_edited_outside_of_the_history_stays(service: Service) -> None:
    added = add(service)
    do(service, "updatecontent", added, content="<p>x</p>", preventHistory=True)

    assert service.call(UNDO, {"lid": PAGE}).error == "HISTORY_CONFLICT"
    assert ids(service)[0] == added


def test_an_undone_edit_is_not_redone_on_a_block_that_moved_away(service: Service) -> None:
    do(service, "hideblock", ONE)
    step(service, UNDO)
    do(service, "markdeletedblock", ONE, preventHistory=True)
    before = everything(service)

    assert service.call(REDO, {"lid": PAGE}).error == "HISTORY_CONFLICT"
    assert everything(service) == before


def test_the_list_starts_with_the_latest_entry_and_has_pages(service: Service) -> None:
    for number in range(51):
        do(service, ("hideblock", "showblock")[number % 2], ONE)
    step(service, UNDO)

    answer = service.call(LIST, {"lid": PAGE})
    rest = service.result(LIST, {"lid": PAGE, "start": answer.body["next"]})

    latest = answer.result[0]
    assert (answer.body["next"], answer.body["total"], len(rest)) == (50, 51, 1)
    assert {name: latest[name] for name in ("id", "block", "user", "changed", "undone")} == {
        "id": 51,
        "block": ONE,
        "user": 1,
        "changed": ["active"],
        "undone": True,
    }
    assert latest["method"] == "landing.landing.hideblock"


def test_an_undone_addition_leaves_nothing_for_the_next_publication(service: Service) -> None:
    added = add(service, AFTER_ID=THREE)
    step(service, UNDO)

    assert ids(service) == [ONE, TWO, THREE]
    assert do(service, "upblock", added).error == "BLOCK_NOT_FOUND"
    assert ids(service, OTHER) == [FAR]
