"""Calls at the same time that change whole pages break no rule (P3, P4, R2)."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import as_user, page, row, stored, tree, user

from landyard.testing import Answer, Service

MANY = 12
FIRST = 50


def _all_at_once(calls: list[Callable[[], Answer]]) -> list[str | None]:
    """Make the calls at once, and return their errors."""
    ready = threading.Barrier(len(calls))

    def make(call: Callable[[], Answer]) -> str | None:
        ready.wait(10)
        return call().error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(make, calls))


def _asks(service: Service, method: str, **params: Any) -> Callable[[], Answer]:
    return partial(service.call, f"landing.landing.{method}", params)


def _codes(service: Service) -> list[str]:
    return [row(service, FIRST + number)["code"] for number in range(MANY)]


def _each(service: Service, method: str, **params: Any) -> list[Callable[[], Answer]]:
    return [_asks(service, method, lid=FIRST + number, **params) for number in range(MANY)]


def _pages(**more: Any) -> list[dict[str, Any]]:
    return [page(FIRST + number, **more) for number in range(MANY)]


def _one_each(codes: list[str], code: str) -> bool:
    return len(set(codes)) == MANY and codes.count(code) == 1


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule("P3", "landing.landing.update fields.CODE")
def test_P3_pages_updated_to_one_code_at_once_get_different_codes(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(*_pages()))

    errors = _all_at_once(_each(service, "update", fields={"CODE": "same"}))

    assert errors == [None] * MANY
    assert _one_each(_codes(service), "same")


@pytest.mark.rule("P3", "state: move")
def test_P3_pages_moved_to_one_place_at_once_get_different_codes(make_service: MakeService) -> None:
    """Half of the pages come from folders of the site, half from those of another site."""
    folders = [
        {"id": FIRST + number, "site": 7 if number % 2 else 8, "code": f"f-{number}"}
        for number in range(MANY)
    ]
    pages = [
        page(FIRST + number, site=7 if number % 2 else 8, folder=FIRST + number, code="same")
        for number in range(MANY)
    ]
    world = tree(*pages)
    world["folders"] += folders
    service = make_service(world=world)

    errors = _all_at_once(_each(service, "move", toSiteId=7))

    assert errors == [None] * MANY
    assert _one_each(_codes(service), "same")


@pytest.mark.rule("P3", "P8")
def test_P3_pages_restored_at_once_get_different_codes(make_service: MakeService) -> None:
    service = make_service(world=tree(*_pages(code="same", deleted=True)))

    errors = _all_at_once(_each(service, "markDelete", mark=False))

    assert errors == [None] * MANY
    assert _one_each(_codes(service), "same")


@pytest.mark.rule("P4", "landing.landing.update fields.ADDITIONAL_FIELDS")
def test_P4_additional_fields_set_at_once_all_survive(service: Service) -> None:
    calls = [
        _asks(service, "update", lid=12, fields={"ADDITIONAL_FIELDS": {f"KEY_{number}": number}})
        for number in range(MANY)
    ]

    assert _all_at_once(calls) == [None] * MANY
    assert row(service, 12)["additional_fields"] == {f"KEY_{n}": n for n in range(MANY)}


@pytest.mark.rule("P10", "landing.landing.delete LANDING_NOT_EXIST")
def test_P10_of_several_deletions_at_once_one_succeeds(service: Service) -> None:
    errors = _all_at_once([_asks(service, "delete", lid=12)] * 8)

    assert Counter(errors) == {None: 1, "LANDING_NOT_EXIST": 7}


@pytest.mark.rule("P10", "B14")
def test_P10_a_page_deleted_while_it_is_edited_leaves_nothing(service: Service) -> None:
    edit = {"lid": 12, "block": 120, "data": {".title": "New"}}
    fields = {"TITLE": "New", "CODE": "new"}
    calls: list[Callable[[], Answer]] = [
        *[partial(service.call, "landing.block.updatenodes", edit)] * 5,
        *[_asks(service, "update", lid=12, fields=fields)] * 5,
        _asks(service, "delete", lid=12),
    ]

    began = time.monotonic()
    errors = _all_at_once(calls)

    assert set(errors) <= {None, "LANDING_NOT_EXIST", "BLOCK_NOT_FOUND", "ACCESS_DENIED"}
    assert errors[-1] is None
    assert time.monotonic() - began < 20  # no call waited until a deadlock was detected
    assert [stored(service, "landing_page", id=12), stored(service, "landing_history")] == [[], []]


def _meanwhile(service: Service, call: Callable[[], Answer], before: str, then: str = "") -> Any:
    """Start `call` behind a change that it must wait for, change more, and return its error."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(call().error))
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.text(before))
        thread.start()
        time.sleep(0.3)
        assert answers == []
        if then:
            session.execute(sa.text("SET LOCAL lock_timeout = '1ms'"))
            session.execute(sa.text(then))
    thread.join(10)
    return answers[0]


