"""The general methods: the caller's profile, the methods that may be called, and the server's
time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import landyard_batch
import landyard_general
from landyard.testing import WEBHOOK, Service

NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
OTHER = "basic-webhook-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann Marie Sand", "admin": True}, {"id": 2, "name": "Ben"}],
    "webhooks": [
        {"user": 1, "code": WEBHOOK, "scopes": ["user", "landing"]},
        {"user": 2, "code": OTHER, "scopes": []},
    ],
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    plugins = [landyard_general, landyard_batch]
    with Service(plugins, world=WORLD, now=NOW, time_zone="Europe/Berlin") as service:
        yield service


def test_the_profile_is_the_callers(service: Service) -> None:
    ann = {"ID": "1", "ADMIN": True, "NAME": "Ann", "LAST_NAME": "Marie Sand"}
    ben = {"ID": "2", "ADMIN": False, "NAME": "Ben", "LAST_NAME": ""}
    empty = {"PERSONAL_GENDER": "", "TIME_ZONE": ""}

    assert service.result("profile") == ann | empty
    assert service.result("profile", user=2, webhook=OTHER) == ben | empty


def test_the_current_user_needs_its_scope(service: Service) -> None:
    ann = service.result("user.current")

    assert (ann["ID"], ann["NAME"], ann["LAST_NAME"], ann["ACTIVE"]) == (
        *("1", "Ann", "Marie Sand"),
        True,
    )
    assert ann["LAST_ACTIVITY_DATE"] == "2026-03-01T13:00:05+01:00"
    assert ann["UF_DEPARTMENT"] == []
    refused = service.call("user.current", user=2, webhook=OTHER)
    assert (refused.status, refused.error) == (401, "insufficient_scope")


def test_only_an_administrator_is_answered_true(service: Service) -> None:
    assert service.result("user.admin") is True
    assert service.result("user.admin", user=2, webhook=OTHER) is False


def test_the_answered_time_is_the_services(service: Service) -> None:
    assert service.result("server.time") == "2026-03-01T13:00:05+01:00"


def test_scopes_are_those_of_the_credential_or_all_known_ones(service: Service) -> None:
    assert service.result("scope") == ["landing", "user"]
    assert service.result("scope", user=2, webhook=OTHER) == []
    assert service.result("scope", {"full": True}, user=2, webhook=OTHER) == ["user"]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("user.current", (True, False)),
        ("USER.Current", (True, False)),
        ("profile", (True, True)),
        ("crm.lead.add", (False, False)),
        ("", (False, False)),
    ],
)
def test_a_method_is_reported_as_existing_and_callable(
    service: Service, name: str, state: tuple[bool, bool]
) -> None:
    answer = service.result("method.get", {"name": name}, user=2, webhook=OTHER)

    assert answer == {"isExisting": state[0], "isAvailable": state[1]}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("method.get", {}, "MISSING_PARAMS"),
        ("method.get", {"name": ["profile"]}, "TYPE_ERROR"),
        ("feature.get", {}, "CODE_EMPTY"),
        ("feature.get", {"CODE": ""}, "CODE_EMPTY"),
        ("feature.get", {"CODE": {}}, "TYPE_ERROR"),
        ("scope", {"full": "perhaps"}, "TYPE_ERROR"),
    ],
)
def test_wrong_parameters_are_refused(
    service: Service, method: str, params: Any, code: str
) -> None:
    assert service.call(method, params).error == code


def test_a_feature_of_the_platform_is_reported_as_absent(service: Service) -> None:
    assert service.result("feature.get", {"CODE": "rest_offline_extended"}) == {"value": "N"}
