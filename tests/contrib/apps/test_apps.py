"""An app reads its own data, binds events, and receives them in the platform's format."""

import functools
import importlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest
import sqlalchemy as sa
from b24pysdk.credentials import OAuthEventData  # type: ignore[import-untyped]
from conftest import MakeService
from contrib.oauth.flow import PLUGINS, WORLD, App, call, let_in, let_in_again
from contrib.webhooks import shop
from contrib.webhooks.receiver import Receiver

import landyard_apps
import landyard_content
import landyard_events
import landyard_landing
import landyard_outgoing
import landyard_public
import landyard_sitekit
from landyard.testing import WEBHOOK, Service
from landyard_apps.names import name_of
from landyard_events import deliver_due
from landyard_oauth.apps import revoke

ALL = [
    *PLUGINS,
    shop,
    landyard_apps,
    landyard_events,
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_outgoing,
]
PAID = "ONSHOPORDERPAID"
HANDLER = "https://app.example/handler/"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def service(make_service: MakeService, receiver: Receiver) -> Service:
    allowed = {"allow_hosts": [receiver.host], "handlers": 2}
    return make_service(
        ALL, world=WORLD, now=NOW, public_base="https://pages.example", apps=allowed
    )


def test_app_info_describes_an_app_and_a_webhook(service: Service) -> None:
    info = call(service, let_in(service), "app.info").result

    assert info.pop("CODE").startswith("local.")
    assert info == {
        "ID": 1,
        "VERSION": 1,
        "STATUS": "L",
        "INSTALLED": True,
        "PAYMENT_EXPIRED": "N",
        "DAYS": None,
        "LANGUAGE_ID": "en",
        "LICENSE": "",
        "LICENSE_TYPE": "",
        "LICENSE_FAMILY": "",
    }
    refused = service.call("app.info")
    assert (refused.status, refused.error) == (400, "ACCESS_DENIED")


@pytest.mark.parametrize("method", ["events", "event.bind", "event.unbind", "event.get"])
def test_only_apps_may_bind_events(service: Service, method: str) -> None:
    refused = service.call(method, event=PAID, handler=HANDLER)

    assert (refused.status, refused.error) == (400, "ACCESS_DENIED")


def test_events_are_listed_by_scope(service: Service) -> None:
    token = let_in(service, 1, "shop")

    assert call(service, token, "events").result == [PAID]
    assert call(service, let_in(service), "events", SCOPE="shop").result == [PAID]
    assert PAID not in call(service, let_in(service), "events").result
    assert PAID in call(service, let_in(service), "events", FULL=True).result


def test_an_event_is_sent_in_the_platforms_format(service: Service, receiver: Receiver) -> None:
    token = let_in(service, 1, "shop")
    assert call(service, token, "event.bind", event=PAID.lower(), handler=receiver.url("/a")).result
    service.result("shop.pay", order=7, user=1, webhook=WEBHOOK)

    assert deliver_due(service.kernel) == 1
    (sent,) = receiver.of("/a")
    form = dict(parse_qsl(sent.body.decode()))
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    assert sent.headers["landyard-event-id"].startswith("evt_")
    read = OAuthEventData.from_dict(form)
    assert (read.event, read.ts, read.is_system) == (PAID, NOW, True)
    assert len(form.pop("auth[application_token]")) == 32
    assert len(form.pop("auth[member_id]")) == 32
    assert form == {
        "event": PAID,
        "event_handler_id": "1",
        "ts": str(int(NOW.timestamp())),
        "data[ORDER]": "7",
        "data[TURN]": "0",
        "auth[domain]": "pages.example",
        "auth[scope]": "landing,user",
        "auth[status]": "L",
        "auth[client_endpoint]": "https://pages.example/rest/",
        "auth[server_endpoint]": "https://pages.example/rest/",
    }


def test_a_refused_event_is_sent_again_and_not_to_an_app_that_is_gone(
    service: Service, receiver: Receiver
) -> None:
    token = let_in(service, 1, "shop")
    for path in ("/a", "/gone"):
        call(service, token, "event.bind", event=PAID, handler=receiver.url(path))
    receiver.answers |= {"/a": 500, "/gone": 410}
    service.result("shop.pay", order=7)

    assert deliver_due(service.kernel, raise_failures=False) == 0
    receiver.answers.clear()
    service.later(hours=1)
    assert deliver_due(service.kernel) == 1
    assert [len(receiver.of(path)) for path in ("/a", "/gone")] == [2, 1]
    service.result("shop.pay", order=8)
    with service.kernel.store.session(writes=True) as session:
        revoke(session, 1)
    deliver_due(service.kernel)
    service.result("shop.pay", order=9)
    assert deliver_due(service.kernel) == 0
    assert len(receiver.received) == 3


