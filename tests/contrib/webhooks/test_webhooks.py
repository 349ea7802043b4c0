"""Events reach the endpoints of others: signed, in order, and repeated until they are accepted."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contrib.webhooks.receiver import Receiver, verified
from contrib.webhooks.services import PLUGINS
from kernel.supervised import until

from landyard.testing import Service
from landyard_events import deliver_due
from landyard_webhooks import endpoints
from landyard_webhooks.endpoints import Endpoint


@pytest.fixture
def service(receiver: Receiver) -> Iterator[Service]:
    allowed = {"allow_hosts": [receiver.host], "seconds": 0.5}
    with Service(PLUGINS, webhooks=allowed, now=datetime.now(UTC)) as service:
        yield service


def add(service: Service, url: str, *events: str) -> Endpoint:
    with service.kernel.store.unit(writes=True) as unit:
        return endpoints.add(unit.session, url, events or ["*"], service.kernel.now())


def stored(service: Service, endpoint: Endpoint) -> Endpoint:
    with service.kernel.store.unit(writes=False) as unit:
        found = unit.session.get(Endpoint, endpoint.id)
    assert found is not None
    return found


def deliver(service: Service, **later: float) -> int:
    service.later(**later)
    return deliver_due(service.kernel, raise_failures=False)  # receivers may not answer


def test_an_event_is_delivered_signed(service: Service, receiver: Receiver) -> None:
    endpoint = add(service, receiver.url("/hooks?a=b"))
    service.result("shop.pay", order=7)

    assert deliver(service) == 1
    (sent,) = receiver.of("/hooks?a=b")
    assert sent.headers["content-type"] == "application/json"
    assert sent.message == {
        "type": "shop.order.paid",
        "timestamp": service.kernel.now().isoformat().replace("+00:00", "Z"),
        "data": {"order": 7, "turn": 0},
    }
    assert verified(endpoint.secret, sent.headers, sent.body)
    assert deliver(service, hours=30) == 0


@pytest.mark.parametrize(
    ("pattern", "is_for"),
    [
        ("*", True),
        ("shop.*", True),
        ("shop.order.paid", True),
        ("shop.order", False),
        ("x.*", False),
    ],
)
def test_an_endpoint_gets_the_events_it_asked_for(
    service: Service, receiver: Receiver, pattern: str, is_for: bool
) -> None:
    add(service, receiver.url(), "other", pattern)
    service.result("shop.pay", order=7)

    assert deliver(service) == is_for


@pytest.mark.parametrize("status", [199, 301, 400, 404, 429, 500, 503])
def test_a_refused_delivery_is_repeated_unchanged(
    service: Service, receiver: Receiver, status: int
) -> None:
    endpoint = add(service, receiver.url())
    receiver.answers["/"] = status
    service.result("shop.pay", order=7)
    service.result("shop.pay", order=7, turn=1)

    assert deliver(service) == 0
    receiver.answers.clear()
    assert deliver(service, hours=1) == 2
    first, again, following = receiver.received
    assert (first.id, first.body) == (again.id, again.body)
    assert following.id != first.id
    assert following.message["data"]["turn"] == 1
    assert int(again.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) == 3600
    service.later(hours=-1)
    assert verified(endpoint.secret, first.headers, first.body)


def test_events_waiting_when_a_service_ends_are_delivered_by_the_next(
    receiver: Receiver, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"data": tmp_path, "webhooks": {"allow_hosts": [receiver.host]}}
    receiver.answers["/"] = 503
    with Service(PLUGINS, **settings, now=datetime.now(UTC)) as service:
        add(service, receiver.url())
        service.result("shop.pay", order=7)
        deliver(service)
        later = service.kernel.now() + timedelta(hours=1)
    receiver.answers.clear()
    with Service(PLUGINS, **settings, world={}, now=later) as service:
        assert deliver(service) == 1

    first, again = receiver.received
    assert (first.id, first.body) == (again.id, again.body)


def test_an_endpoint_that_answers_gone_is_switched_off(
    service: Service, receiver: Receiver
) -> None:
    endpoint = add(service, receiver.url())
    receiver.answers["/"] = 410
    service.result("shop.pay", order=7)
    service.result("shop.pay", order=8)

    assert deliver(service) == 0
    service.result("shop.pay", order=9)
    assert deliver(service, hours=30) == 0
    assert len(receiver.received) == 1
    assert not stored(service, endpoint).active


def test_a_removed_endpoint_gets_nothing_more(service: Service, receiver: Receiver) -> None:
    endpoint = add(service, receiver.url())
    service.result("shop.pay", order=7)
    with service.kernel.store.unit(writes=True) as unit:
        unit.session.delete(endpoint)
    another = add(service, receiver.url())

    deliver(service, hours=30)

    assert receiver.received == []
    assert another.id != endpoint.id


def test_endpoints_do_not_wait_for_each_other(receiver: Receiver) -> None:
    with Service(PLUGINS, webhooks={"allow_hosts": [receiver.host], "seconds": 1}) as service:
        for path in ("/dead", "/slow", "/well"):
            add(service, receiver.url(path))
        receiver.answers["/dead"] = 500
        receiver.pauses["/slow"] = 2
        for order in range(60):
            service.result("shop.pay", order=order)
        service.kernel.process.serving = True
        service.result("shop.pay", order=0, turn=1)

        until(lambda: len(receiver.of("/well")) == 61)
        assert len(receiver.of("/slow")) < 20
        until(lambda: len({each.id for each in receiver.of("/dead")}) == 60)


def test_nothing_is_sent_into_our_own_network(receiver: Receiver) -> None:
    with Service(PLUGINS) as service:
        add(service, receiver.url())
        service.result("shop.pay", order=7)

        assert deliver_due(service.kernel, raise_failures=False) == 0

    assert receiver.received == []


def test_a_rotated_secret_signs_for_a_day(service: Service, receiver: Receiver) -> None:
    endpoint = add(service, receiver.url())
    with service.kernel.store.unit(writes=True) as unit:
        rotated = unit.session.get_one(Endpoint, endpoint.id)
        rotated.rotate(service.kernel.now(), timedelta(hours=1))
    service.result("shop.pay", order=7)
    deliver(service)
    (sent,) = receiver.received

    assert [
        verified(each, sent.headers, sent.body) for each in (endpoint.secret, rotated.secret)
    ] == [True] * 2
    service.later(hours=2)
    assert stored(service, endpoint).secrets(service.kernel.now()) == [rotated.secret]
