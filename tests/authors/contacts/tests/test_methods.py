"""Each test calls a whole service, database included, with this plugin alone."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from landyard.testing import WEBHOOK, Service

import landyard_contacts

ANN = {
    "name": "Ann Lee",
    "email": "ann@example.com",
    "phones": ["+49 30 1234567", "(030) 99"],
    "birthday": "1990-05-01",
    "company": "Lee & Sons",
    "rating": 5,
}
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service([landyard_contacts], now=NOON) as service:
        yield service


def names(found: list[dict[str, Any]]) -> list[str]:
    return [contact["name"] for contact in found]


def test_a_contact_is_added_and_read(service: Service) -> None:
    added = service.result("crm.contact.add", ANN)

    assert added == {"id": 1, **ANN}
    assert service.result("crm.contact.get", id="1") == added


def test_only_the_name_is_needed(service: Service) -> None:
    assert service.result("crm.contact.add", name=" Ben ") == {
        "id": 1,
        "name": "Ben",
        "email": None,
        "phones": [],
        "birthday": None,
        "company": None,
        "rating": None,
    }
    assert service.call("crm.contact.add", rating=3).error == "MISSING_PARAMS"


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 201},
        {"email": "ann"},
        {"phones": ["no"]},
        {"phones": "030 99"},
        {"birthday": "1990-02-30"},
        {"birthday": "2026-12-02"},
        {"rating": 0},
        {"rating": 6},
        {"rating": "good"},
    ],
)
def test_wrong_values_are_refused(service: Service, wrong: dict[str, Any]) -> None:
    service.result("crm.contact.add", ANN)

    assert service.call("crm.contact.add", ANN | wrong).error == "TYPE_ERROR"
    assert service.call("crm.contact.update", {"id": 1} | wrong).error == "TYPE_ERROR"
    assert service.result("crm.contact.list") == [{"id": 1, **ANN}]


def test_an_update_changes_only_the_given_fields(service: Service) -> None:
    service.result("crm.contact.add", ANN)

    changed = service.result(
        "crm.contact.update", id=1, rating="2", phones=["110"], clear=["company"]
    )
    assert changed == {"id": 1, **ANN, "rating": 2, "phones": ["110"], "company": None}
    assert service.result("crm.contact.get", id=1) == changed
    assert service.result("crm.contact.update", id=1, clear=["phones"])["phones"] == []
    assert service.call("crm.contact.update", id=1, clear=["name"]).error == "TYPE_ERROR"


def test_null_changes_nothing(service: Service) -> None:
    added = service.result("crm.contact.add", ANN)

    assert service.result("crm.contact.update", dict.fromkeys(ANN) | {"id": 1}) == added


def test_a_form_changes_a_contact_too(service: Service) -> None:
    service.result("crm.contact.add", ANN)

    form = {"id": "1", "rating": "4", "clear[]": "birthday", "phones[]": "112"}
    sent = service.request("POST", f"/rest/1/{WEBHOOK}/crm.contact.update", data=form)
    assert sent.json()["result"] == {
        "id": 1,
        **ANN,
        "rating": 4,
        "birthday": None,
        "phones": ["112"],
    }


def test_a_deleted_contact_is_gone(service: Service) -> None:
    service.result("crm.contact.add", ANN)

    assert service.result("crm.contact.delete", id=1) is True
    for method in ("get", "update", "delete"):
        assert service.call(f"crm.contact.{method}", id=1).error == "CONTACTS_NOT_FOUND"


def test_the_list_is_filtered(service: Service) -> None:
    for name, company in (("Ben", "Dock"), ("Ann", "Dock"), ("Anton", None), ("50%", "Pier")):
        service.result("crm.contact.add", name=name, company=company)

    assert names(service.result("crm.contact.list")) == ["50%", "Ann", "Anton", "Ben"]
    assert names(service.result("crm.contact.list", filter={"name": "an"})) == ["Ann", "Anton"]
    assert names(service.result("crm.contact.list", filter={"company": "DOCK"})) == ["Ann", "Ben"]
    assert names(service.result("crm.contact.list", filter={"name": "%"})) == ["50%"]
    both = {"name": "an", "company": "dock"}
    assert names(service.result("crm.contact.list", filter=both)) == ["Ann"]


def test_the_page_size_is_a_setting() -> None:
    with Service([landyard_contacts], contacts={"page": 2}) as service:
        for name in ("Ann", "Ben", "Cleo"):
            service.result("crm.contact.add", name=name)
        first = service.call("crm.contact.list").body
        second = service.call("crm.contact.list", start=first["next"]).body

    assert (names(first["result"]), first["next"], first["total"]) == (["Ann", "Ben"], 2, 3)
    assert names(second["result"]) == ["Cleo"]
    assert "next" not in second


def test_the_old_name_answers_and_is_deprecated(service: Service) -> None:
    service.result("crm.contact.add", ANN)
    old = service.request("POST", f"/rest/1/{WEBHOOK}/crm.contacts")

    assert old.json()["result"] == service.result("crm.contact.list")
    assert {"deprecation", "sunset"} <= old.headers.keys()


def test_the_scope_is_needed() -> None:
    world = {
        "users": [{"id": 1, "name": "Ann"}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["landing"]}],
    }
    with Service([landyard_contacts], world=world) as service:
        assert service.call("crm.contact.list").error == "insufficient_scope"
