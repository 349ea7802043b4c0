"""Pages that a world file puts into the trash without a time of deletion (P9)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.worlds import everything, page, stored, world

from landyard import Tally
from landyard.testing import Service

NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
LIVE, TRASHED = 10, 11
IN_TRASH = world(page(LIVE), page(TRASHED, deleted=True, modified_at="2026-01-01T00:00:00Z"))


def load(service: Service, built: Any, at: datetime) -> Tally:
    service.now = at
    return service.kernel.load(msgspec.json.encode(built))


def pages_after_jobs(service: Service, at: datetime) -> list[int]:
    service.now = at
    assert "landing.trash" in service.run_jobs()
    return [row["id"] for row in stored(service, "landing_page")]


@pytest.mark.rule("P9", "limit: trash retention")
def test_P9_time_runs_from_the_load(make_service: MakeService) -> None:
    service = make_service(world=IN_TRASH, now=NOW)

    assert pages_after_jobs(service, NOW + 30 * DAY - SECOND) == [LIVE, TRASHED]
    assert pages_after_jobs(service, NOW + 31 * DAY) == [LIVE]


@pytest.mark.rule("P9")
def test_P9_a_change_in_the_trash_does_not_extend_the_time(make_service: MakeService) -> None:
    service = make_service(world=IN_TRASH, now=NOW)
    service.now = NOW + 20 * DAY
    service.result("landing.landing.update", lid=TRASHED, fields={"TITLE": "Changed"})

    assert pages_after_jobs(service, NOW + 30 * DAY) == [LIVE]


@pytest.mark.rule("P9")
def test_P9_a_second_load_writes_nothing(make_service: MakeService) -> None:
    service = make_service(world=IN_TRASH, now=NOW)
    before = everything(service)

    tally = load(service, IN_TRASH, NOW + 20 * DAY)

    assert (tally.created, tally.updated) == (0, 0)
    assert everything(service) == before
    assert pages_after_jobs(service, NOW + 30 * DAY) == [LIVE]


@pytest.mark.rule("P9")
def test_P9_an_existing_page_is_trashed_by_the_load(make_service: MakeService) -> None:
    service = make_service(world=world(page(LIVE), page(TRASHED)), now=NOW)
    load(service, IN_TRASH, NOW + 20 * DAY)

    assert pages_after_jobs(service, NOW + 50 * DAY - SECOND) == [LIVE, TRASHED]
    assert pages_after_jobs(service, NOW + 51 * DAY) == [LIVE]


@pytest.mark.rule("P9", "P8")
def test_P9_the_time_of_a_page_trashed_again_by_a_load_starts_again(
    make_service: MakeService,
) -> None:
    service = make_service(world=IN_TRASH, now=NOW)
    service.result("landing.landing.markDelete", lid=TRASHED, mark=False)
    load(service, IN_TRASH, NOW + 20 * DAY)

    assert pages_after_jobs(service, NOW + 50 * DAY - SECOND) == [LIVE, TRASHED]
    assert pages_after_jobs(service, NOW + 51 * DAY) == [LIVE]
