"""The history of a page: edits are undone and redone, and nothing is lost (B14)."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    HTML,
    PAGE,
    block,
    draft_html,
    everything,
    one_page,
    page,
    stored,
    world,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plugins.public.changes import run
from sqlalchemy import select

from landyard.testing import Service
from landyard_content.history.edits import Edit, redo, undo
from landyard_content.history.restoring import HistoryConflict
from landyard_landing.tables import BLOCK

METHOD = "landing.block.updatenodes"
COMPONENT = "bitrix:catalog.section"
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)
ONE, TWO = 100, 101

Change = Callable[..., Edit | None]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(PAGE, block(ONE), block(TWO))), now=NOW)


def edit(
    service: Service, title: str, block_id: int = ONE, page_id: int = PAGE, **more: Any
) -> None:
    data = {".title": title}
    service.result(METHOD, {"lid": page_id, "block": block_id, "data": data, **more})


def apply(service: Service, change: Change, page_id: int = PAGE, user_id: int = 1) -> Edit | None:
    now = service.kernel.now()
    return service.kernel.store.run(
        lambda unit: change(unit.connection, page_id, now, user_id), writes=True
    )


def named(edit: Edit | None) -> int | None:
    return None if edit is None else edit.id


def titled(title: str) -> str:
    return HTML.replace(">Old<", f">{title}<")


@pytest.mark.rule("B14")
def test_the_last_edit_is_undone_first(service: Service) -> None:
    edit(service, "First")
    edit(service, "Second", TWO)

    done = []
    for _ in range(3):
        taken = apply(service, undo)
        done.append((named(taken), draft_html(service, ONE), draft_html(service, TWO)))

    assert done == [(2, titled("First"), HTML), (1, HTML, HTML), (None, HTML, HTML)]


@pytest.mark.rule("B14")
def test_the_last_undone_edit_is_redone_first(service: Service) -> None:
    edit(service, "First")
    edit(service, "Second")
    apply(service, undo)
    apply(service, undo)

    done = []
    for _ in range(3):
        redone = apply(service, redo)
        done.append((named(redone), draft_html(service)))

    assert done == [(1, titled("First")), (2, titled("Second")), (None, titled("Second"))]


@pytest.mark.rule("B14")
def test_undo_and_redo_make_no_entry_and_name_their_author(service: Service) -> None:
    edit(service, "First")
    (before,) = stored(service, "landing_history")
    service.now = NOW.replace(hour=13)

    taken = apply(service, undo, user_id=5)

    (after,) = stored(service, "landing_history")
    assert after == before | {"undone": True}
    assert taken is not None
    assert (taken.block_id, taken.method, taken.user_id, taken.at) == (ONE, METHOD, 1, NOW)
    signed = stored(service, "landing_block", id=ONE)[0]
    assert (signed["modified_by"], signed["modified_at"].hour) == (5, 13)

    service.now = NOW.replace(hour=14)
    apply(service, redo, user_id=6)

    assert stored(service, "landing_history") == [before]
    signed = stored(service, "landing_block", id=ONE)[0]
    assert (signed["modified_by"], signed["modified_at"].hour) == (6, 14)


def test_after_a_newer_edit_nothing_is_redone(service: Service) -> None:
    edit(service, "First")
    apply(service, undo)
    edit(service, "Second", TWO)

    assert apply(service, redo) is None
    assert draft_html(service, ONE) == HTML


def test_edits_that_a_newer_one_replaced_are_not_redone_after_its_undo(service: Service) -> None:
    for title in ("First", "Second"):
        edit(service, title)
    apply(service, undo)
    edit(service, "Third")
    apply(service, undo)
    apply(service, undo)

    redone = [named(apply(service, redo)) for _ in range(3)]

    assert redone == [1, 3, None]
    assert draft_html(service) == titled("Third")


def test_pages_have_histories_of_their_own(make_service: MakeService) -> None:
    service = make_service(world=world(page(PAGE, block(ONE)), page(11, block(110))))
    edit(service, "First")
    edit(service, "Second", 110, 11)

    assert named(apply(service, undo, PAGE)) == 1
    assert apply(service, undo, PAGE) is None
    assert draft_html(service, 110) == titled("Second")


def test_a_missing_page_has_no_history(service: Service) -> None:
    assert [apply(service, change, 99) for change in (undo, redo)] == [None, None]


@pytest.mark.rule("B14", "landing.block.updatenodes preventHistory")
@pytest.mark.parametrize("change", [undo, redo])
def test_changes_outside_of_the_history_are_not_lost(service: Service, change: Change) -> None:
    edit(service, "First")
    if change is redo:
        apply(service, undo)
    edit(service, "Quiet", preventHistory=True)
    before = everything(service)

    with pytest.raises(HistoryConflict):
        apply(service, change)

    assert everything(service) == before


@pytest.mark.rule("B14")
@pytest.mark.parametrize("change", [undo, redo])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM landing_block WHERE id = 100",
        "UPDATE landing_block SET deleted = TRUE WHERE id = 100",
        "UPDATE landing_block SET public = TRUE WHERE id = 100",
    ],
)
def test_a_missing_block_is_a_conflict(service: Service, change: Change, statement: str) -> None:
    edit(service, "First")
    if change is redo:
        apply(service, undo)
    run(service, statement)
    before = everything(service)

    with pytest.raises(HistoryConflict):
        apply(service, change)

    assert everything(service) == before


def test_parts_that_the_edit_did_not_touch_may_have_changed(service: Service) -> None:
    edit(service, "First")
    component = {"lid": PAGE, "block": ONE, "data": {COMPONENT: {"attrs": {"SECTION_ID": "5"}}}}
    service.result(METHOD, component | {"preventHistory": True})

    apply(service, undo)

    assert draft_html(service) == HTML
    assert stored(service, "landing_block", id=ONE)[0]["params"] == {COMPONENT: {"SECTION_ID": "5"}}


@pytest.mark.rule("B14")
def test_published_blocks_do_not_change(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    published = stored(service, "landing_block", public=True)
    edit(service, "First")

    apply(service, undo)

    assert stored(service, "landing_block", public=True) == published


@pytest.mark.rule("H2")
def test_H2_html_of_an_older_policy_is_cleaned_again(service: Service) -> None:
    """The entry dates from before the policy changed, the block from after that."""
    edit(service, "First")
    hostile = '"<p onclick=\\"x()\\">Hello</p>"'
    changed = f"""UPDATE landing_history SET before = '{{"content": {hostile}}}'"""
    run(service, changed)
    assert stored(service, "landing_block", id=ONE)[0]["policy"] > 0

    apply(service, undo)

    sent = {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}}
    shown = "".join(item["content"] for item in service.result("landing.block.getlist", sent))
    assert "onclick" not in shown
    assert "Hello" in shown


@pytest.mark.rule("B14")
def test_two_undos_at_once_undo_two_edits(service: Service) -> None:
    count = 12
    for number in range(count):
        edit(service, f"Edit {number}")

    with ThreadPoolExecutor(4) as people:
        taken = list(people.map(lambda _: named(apply(service, undo)), range(count)))

    assert sorted(filter(None, taken)) == list(range(1, count + 1))
    assert draft_html(service) == HTML


@pytest.mark.rule("B14")
def test_concurrent_edits_and_undos_leave_a_history_that_can_be_undone(service: Service) -> None:
    def act(number: int) -> None:
        if number % 3 == 2:
            apply(service, undo)
        else:
            edit(service, f"Edit {number}", (ONE, TWO)[number % 2])

    with ThreadPoolExecutor(4) as people:
        list(people.map(act, range(30)))
    while apply(service, undo):
        pass

    assert (draft_html(service, ONE), draft_html(service, TWO)) == (HTML, HTML)
    assert all(entry["undone"] for entry in stored(service, "landing_history"))


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
EDITS = st.tuples(
    st.sampled_from([0, 1]),
    st.one_of(
        st.fixed_dictionaries({".title": TEXTS}),
        st.fixed_dictionaries({".text@1": st.sampled_from(["<b>x</b>", "y"])}),
        st.fixed_dictionaries(
            {
                COMPONENT: st.fixed_dictionaries(
                    {
                        "attrs": st.fixed_dictionaries(
                            {"SECTION_ID": st.one_of(TEXTS, st.integers(), st.floats(0, 9))}
                        )
                    }
                )
            }
        ),
    ),
)
STEPS = st.lists(st.one_of(EDITS, EDITS, st.sampled_from(["undo", "redo"])), max_size=14)
FRESH = itertools.count(1000)


def drafts(service: Service, page_id: int) -> list[Any]:
    """All parts of the page's draft that an edit can change, byte for byte."""
    with service.kernel.store.session() as session:
        found = session.execute(select(*BLOCK).where(BLOCK.page_id == page_id).order_by(BLOCK.id))
        return [(row.id, row.content.encode(), row.params, row.policy) for row in found]


