"""Readers see one state, no edit is lost, and no row names a removed one, while others write."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import MakeService, postgres_database
from contract.consistency import assert_movable, assert_rows_belong_together
from contract.documents import SWITCHED_ON
from contract.races import (
    WORLD,
    Ask,
    Reply,
    race_batches,
    race_deletes,
    race_edits,
    race_reads,
)
from contract.test_kills import House
from faulty.load import Caller
from kernel.processes import PATIENCE, environment, landyard

from landyard import Settings
from landyard.kernel import Kernel
from landyard.testing import WEBHOOK, Service
from landyard_authoring.database import dangling

MANY, ROUNDS = int(os.environ.get("LANDYARD_TEST_RACES", "2000")), 500
HOOK = {"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing", "user"]}
BUILT = {**WORLD, "webhooks": [HOOK]}
Makers = list[Callable[[], Ask]]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=BUILT, plugins=SWITCHED_ON)


def _inside(service: Service) -> Makers:
    def ask(method: str, params: dict[str, Any]) -> Reply:
        answer = service.call(method, params)
        return Reply(answer.body.get("result"), answer.error, answer.status, answer.request_id)

    return [lambda: ask]


def test_a_revision_belongs_to_the_state_it_is_answered_with(service: Service) -> None:
    pairs, wrong = race_reads(_inside(service), 200)

    assert wrong == pairs.wrong == []
    assert pairs.reads == 200


def test_no_edit_with_a_revision_is_lost(service: Service) -> None:
    taken, of_block, of_page = race_edits(_inside(service), 12)

    assert len(taken) == 36
    lost = [each for each in taken if each.split()[1] not in f"{of_block} {of_page}".split()]
    assert lost == []


def test_nobody_sees_half_of_an_atomic_batch(service: Service) -> None:
    looks, halves = race_batches(_inside(service), 90)

    assert halves == []
    assert looks > 20


def test_no_row_names_a_page_or_site_that_was_removed_meanwhile(service: Service) -> None:
    came, wrong = race_deletes(_inside(service), 3)

    assert wrong == []
    assert came["None"] > 20
    assert dangling(service.kernel) == []
    assert_rows_belong_together(service)
    assert_movable(service, plugins=SWITCHED_ON)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Makers, str, Path]]:
    """A service of two workers on PostgreSQL, with a database of its own."""
    folder = tmp_path_factory.mktemp("races")
    with postgres_database() as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "contract.test_kills.environment",
            lambda where, **more: environment(where, **more, LANDYARD_DATABASE_URL=url),
        )
        world_file = msgspec.json.encode(BUILT)
        loaded = landyard(folder, "load", "-", given=world_file, LANDYARD_DATABASE_URL=url)
        assert loaded.status == 0, loaded.err
        house, callers = House(folder, 2), list[Caller]()
        house.start()
        try:
            yield [lambda: _over_http(house.port, callers)] * 2, url, folder
        finally:
            for each in callers:
                each.close()
            os.killpg(house.process.pid, signal.SIGTERM)
            house.process.wait(PATIENCE)


def _over_http(port: int, callers: list[Caller]) -> Ask:
    caller = Caller(port)
    callers.append(caller)

    def ask(method: str, params: dict[str, Any]) -> Reply:
        answer = caller.ask(f"/rest/1/{WEBHOOK}/{method}", params)
        told = answer.told
        return Reply(told.get("result"), told.get("error"), answer.status, answer.request_id)

    return ask


@pytest.mark.soak
@pytest.mark.postgres
def test_two_workers_answer_no_revision_with_another_state(two_workers: Any) -> None:
    pairs, wrong = race_reads(two_workers[0], MANY)

    print(f"\n{pairs.reads} reads, {len(pairs.wrong)} pairs of two states")
    assert wrong == pairs.wrong == []


@pytest.mark.soak
@pytest.mark.postgres
def test_two_workers_lose_no_edit_with_a_revision(two_workers: Any) -> None:
    taken, of_block, of_page = race_edits(two_workers[0], MANY // 20)

    lost = [each for each in taken if each.split()[1] not in f"{of_block} {of_page}".split()]
    print(f"\n{len(taken)} edits with revisions, {len(lost)} lost")
    assert lost == []


@pytest.mark.soak
@pytest.mark.postgres
def test_two_workers_show_no_half_of_a_batch(two_workers: Any) -> None:
    looks, halves = race_batches(two_workers[0], MANY)

    print(f"\n{MANY} atomic batches, {looks} looks, {len(halves)} halves")
    assert halves == []


@pytest.mark.soak
@pytest.mark.postgres
def test_two_workers_leave_no_row_that_names_a_removed_one(two_workers: Any) -> None:
    makers, url, folder = two_workers
    came, wrong = race_deletes(makers, MANY * ROUNDS // 2000)

    print(f"\n{came.total() // 2} removals beside calls: {dict(came)}")
    assert wrong == []
    kernel = Kernel(Settings(data=folder / "data", database_url=url))
    try:
        assert dangling(kernel) == []
        dumped = b"".join(kernel.dump())
    finally:
        kernel.close()
    elsewhere = folder / "copy"
    elsewhere.mkdir()
    loaded = landyard(elsewhere, "load", "-", given=dumped)
    assert (loaded.status, "Warning" in loaded.err) == (0, False), loaded.err
