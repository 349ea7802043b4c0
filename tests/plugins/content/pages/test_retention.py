"""The retention of the trash: trashed rows are deleted after their time, and nothing else is
(P9).
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import block, everything, one_page, page, site, stored, user, world
from sqlalchemy import text

from landyard import Kernel, Settings, SettingsError, load_settings
from landyard.testing import Service
from landyard_content.pages import retention
from landyard_content.pages import trash as module
from landyard_content.pages.erasing import erase_pages
from landyard_content.pages.trash import TrashSettings, restore_page

MARK = "landing.landing.markDelete"
EDIT = "landing.block.updatenodes"
JOB = "landing.trash"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


def two_pages(**more: Any) -> Any:
    return world(
        page(10, block(100, published_id=200), active=True, published=True),
        page(11, block(110, published_id=210), active=True, published=True, **more),
    )


def trash(service: Service, page_id: int, at: datetime, *, mark: bool = True) -> None:
    service.now = at
    service.result(MARK, lid=page_id, mark=mark)


def pages_after_jobs(service: Service, at: datetime) -> list[int]:
    """The ids of the pages that are left after all jobs due by then."""
    service.now = at
    assert JOB in service.run_jobs()
    return [row["id"] for row in stored(service, "landing_page")]


@pytest.mark.rule("P9", "limit: trash retention")
@pytest.mark.parametrize(("given", "days"), [({}, 30), ({"trash": {"retention_days": 2}}, 2)])
def test_P9_a_page_is_deleted_when_its_time_is_over(
    make_service: MakeService, given: Any, days: int
) -> None:
    service = make_service(world=two_pages(), **given)
    service.result(EDIT, lid=11, block=110, data={".title": "New"})
    service.result(EDIT, lid=10, block=100, data={".title": "New"})
    trash(service, 11, NOW)

    assert pages_after_jobs(service, NOW + days * DAY - SECOND) == [10, 11]
    service.now = NOW + days * DAY
    assert JOB not in service.run_jobs()  # the job runs once an hour
    assert pages_after_jobs(service, NOW + days * DAY + timedelta(hours=1)) == [10]

    assert [row["id"] for row in stored(service, "landing_block")] == [100, 200]
    assert [row["page_id"] for row in stored(service, "landing_history")] == [10]


@pytest.mark.rule("P9")
def test_P9_a_page_is_deleted_at_the_exact_moment(make_service: MakeService) -> None:
    service = make_service(world=two_pages())
    trash(service, 11, NOW)

    assert pages_after_jobs(service, NOW + 30 * DAY) == [10]


@pytest.mark.rule("P9", "P8")
def test_P9_time_runs_from_the_moment_of_trashing(make_service: MakeService) -> None:
    service = make_service(world=two_pages())
    trash(service, 11, NOW)
    trash(service, 11, NOW + 20 * DAY)  # it is already in the trash
    service.result("landing.landing.update", lid=11, fields={"TITLE": "Changed in the trash"})

    assert pages_after_jobs(service, NOW + 30 * DAY) == [10]


@pytest.mark.rule("P9", "P8")
def test_P9_a_restored_page_stays_and_its_time_starts_again(
    make_service: MakeService,
) -> None:
    service = make_service(world=two_pages())
    trash(service, 11, NOW)
    trash(service, 11, NOW + 20 * DAY, mark=False)

    assert pages_after_jobs(service, NOW + 40 * DAY) == [10, 11]
    trash(service, 11, NOW + 41 * DAY)
    assert pages_after_jobs(service, NOW + 70 * DAY) == [10, 11]
    assert pages_after_jobs(service, NOW + 71 * DAY) == [10]


@pytest.mark.rule("P9")
def test_P9_zero_keeps_for_ever(make_service: MakeService) -> None:
    service = make_service(world=two_pages(), trash={"retention_days": 0})
    trash(service, 11, NOW)
    before = everything(service)["landing_page"]

    assert pages_after_jobs(service, NOW + 40000 * DAY) == [10, 11]
    assert everything(service)["landing_page"] == before


@pytest.mark.rule("P9")
def test_P9_a_main_page_is_deleted_and_the_site_stays(make_service: MakeService) -> None:
    built = two_pages(deleted=True, deleted_at=NOW.isoformat())
    built["sites"][0]["main_page"] = 11
    service = make_service(world=built)

    assert pages_after_jobs(service, NOW + 30 * DAY) == [10]
    assert [row["main_page_id"] for row in stored(service, "landing_site")] == [None]


@pytest.mark.rule("P9")
def test_P9_without_a_time_of_deletion_the_last_change_counts(
    make_service: MakeService,
) -> None:
    service = make_service(world=two_pages(deleted=True, modified_at=NOW.isoformat()))
    with service.kernel.store.session(writes=True) as session:
        session.execute(text("UPDATE landing_page SET deleted_at = NULL"))

    assert pages_after_jobs(service, NOW + 30 * DAY - SECOND) == [10, 11]
    assert pages_after_jobs(service, NOW + 31 * DAY) == [10]


@pytest.mark.rule("P9")
def test_P9_exactly_one_of_two_hosts_runs_the_job(make_service: MakeService) -> None:
    one = make_service(world=two_pages(), now=NOW)
    other = make_service(world={}, now=NOW)

    with ThreadPoolExecutor(2) as hosts:
        done = list(hosts.map(lambda service: service.run_jobs().count(JOB), [one, other]))

    assert sorted(done) == [0, 1]


@pytest.mark.rule("P9")
def test_P9_other_writers_are_served_while_many_pages_are_deleted(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred pages at a time are deleted, each portion in a transaction of its own."""
    old = [page(1000 + i, deleted=True, deleted_at=NOW.isoformat()) for i in range(250)]
    service = make_service(world=world(page(10), *old))
    sizes: list[int] = []

    def noting(unit: Any, store: Any, page_ids: list[int]) -> None:
        sizes.append(len(page_ids))
        erase_pages(unit, store, page_ids)

    monkeypatch.setattr(retention, "erase_pages", noting)

    assert pages_after_jobs(service, NOW + 30 * DAY) == [10]
    assert sizes == [100, 100, 50]


