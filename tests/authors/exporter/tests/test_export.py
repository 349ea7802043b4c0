"""Events of pages are stored after their commit, exported, and deleted in the end."""

import csv
from pathlib import Path

import landyard_content
import landyard_events
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
import pytest
from click.testing import CliRunner
from landyard import Console
from landyard.testing import WEBHOOK, Service
from landyard_events import deliver_due
from landyard_landing.events import BlockEdited
from sqlmodel import func, select

import landyard_exporter.events
import landyard_exporter.export
from landyard_exporter.commands import export
from landyard_exporter.tables import Row


def rename(service: Service, page: int, title: str = "New") -> None:
    service.result("landing.landing.update", {"lid": page, "fields": {"TITLE": title}})
    deliver_due(service.kernel)


def exported(service: Service, query: str = "") -> list[list[str]]:
    sent = service.get(f"/rest/1/{WEBHOOK}/audit.export{query}")
    assert sent.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="audit.csv"' in sent.headers["content-disposition"]
    return list(csv.reader(sent.text.splitlines()))


def test_a_row_has_time_user_kind_and_subject(service: Service) -> None:
    rename(service, 10)

    assert exported(service) == [
        ["id", "happened_at", "user_id", "topic", "page_id", "site_id", "block_id"],
        ["1", "2027-05-01T12:00:00+00:00", "1", "landing.page.changed", "10", "7", ""],
    ]


def test_the_time_is_that_of_the_event_not_of_its_delivery(service: Service) -> None:
    service.result("landing.landing.update", {"lid": 10, "fields": {"TITLE": "New"}})
    service.later(hours=3)
    deliver_due(service.kernel)

    assert exported(service)[1][1] == "2027-05-01T12:00:00+00:00"


def test_a_row_of_a_block_has_its_id(service: Service) -> None:
    kernel, edited = service.kernel, BlockEdited(10, 7, 1, 101)
    kernel.store.run(lambda unit: kernel.publish(unit, edited), writes=True)
    deliver_due(kernel)

    assert exported(service)[1][3:] == ["landing.block.edited", "10", "7", "101"]


def test_a_failed_call_has_no_row(service: Service) -> None:
    fields = {"TITLE": "New", "SITE_ID": 99}
    assert service.call("landing.landing.update", {"lid": 10, "fields": fields}).error
    deliver_due(service.kernel)

    assert len(exported(service)) == 1


def test_filters(service: Service) -> None:
    rename(service, 10)
    service.later(days=1)
    rename(service, 11)

    assert [row[4] for row in exported(service, "?page=11")] == ["page_id", "11"]
    late, early = "?since=2027-05-02T00:00:00Z", "?until=2027-05-02T00:00:00Z"
    assert [row[4] for row in exported(service, late)] == ["page_id", "11"]
    assert [row[4] for row in exported(service, early)] == ["page_id", "10"]
    assert service.call("audit.export", since="2027-05-02T00:00:00").error == "TYPE_ERROR"


def test_many_rows_are_exported_in_many_pieces(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landyard_exporter.export, "AT_ONCE", 2)
    for number in range(5):
        rename(service, 10, f"Title {number}")

    assert [row[0] for row in exported(service)] == ["id", "1", "2", "3", "4", "5"]
    assert len(list(service.result("audit.export").content)) == 4


def test_old_rows_are_deleted(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landyard_exporter.events, "AT_ONCE", 2)
    for number in range(5):
        rename(service, 10, f"Title {number}")
    service.later(days=31)
    rename(service, 11)

    assert service.result("audit.forget") == "2027-05-02T12:00:00Z"
    assert count(service) == 6
    while deliver_due(service.kernel):
        pass
    assert [row[4] for row in exported(service)] == ["page_id", "11"]


def test_all_is_kept_where_the_setting_says_so() -> None:
    plugins = [
        landyard_events,
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_pages,
        landyard_exporter,
    ]
    with Service(plugins, exporter={"days": 0}) as service:
        assert service.result("audit.forget") is None


def test_an_update_still_answers_true(service: Service) -> None:
    assert service.result("landing.landing.update", {"lid": 10, "fields": {"TITLE": "New"}}) is True


def test_the_command_writes_the_same_rows(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename(service, 10)
    rename(service, 11)
    file = tmp_path / "audit.csv"

    monkeypatch.setenv("LANDYARD_DATA", str(service.kernel.settings.data))
    shown = CliRunner().invoke(export, [str(file), "--page", "11"], obj=Console())

    assert shown.exit_code == 0, shown.output
    assert list(csv.reader(file.read_text().splitlines())) == exported(service, "?page=11")


def count(service: Service) -> int:
    with service.kernel.store.session() as session:
        return session.exec(select(func.count()).select_from(Row)).one()