def test_handlers_are_bound_listed_and_removed(service: Service) -> None:
    token, other = let_in(service, 1, "shop"), let_in(service, 1, "shop")
    bound = {"event": PAID, "handler": HANDLER}
    for auth_type in (0, 15):
        assert call(service, token, "event.bind", **bound, auth_type=auth_type).result is True

    assert call(service, token, "event.get").result == [
        {**bound, "auth_type": "0", "offline": 0},
        {**bound, "auth_type": "15", "offline": 0},
    ]
    assert call(service, other, "event.get").result == []
    assert call(service, other, "event.unbind", event=PAID).result == {"count": 0}
    assert call(service, token, "event.unbind", **bound, auth_type=0).result == {"count": 1}
    assert call(service, token, "event.unbind", event=PAID).result == {"count": 1}


def test_a_user_who_is_no_administrator_binds_for_itself(service: Service) -> None:
    token = let_in(service, 2, "shop")
    bound = {"event": PAID, "handler": HANDLER}

    assert call(service, token, "event.bind", **bound).result is True
    assert call(service, token, "event.get").result[0]["auth_type"] == "2"
    refused: list[dict[str, Any]] = [{"auth_type": 1}, {"event_type": "offline"}]
    for more in refused:
        assert call(service, token, "event.bind", **bound, **more).error == "ACCESS_DENIED"
    assert call(service, token, "event.unbind", **bound).error == "ACCESS_DENIED"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"event": "ONCRMLEADADD"}, "ERROR_EVENT_NOT_FOUND"),
        ({"event": name_of("landing.page.published")}, "ERROR_EVENT_NOT_FOUND"),
        ({"event": None}, "MISSING_PARAMS"),
        ({"handler": ""}, "ERROR_WRONG_HANDLER_URL"),
        ({"handler": "ftp://app.example/"}, "ERROR_WRONG_HANDLER_URL"),
        ({"handler": "http://127.0.0.1/"}, "ERROR_WRONG_HANDLER_URL"),
        ({"handler": "https://app.example:22/"}, "ERROR_WRONG_HANDLER_URL"),
        ({"event_type": "offline"}, "TYPE_ERROR"),
        ({"auth_type": "Ann"}, "TYPE_ERROR"),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_an_invalid_binding_is_refused(
    service: Service, changed: dict[str, Any], code: str
) -> None:
    token = let_in(service, 1, "shop")
    answer = call(service, token, "event.bind", **{"event": PAID, "handler": HANDLER} | changed)

    assert answer.error == code
    assert call(service, token, "event.get").result == []