@pytest.mark.rule("P9")
def test_P9_a_page_that_is_being_restored_is_kept(make_service: MakeService) -> None:
    service = make_service(world=two_pages(deleted=True, deleted_at=NOW.isoformat()))
    service.now = NOW + 30 * DAY
    job = threading.Thread(target=service.run_jobs)

    with service.kernel.store.unit(writes=True) as unit:
        restore_page(unit.connection, 11, service.now, 1)
        job.start()
        job.join(0.3)
        assert job.is_alive()  # the job waits
    job.join(10)

    assert [row["id"] for row in stored(service, "landing_page")] == [10, 11]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_job_reads_only_the_trash(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    with service.kernel.store.session() as session:
        due = module.DUE.params(before=NOW, most=5)
        for query in (module._LIST, due):
            text = query.compile(session.connection(), compile_kwargs={"literal_binds": True})
            plan = str(session.execute(sa.text(f"EXPLAIN QUERY PLAN {text}")).all())
            assert "ix_landing_page_trash" in plan


def test_the_setting_has_its_documented_name(tmp_path: Path) -> None:
    file = tmp_path / "landyard.toml"
    file.write_text("[trash]\nretention_days = 7")

    for environ, days in (({}, 7), ({"LANDYARD_TRASH__RETENTION_DAYS": "8"}, 8)):
        settings = load_settings({"LANDYARD_DATA": str(tmp_path), **environ}, file=file)
        kernel = Kernel(settings)
        kernel.close()
        assert kernel.section(TrashSettings) == TrashSettings(days)


@pytest.mark.parametrize("days", [-1, 36501, "x", None, 1.5])
def test_an_invalid_retention_is_refused(tmp_path: Path, days: Any) -> None:
    with pytest.raises(SettingsError, match=r"trash\.retention_days: must be a whole number"):
        Kernel(Settings(data=tmp_path, plugins={"trash": {"retention_days": days}}))


@pytest.mark.rule("P9")
def test_P9_a_site_is_deleted_with_everything_in_it(make_service: MakeService) -> None:
    since: dict[str, Any] = {"deleted": True, "deleted_at": NOW.isoformat()}
    built = world(
        page(10),
        page(20, block(200), site=8),
        page(21, site=8, folder=2),
        sites=[site(8, **since), site(9, **since | {"deleted_at": (NOW + DAY).isoformat()})],
        folders=[{"id": 2, "site": 8, "code": "inner"}, {"id": 3, "site": 9, "code": "kept"}],
        users=[user(2, rights={"7": ["edit"], "8": ["edit"]})],
    )
    service = make_service(world=built)

    assert pages_after_jobs(service, NOW + 30 * DAY) == [10]
    assert [row["id"] for row in stored(service, "landing_site")] == [7, 9]
    assert [row["id"] for row in stored(service, "landing_folder")] == [3]
    assert [row["site_id"] for row in stored(service, "landing_right")] == [7]


@pytest.mark.rule("P9")
def test_P9_a_folder_is_deleted_once_it_is_empty(make_service: MakeService) -> None:
    since: dict[str, Any] = {"deleted": True, "deleted_at": NOW.isoformat()}
    folders = [
        {"id": 1, "site": 7, "code": "outer", **since},
        {"id": 2, "site": 7, "code": "inner", "parent": 1, **since},
        {"id": 3, "site": 7, "code": "full", **since},
    ]
    built = world(page(10, folder=2, **since), page(11, folder=3, **since), folders=folders)
    service = make_service(world=built)
    # an older version could leave it like this
    with service.kernel.store.engine.begin() as connection:
        connection.execute(
            sa.text("UPDATE landing_page SET deleted = false, deleted_at = NULL WHERE id = 11")
        )

    assert pages_after_jobs(service, NOW + 30 * DAY) == [11]
    assert [row["id"] for row in stored(service, "landing_folder")] == [3]