HERE_ONLY = user(2, sites_access=True, rights={"7": ["edit", "settings", "delete"]})
MOVED = "UPDATE landing_page SET site_id = 8, folder_id = NULL WHERE id = 12"
GONE = "DELETE FROM landing_page WHERE id = 12"
TRASHED = "UPDATE landing_page SET deleted = true WHERE id = 12"


@pytest.mark.rule("R2", "R6", "C1")
@pytest.mark.parametrize(
    ("change", "method", "params", "error"),
    [
        (MOVED, "update", {"fields": {"TITLE": "New"}}, "ACCESS_DENIED"),
        (MOVED, "markDelete", {}, "ACCESS_DENIED"),
        (MOVED, "delete", {}, "LANDING_NOT_EXIST"),
        (MOVED, "move", {}, "LANDING_NOT_EXIST"),
        (TRASHED, "move", {}, "LANDING_NOT_EXIST"),
        (TRASHED, "markDelete", {}, None),
        (TRASHED, "update", {"fields": {"TITLE": "New"}}, None),
        (GONE, "update", {"fields": {"TITLE": "New"}}, "ACCESS_DENIED"),
        (GONE, "delete", {}, "LANDING_NOT_EXIST"),
    ],
)
def test_R2_a_call_judges_the_page_as_it_is_after_waiting(
    make_service: MakeService, change: str, method: str, params: Any, error: str | None
) -> None:
    """The page exists when the call starts, and is gone when the call gets its lock."""
    service = make_service(world=tree(users=[HERE_ONLY]))
    sent = {"lid": 12, **params}

    def call() -> Answer:
        return service.call(f"landing.landing.{method}", sent, **as_user(2))

    assert _meanwhile(service, call, change) == error


on_a_server = pytest.mark.parametrize(
    "database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.mark.rule("P6")
@on_a_server
def test_P6_main_pages_that_change_sites_do_not_deadlock(service: Service) -> None:
    """Calls lock sites in the order of their ids: a call that waits for the first has not locked
    the second.
    """
    call = _asks(service, "move", lid=10, toSiteId=8)
    lock = "SELECT id FROM landing_site WHERE id = {} FOR UPDATE"

    assert _meanwhile(service, call, lock.format(7), lock.format(8)) is None


@pytest.mark.rule("P10", "B14")
@on_a_server
def test_P10_an_edit_under_way_enters_the_history_before_its_page_goes(service: Service) -> None:
    call = _asks(service, "delete", lid=12)
    edit = "SELECT id FROM landing_block WHERE id = 120 FOR UPDATE"
    entry = (
        "INSERT INTO landing_history"
        " (page_id, block_id, user_id, at, method, before, after, undone, discarded)"
        " VALUES (12, 120, 1, now(), 'x', '{}', '{}', false, false)"
    )

    assert _meanwhile(service, call, edit, entry) is None
    assert stored(service, "landing_history") == []