@pytest.mark.parametrize(
    ("method", "sent", "code"),
    [
        ("event.unbind", {}, "MISSING_PARAMS"),
        ("event.unbind", {"event": []}, "TYPE_ERROR"),
        ("event.unbind", {"event": PAID, "auth_type": "Ann"}, "TYPE_ERROR"),
        ("event.unbind", {"event": PAID, "event_type": "offline"}, "TYPE_ERROR"),
        ("events", {"SCOPE": []}, "TYPE_ERROR"),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_an_invalid_unbinding_or_listing_is_refused(
    service: Service, method: str, sent: dict[str, Any], code: str
) -> None:
    token = let_in(service, 1, "shop")
    assert call(service, token, "event.bind", event=PAID, handler=HANDLER).result is True

    assert call(service, token, method, **sent).error == code
    assert len(call(service, token, "event.get").result) == 1


def test_an_app_binds_a_handler_once_and_a_limited_number_of_them(service: Service) -> None:
    token = let_in(service, 1, "shop")
    for handler in (HANDLER, f"{HANDLER}2"):
        call(service, token, "event.bind", event=PAID, handler=handler)

    for handler in (HANDLER, f"{HANDLER}3"):
        again = call(service, token, "event.bind", event=PAID, handler=handler)
        assert again.error == "ERROR_CORE"
    assert len(call(service, token, "event.get").result) == 2


# ------------------------------------------------------------------ which apps receive an event

SHOWN = "ONLANDINGPAGEPUBLISHED"
BEN: dict[str, Any] = {"id": 2, "name": "Ben", "sites_access": True, "rights": {"7": ["view"]}}
SITES: dict[str, Any] = {
    "users": [BEN],
    "sites": [{"id": 7, "code": "a", "title": "A"}, {"id": 8, "code": "b", "title": "B"}],
}


def _published(service: Service, *sites: int) -> None:
    """Publish an event for a page of each site."""
    kernel = service.kernel
    for site_id in sites:
        event = landyard_landing.events.PagePublished(site_id * 10, site_id, 1)
        kernel.store.run(functools.partial(kernel.publish, event=event), writes=True)


def _heard(receiver: Receiver, path: str = "/a") -> list[int]:
    forms = [dict(parse_qsl(each.body.decode())) for each in receiver.of(path)]
    return [int(each["data[SITE_ID]"]) for each in forms]


def _bound(service: Service, receiver: Receiver, user: int = 2, **more: Any) -> str:
    service.load(SITES)
    token = let_in(service, user, "landing")
    assert call(
        service, token, "event.bind", event=SHOWN, handler=receiver.url("/a"), **more
    ).result
    return token


def test_an_app_receives_events_only_of_sites_that_its_user_may_view(
    service: Service, receiver: Receiver
) -> None:
    _bound(service, receiver)
    _published(service, 7, 8)

    deliver_due(service.kernel)

    assert _heard(receiver) == [7]


@pytest.mark.parametrize(
    "lost",
    [
        {"users": [BEN | {"active": False}]},
        {"users": [BEN | {"sites_access": False}]},
        {"users": [BEN | {"rights": {"7": []}}]},
    ],
)
def test_a_waiting_event_is_not_sent_once_its_user_may_not_view_the_site(
    service: Service, receiver: Receiver, lost: dict[str, Any]
) -> None:
    _bound(service, receiver)
    _published(service, 7)
    service.load(lost)

    deliver_due(service.kernel)
    _published(service, 7)
    deliver_due(service.kernel)

    assert _heard(receiver) == []
    service.load({"users": [BEN | {"active": True}]})
    _published(service, 7)
    deliver_due(service.kernel)
    assert _heard(receiver) == [7]


def test_an_event_bound_by_an_administrator_is_not_sent_once_the_user_is_none(
    service: Service, receiver: Receiver
) -> None:
    _bound(service, receiver, 1)
    _published(service, 8)
    deliver_due(service.kernel)
    service.load({"users": [{"id": 1, "admin": False}, {"id": 3, "name": "Cy", "admin": True}]})
    _published(service, 8)
    deliver_due(service.kernel)

    assert _heard(receiver) == [8]


def test_an_event_bound_for_another_user_is_sent_while_both_may_view_the_site(
    service: Service, receiver: Receiver
) -> None:
    _bound(service, receiver, 1, auth_type=2)
    _published(service, 7, 8)

    deliver_due(service.kernel)

    assert _heard(receiver) == [7]


def test_a_user_who_could_view_a_deleted_site_receives_its_deletion(
    service: Service, receiver: Receiver
) -> None:
    service.load(SITES)
    token = let_in(service, 2, "landing")
    bound = {"event": "ONLANDINGSITEDELETED", "handler": receiver.url("/a")}
    call(service, token, "event.bind", **bound)
    kernel = service.kernel
    for site_id in (7, 8):
        event = landyard_landing.events.SiteDeleted(site_id, 1)
        kernel.store.run(functools.partial(kernel.publish, event=event), writes=True)
    gone = landyard_landing.tables.SITE.id.table.delete()
    kernel.store.run(lambda unit: unit.connection.execute(gone), writes=True)

    deliver_due(kernel)

    assert _heard(receiver) == [7]


def test_an_app_receives_nothing_once_its_authorisation_has_ended(
    service: Service, receiver: Receiver
) -> None:
    app = App(service)
    bound = {"event": SHOWN, "handler": receiver.url("/a")}
    service.load(SITES)
    assert call(service, app.tokens()["access_token"], "event.bind", **bound).result
    _published(service, 7)
    deliver_due(service.kernel)
    _published(service, 7)
    service.load({"webhooks": [{"user": 1, "code": WEBHOOK, "active": False}]})
    deliver_due(service.kernel)
    assert _heard(receiver) == [7]

    let_in_again(service, app)
    _published(service, 7)
    deliver_due(service.kernel)

    assert _heard(receiver) == [7, 7]


@pytest.mark.parametrize("scopes", [["user"], []])
def test_an_app_receives_nothing_of_a_revoked_scope(
    service: Service, receiver: Receiver, scopes: list[str]
) -> None:
    token = App(service).tokens()["access_token"]
    service.load(SITES)
    assert call(service, token, "event.bind", event=SHOWN, handler=receiver.url("/a")).result
    service.load({"webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}]})

    _published(service, 7)
    deliver_due(service.kernel)

    assert _heard(receiver) == []


def test_an_older_binding_belongs_to_an_administrator_who_authorises_the_app(
    service: Service,
) -> None:
    token = let_in(service, 1, "shop")
    call(service, token, "event.bind", event=PAID, handler=HANDLER)
    upgrade = importlib.import_module("landyard_apps.migrations.apps_0002")
    rows = sa.text("SELECT user_id FROM apps_binding")

    def again(unit: Any) -> list[int]:
        unit.connection.execute(sa.text("UPDATE apps_binding SET user_id = 0"))
        unit.connection.execute(sa.text(upgrade._OWNERS))
        return [user_id for (user_id,) in unit.connection.execute(rows)]

    assert service.kernel.store.run(again, writes=True) == [1]
