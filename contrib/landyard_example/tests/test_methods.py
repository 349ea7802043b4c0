"""Tests of the methods, called as a client calls them."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from landyard import Plugin
from landyard.testing import Service

import landyard_example

GUESTBOOK = Plugin("guestbook", landyard_example)
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service([GUESTBOOK], now=NOON) as service:
        yield service


def test_an_entry_is_added_and_listed(service: Service) -> None:
    added = service.result("guestbook.add", name=" Ann ", text="Fair winds!")

    assert added == {
        "id": 1,
        "name": "Ann",
        "text": "Fair winds!",
        "added_at": "2027-05-01T12:00:00Z",
    }
    assert service.result("guestbook.list") == [added]


def test_the_list_goes_page_by_page() -> None:
    with Service([GUESTBOOK], guestbook={"page": 2}) as service:
        for name in ("Ann", "Ben", "Cleo"):
            service.result("guestbook.add", name=name, text="Ahoy")

        first = service.call("guestbook.list").body
        second = service.call("guestbook.list", start=first["next"]).body

    assert [entry["name"] for entry in first["result"]] == ["Cleo", "Ben"]
    assert first["total"] == 3
    assert [entry["name"] for entry in second["result"]] == ["Ann"]
    assert "next" not in second


@pytest.mark.parametrize("sent", [{"name": " ", "text": "x"}, {"name": "Ann", "text": ""}])
def test_an_entry_needs_a_name_and_a_text(service: Service, sent: dict[str, str]) -> None:
    assert service.call("guestbook.add", sent).error == "GUESTBOOK_ENTRY_REFUSED"
    assert service.result("guestbook.list") == []


def test_how_long_an_entry_may_be_is_a_setting() -> None:
    with Service([GUESTBOOK], guestbook={"longest": 10}) as service:
        service.result("guestbook.add", name="Ann", text="1234567")
        longer = service.call("guestbook.add", name="Ann", text="12345678")

    assert longer.error == "GUESTBOOK_ENTRY_REFUSED"


def test_what_is_missing_is_said(service: Service) -> None:
    assert service.call("guestbook.add", name="Ann").error == "MISSING_PARAMS"


def test_the_scope_is_needed() -> None:
    world = {
        "users": [{"id": 1, "name": "Ann"}],
        "webhooks": [{"user": 1, "code": "test-webhook-0123456789", "scopes": ["landing"]}],
    }
    with Service([GUESTBOOK], world=world) as service:
        assert service.call("guestbook.list").error == "insufficient_scope"
