"""The kernel as a whole: its parts, and the notices it gives to the process around it."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kernel.installing import install, place
from kernel.sample import sample_plugin, sample_service
from kernel.switching import states
from structlog.testing import capture_logs

from landyard import Kernel, Settings, SettingsError

__all__ = ["place"]


def test_a_process_learns_of_each_plugin_before_its_loading_and_of_the_end(
    place: Path, tmp_path: Path
) -> None:
    """A supervisor thus knows which plugin ended or blocks a starting worker."""
    install(place, "odd", "odd = odd_one", "raise OSError")
    messages: list[str] = []

    kernel = Kernel(Settings(data=tmp_path / "data"), loading=messages.append)
    kernel.close()

    names = [each.name for each in kernel.resolution.states if each.state != "disabled"]
    assert states(kernel)["odd"] == "failed"
    assert messages == [*names, ""]


def test_a_request_is_never_larger_than_the_operator_allows() -> None:
    with sample_service(max_body=1000) as service:
        assert {each.bounds.size for each in service.kernel.methods} == {1000}
        assert service.kernel.usual_bounds.size == 1000


def test_a_wrong_database_url_is_a_setting_error_without_its_password(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database_url="nonsense://ann:secret@host/name")

    with pytest.raises(SettingsError, match="database_url") as told:
        Kernel(settings)
    assert "secret" not in str(told.value)


def test_a_driver_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(SettingsError, match=r"landyard\[postgres\]"):
        Kernel(Settings(data=tmp_path, database_url="postgresql://host/name"))


def test_calls_and_uses_of_credentials_are_counted_after_the_answer() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with sample_service(now=now) as service:
        service.call("sample.given")
        service.kernel.write_records()
        with service.kernel.store.session() as session:
            rows = session.connection().exec_driver_sql(
                "SELECT (SELECT count(*) FROM landyard_usage), last_used_at FROM landyard_webhook"
            )
            ((written, used),) = rows

    assert written == 1
    assert str(used).startswith("2026-03-01 12:00:00")


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    kernel = Kernel(Settings(data=tmp_path), [sample_plugin()])

    kernel.close()
    kernel.close()


def test_a_name_that_nobody_has_is_told_of_the_switches_in_the_settings(tmp_path: Path) -> None:
    rules = {"off": ["picturs", "Landing.Landing.delete"], "on": ["pictures"]}
    with capture_logs() as logs:
        Kernel(Settings(data=tmp_path, plugins={"plugins": rules})).close()

    unclaimed = [each for each in logs if each["event"] == "settings_unclaimed"]
    assert [each["name"] for each in unclaimed] == ["picturs"]