def step(service: Service, page_id: int, what: Any) -> bool:
    """Undo or redo; return whether there was an entry."""
    if what in ("undo", "redo"):
        return apply(service, undo if what == "undo" else redo, page_id) is not None
    which, data = what
    service.result(METHOD, {"lid": page_id, "block": page_id * 10 + which, "data": data})
    return True


@pytest.mark.rule("B14")
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, back=st.integers(1, 6))
def test_undo_and_redo_pass_through_the_former_states(
    service: Service, steps: list[Any], back: int
) -> None:
    _walk(service, steps, back)


@pytest.mark.soak
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, back=st.integers(1, 6))
def test_undo_and_redo_pass_through_many_former_states(
    service: Service, steps: list[Any], back: int
) -> None:
    _walk(service, steps, back)


def _walk(service: Service, steps: list[Any], back: int) -> None:
    """Compare with a model: the list of states before and the list of states after."""
    page_id = next(FRESH)
    service.load(world(page(page_id, block(page_id * 10), block(page_id * 10 + 1))))
    behind: list[Any] = []
    ahead: list[Any] = []
    now = drafts(service, page_id)

    for what in [*steps, *["undo"] * back, *["redo"] * back]:
        done = step(service, page_id, what)
        if what == "undo":
            assert done == bool(behind)
            if behind:
                ahead.append(now)
                now = behind.pop()
        elif what == "redo":
            assert done == bool(ahead)
            if ahead:
                behind.append(now)
                now = ahead.pop()
        else:
            behind.append(now)
            ahead = []
            now = drafts(service, page_id)
        assert drafts(service, page_id) == now
