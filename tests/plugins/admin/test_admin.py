"""The methods for operators: plugins, methods, jobs, settings and health."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService

import landyard_admin
import landyard_audit
import landyard_general
import landyard_limits
from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.plugin_host.switches import keep_breaker
from landyard.testing import WEBHOOK, Service
from landyard_admin.descriptions import description_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OTHER = "admin-webhook-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}, {"id": 2, "name": "Ben"}],
    "webhooks": [
        {"user": 1, "code": WEBHOOK, "scopes": ["admin"]},
        {"user": 2, "code": OTHER, "scopes": ["admin"]},
    ],
}
CALLS: dict[str, dict[str, Any]] = {
    "landyard.health.get": {},
    "landyard.job.list": {},
    "landyard.method.disable": {"name": "server.TIME"},
    "landyard.method.enable": {"name": "server.time"},
    "landyard.method.list": {},
    "landyard.plugin.disable": {"name": "general"},
    "landyard.plugin.enable": {"name": "general"},
    "landyard.plugin.get": {"name": "general"},
    "landyard.plugin.list": {},
    "landyard.setting.list": {},
}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    plugins = [landyard_admin, landyard_audit, landyard_general, landyard_limits]
    service = make_service(plugins, world=WORLD, now=NOW, audit={"days": 7})
    service.kernel.lifecycle.write_report()
    return service


def row(service: Service, method: str, name: str) -> Any:
    return next(each for each in service.result(method) if each["name"] == name)


@pytest.mark.parametrize("method", CALLS)
def test_only_administrators_are_answered(service: Service, method: str) -> None:
    refused = service.call(method, CALLS[method], user=2, webhook=OTHER)

    assert (refused.status, refused.error) == (403, "user_access_error")
    assert service.call(method, CALLS[method]).status == 200


def test_a_plugin_describes_itself_even_where_it_fails(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "told_off.py").write_text('"""Tells\nmore."""\nraise RuntimeError\n')
    (tmp_path / "mute.py").write_text("1 +\n")
    monkeypatch.syspath_prepend(tmp_path)

    description = row(service, "landyard.plugin.list", "general")["description"]

    assert (
        description
        == "General methods: methods' names, the calling user, scopes, the server's time."
    )
    found = [description_of(each) for each in ("told_off", "mute", "landyard_no_such")]
    assert found == ["Tells", "", ""]


def test_every_method_of_the_plugin_has_a_test_call(service: Service) -> None:
    assert {each.name for each in service.kernel.methods if each.plugin == "admin"} == {*CALLS}


@pytest.mark.parametrize(
    ("method", "sent", "code"),
    [
        ("plugin.get", {}, "MISSING_PARAMS"),
        ("plugin.get", {"name": []}, "TYPE_ERROR"),
        ("plugin.get", {"name": "gone"}, "PLUGIN_NOT_FOUND"),
        ("plugin.enable", {"name": "gone"}, "SWITCH_REFUSED"),
        ("plugin.enable", {"name": "server.time"}, "SWITCH_REFUSED"),
        ("plugin.disable", {"name": {}}, "TYPE_ERROR"),
        ("plugin.disable", {"name": "admin"}, "SWITCH_REFUSED"),
        ("method.enable", {}, "MISSING_PARAMS"),
        ("method.disable", {"name": "gone.method"}, "SWITCH_REFUSED"),
        ("method.disable", {"name": "general"}, "SWITCH_REFUSED"),
        ("method.disable", {"name": "Landyard.Plugin.enable"}, "SWITCH_REFUSED"),
        ("method.disable", {"name": "landyard.method.enable"}, "SWITCH_REFUSED"),
    ],
)
def test_wrong_parameters_are_refused(service: Service, method: str, sent: Any, code: str) -> None:
    assert service.call(f"landyard.{method}", sent).error == code


def test_a_plugin_is_switched_and_says_by_whom(service: Service) -> None:
    switched = service.result("landyard.plugin.disable", name="general")
    service.kernel.lifecycle.refresh()  # as every worker does twice a second

    assert switched == {"name": "general", "also": []}
    assert service.call("server.time").error == "ERROR_METHOD_NOT_FOUND"
    result = service.result("landyard.plugin.get", name="general")
    assert (result["state"], result["reason"]) == ("disabled", "switched off")
    assert result["switched_by"] == "Ann (webhook:1)"
    assert result["switched_at"] == "2026-03-01T12:00:00Z"
    assert row(service, "landyard.method.list", "server.time")["state"] == "off"
    service.result("landyard.plugin.enable", name="general")
    service.kernel.lifecycle.refresh()
    assert service.result("server.time")


def test_each_method_shows_the_outcomes_of_its_calls_of_the_last_hour(service: Service) -> None:
    for _ in range(3):
        service.result("server.time")
    service.call("landyard.plugin.get", {"name": "gone"})  # the refusal is not the plugin's fault
    service.kernel.usage.flush(service.kernel.store)

    called = row(service, "landyard.method.list", "server.time")
    refused = row(service, "landyard.method.list", "landyard.plugin.get")
    idle = row(service, "landyard.method.list", "landyard.method.enable")

    assert (called["calls"], called["errors"]) == (3, 0)
    assert 0 < called["p95"] < 1
    assert (refused["calls"], refused["errors"]) == (1, 0)
    assert (idle["calls"], idle["errors"], idle["p95"]) == (0, 0, 0.0)
    assert service.result("landyard.plugin.get", name="general")["calls"] == 3


def test_a_plugin_is_switched_together_with_the_plugins_that_require_it(service: Service) -> None:
    switched = service.result("landyard.plugin.disable", name="landing")

    assert "pages" in switched["also"]
    assert "general" not in switched["also"]
    assert set(service.result("landyard.plugin.enable", name="landing")["also"]) == {
        *switched["also"]
    }


def test_a_method_is_switched(service: Service) -> None:
    assert service.result("landyard.method.disable", name="SERVER.time")["name"] == "server.time"
    service.kernel.lifecycle.refresh()

    assert service.call("server.time").error == "ERROR_METHOD_NOT_FOUND"
    off = row(service, "landyard.method.list", "server.time")
    assert (off["plugin"], off["state"], off["reason"]) == ("general", "off", "switched off itself")
    assert service.result("landyard.plugin.get", name="general")["methods_off"] == ["server.time"]


def test_what_is_pinned_is_not_switched(make_service: MakeService) -> None:
    pins = {"on": ["general"], "off": []}
    service = make_service([landyard_admin, landyard_general], world=WORLD, plugins=pins)

    refused = service.call("landyard.plugin.disable", name="general")

    assert refused.error == "SWITCH_REFUSED"
    assert "pinned on" in refused.body["error_description"]


def test_a_method_whose_circuit_breaker_is_open_is_listed_and_unhealthy(service: Service) -> None:
    before = service.result("landyard.health.get")
    far = datetime(2026, 3, 2, tzinfo=UTC)
    keep_breaker(service.kernel.store, "scope", OpenBreaker("scope", "general", "it hung", far))

    result = row(service, "landyard.method.list", "scope")
    health = service.result("landyard.health.get")

    assert (result["state"], result["reason"]) == ("refused", "it hung")
    assert result["until"] == "2026-03-02T00:00:00Z"
    assert "method scope is refused for a while: it hung" in health["wrong"]
    assert not health["well"]
    assert not any("scope" in each for each in before["wrong"])
    assert before["database"] in {"sqlite", "postgresql"}
    assert before["disk_free"] > 0
    assert before["pools"].keys() == {"reading", "writing", "slow"}
    service.result("landyard.method.enable", name="scope")
    assert row(service, "landyard.method.list", "scope")["state"] == "on"


def test_jobs_are_listed_with_the_time_of_their_last_run(service: Service) -> None:
    never = row(service, "landyard.job.list", "limits.forget")
    service.run_jobs()
    begun = row(service, "landyard.job.list", "limits.forget")

    told = {"name": "limits.forget", "plugin": "limits", "seconds": 3600.0}
    assert never == {**told, "begun_at": None, "due_at": None}
    assert begun["begun_at"] == "2026-03-01T12:00:00Z"
    assert begun["due_at"] == "2026-03-01T13:00:00Z"


def test_settings_are_listed_without_secrets(make_service: MakeService, postgres_url: str) -> None:
    url = postgres_url.replace("://root@", "://root:geheim-0123@")
    service = make_service([landyard_admin], world=WORLD, database_url=url)
    values = {each["name"]: each["value"] for each in service.result("landyard.setting.list")}

    assert values["database_url"].startswith("postgresql+psycopg://root:***@")
    assert "geheim" not in str(values)
    assert values["plugins.seconds"] == 30.0


def test_each_switch_is_in_the_audit(service: Service) -> None:
    service.result("landyard.method.disable", name="server.time")

    with service.kernel.store.session() as session:
        rows = session.connection().exec_driver_sql("SELECT method, subject FROM audit_row").all()
    assert [tuple(each) for each in rows] == [("landyard.method.disable", "method:server.time")]


def test_former_names_count_for_the_current_ones(service: Service) -> None:
    result = service.result("landyard.plugin.get", {"name": "basic"})
    off = service.result("landyard.plugin.disable", {"name": "basic"})
    on = service.result("landyard.plugin.enable", {"name": "basic"})
    method = service.result("landyard.plugin.disable", {"name": "legacy"})
    (state,) = (it for it in service.kernel.plugins.states if it.name == "general")

    assert result["name"] == off["name"] == on["name"] == "general"
    assert method == {"name": "methods", "also": []}
    assert state.state == "enabled"
