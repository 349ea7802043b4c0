"""Public changes are told to edges: by tags, joined, within limits, until each is told."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.worlds import SITE, block, page, world
from contrib.edges.fake_edge import FakeEdge

import landyard_blocks
import landyard_content
import landyard_edges
import landyard_events
import landyard_landing
import landyard_outgoing
import landyard_pages
import landyard_public
import landyard_sitekit
import landyard_sites
from landyard.testing import Service
from landyard_edges import LOOK
from landyard_edges.purging import Edges
from landyard_edges.waiting import MOST_PAGES, list_edges, sweep
from landyard_events import deliver_due
from landyard_events.subscriptions import outbox_of

PLUGINS = [
    landyard_blocks,
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_pages,
    landyard_sites,
    landyard_events,
    landyard_outgoing,
    landyard_edges,
]
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)
TOKEN = "token-of-a-vendor"


def pages(count: int, first: int = 10, **more: Any) -> list[dict[str, Any]]:
    shown = {"active": True, "published": True, **more}
    return [
        page(each, block(each * 10, published_id=each * 10 + 1), **shown)
        for each in range(first, first + count)
    ]


def served(make_service: MakeService, count: int = 2, **edges: Any) -> Service:
    service = make_service(PLUGINS, world=world(*pages(count)), now=NOON, edges=edges)
    service.kernel.plugins.kept(Edges).serve()
    return service


def varnish(edge: FakeEdge, **more: Any) -> dict[str, Any]:
    return {"varnish": {"front": {"url": edge.url, **more}}}


def state(service: Service) -> Any:
    with service.kernel.store.unit(writes=False) as unit:
        names = service.kernel.plugins.kept(Edges).names
        (listed,) = list_edges(unit.connection, names)
    return listed


def settle(service: Service) -> None:
    """Deliver all that is due until nothing waits."""
    for _ in range(5):
        deliver_due(service.kernel)
        service.later(seconds=1)


def test_a_publication_purges_the_page_and_lists_of_pages(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, **varnish(edge))
    service.result("landing.landing.publication", lid=10)
    assert edge.received == []  # nothing is sent in the transaction
    deliver_due(service.kernel)
    assert [each.tags for each in edge.received] == [("page-10", "lists")]
    service.later(seconds=1)
    deliver_due(service.kernel)
    assert [each.tags for each in edge.received] == [("page-10", "lists")] * 2
    settle(service)
    assert len(edge.received) == 2
    assert state(service).waiting == 0
    assert state(service).last_success is not None


@pytest.mark.parametrize(
    ("calls", "tags"),
    [
        (
            [("landing.landing.unpublic", {"lid": 11})],
            {"page-11", "site-7", "lists"},
        ),
        (
            [("landing.landing.update", {"lid": 11, "fields": {"TITLE": "New"}})],
            {"page-11", "site-7", "lists"},
        ),
        (
            [("landing.landing.markdelete", {"lid": 11})],
            {"page-11", "site-7", "lists"},
        ),
        (
            [("landing.landing.delete", {"lid": 11})],
            {"page-11", "site-7", "lists"},
        ),
        (
            [("landing.site.update", {"id": SITE, "fields": {"TITLE": "New"}})],
            {"site-7", "lists"},
        ),
        (
            [("landing.site.unpublic", {"id": SITE})],
            {"site-7", "lists", "page-10", "page-11"},
        ),
        (
            [
                ("landing.site.addfolder", {"siteId": SITE, "fields": {"TITLE": "F", "CODE": "f"}}),
                ("landing.site.publicationfolder", {"folderId": 1}),
            ],
            {"site-7", "lists"},
        ),
        ([("landing.landing.copy", {"lid": 11})], set()),
        (
            [("landing.block.updatenodes", {"lid": 11, "block": 110, "data": {".title": "Draft"}})],
            set(),
        ),
    ],
)
def test_a_public_change_purges_the_tags_of_what_it_may_change(
    make_service: MakeService,
    edge: FakeEdge,
    calls: Sequence[tuple[str, dict[str, Any]]],
    tags: set[str],
) -> None:
    service = served(make_service, **varnish(edge))
    for method, params in calls:
        service.result(method, params)
    settle(service)
    assert edge.tags == tags


def test_a_translation_purges_the_pages_that_name_it(
    make_service: MakeService, edge: FakeEdge
) -> None:
    built = world(*pages(1), *pages(1, 11, translation_of=10))
    service = make_service(PLUGINS, world=built, now=NOON, edges=varnish(edge))
    service.result("landing.landing.publication", lid=11)
    settle(service)
    assert edge.tags == {"page-10", "page-11", "lists"}


def test_the_publication_of_a_main_page_purges_its_site(
    make_service: MakeService, edge: FakeEdge
) -> None:
    built = world(*pages(1))
    built["sites"][0]["main_page"] = 10
    service = make_service(PLUGINS, world=built, now=NOON, edges=varnish(edge))
    service.result("landing.landing.publication", lid=10)
    settle(service)
    assert edge.tags == {"page-10", "site-7", "lists"}


def test_a_change_of_many_pages_is_joined_to_the_tag_of_their_site(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, 3 * MOST_PAGES, **varnish(edge))
    service.result("landing.site.publication", id=SITE)
    assert state(service).waiting <= MOST_PAGES + 2
    settle(service)
    assert edge.tags <= {"site-7", "lists", *(f"page-{each}" for each in range(10, 31))}
    assert "site-7" in edge.tags


def test_what_waits_is_joined_when_it_is_sent(make_service: MakeService, edge: FakeEdge) -> None:
    service = served(make_service, MOST_PAGES + 1, **varnish(edge))
    for page_id in range(10, 11 + MOST_PAGES):
        service.result("landing.landing.publication", lid=page_id)
    deliver_due(service.kernel)
    assert [set(each.tags) for each in edge.received] == [{"site-7", "lists"}]


def test_no_request_has_more_tags_than_the_edge_takes(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, 10, **varnish(edge, tags=4))
    for page_id in range(10, 20):
        service.result("landing.landing.publication", lid=page_id)
    settle(service)
    assert edge.tags == {"lists", *(f"page-{each}" for each in range(10, 20))}
    assert {len(each.tags) for each in edge.received} <= {1, 2, 3, 4}
    assert state(service).waiting == 0


def test_a_call_that_fails_purges_nothing(make_service: MakeService, edge: FakeEdge) -> None:
    service = served(make_service, **varnish(edge))
    commands = {
        "a": "landing.landing.publication?lid=10",
        "b": "landing.landing.publication?lid=99",
        "c": "landing.landing.publication?lid=11",
    }
    for command in commands.values():
        method, _, query = command.partition("?")
        service.call(method, lid=int(query.removeprefix("lid=")))
    settle(service)
    assert edge.tags == {"page-10", "page-11", "lists"}


def test_purges_have_the_form_of_fastly(make_service: MakeService, edge: FakeEdge) -> None:
    named = {"pages": {"service": "SU1Z0isxPaozGVKXdv0eY", "token": TOKEN, "url": edge.url}}
    service = served(make_service, fastly=named)
    service.result("landing.landing.publication", lid=10)
    deliver_due(service.kernel)
    (received,) = edge.received
    assert received.path == "/service/SU1Z0isxPaozGVKXdv0eY/purge"
    assert received.headers["surrogate-key"] == "page-10 lists"
    assert received.headers["fastly-key"] == TOKEN


def test_purges_have_the_form_of_cloudflare_and_keep_its_limits(
    make_service: MakeService, edge: FakeEdge
) -> None:
    zone = {"zone": "023e105f4ecef8ad9ca31a8372d0c353", "token": TOKEN, "url": edge.url}
    service = served(make_service, cloudflare={"zone": zone})
    service.result("landing.landing.publication", lid=10)
    deliver_due(service.kernel)
    (received,) = edge.received
    assert received.path == "/zones/023e105f4ecef8ad9ca31a8372d0c353/purge_cache"
    assert received.headers["authorization"] == f"Bearer {TOKEN}"
    assert received.tags == ("page-10", "lists")
    for second in range(1, 60):
        service.later(seconds=1)
        service.result("landing.landing.publication", lid=10 + second % 2)
        deliver_due(service.kernel)
    assert len(edge.received) == 5
    for _ in range(5):
        service.later(seconds=12)
        deliver_due(service.kernel)
    assert state(service).waiting == 0
    assert edge.tags == {"page-10", "page-11", "lists"}


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_an_edge_that_refuses_purges_is_listed_and_catches_up(
    make_service: MakeService, edge: FakeEdge, status: int
) -> None:
    service = served(make_service, **varnish(edge))
    edge.status, edge.more = status, {"Retry-After": "20"}
    service.result("landing.landing.publication", lid=10)
    deliver_due(service.kernel)
    listed = state(service)
    assert (listed.error, listed.waiting) == (f"it answered {status}", 2)
    assert listed.failing_since == listed.oldest == NOON
    edge.status = 200
    service.later(seconds=31 if status < 500 else 3)
    settle(service)
    assert edge.tags == {"page-10", "lists"}
    listed = state(service)
    assert (listed.error, listed.waiting, listed.failing_since) == ("", 0, None)


def test_many_changes_while_an_edge_is_away_leave_one_task(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, **varnish(edge))
    edge.status = 503
    for _ in range(20):
        service.result("landing.landing.publication", lid=10)
        deliver_due(service.kernel)
    service.later(seconds=1)
    deliver_due(service.kernel)
    with service.kernel.store.unit(writes=False) as unit:
        count = unit.connection.exec_driver_sql("SELECT count(*) FROM events_delivery").scalar()
    assert count == 1
    edge.status = 200
    service.later(seconds=3)
    settle(service)
    assert [set(each.tags) for each in edge.received] == [{"page-10", "lists"}] * 2


def test_edges_do_not_wait_for_each_other(make_service: MakeService, edge: FakeEdge) -> None:
    away = {"url": "http://127.0.0.1:9/"}  # nobody listens there
    service = served(make_service, varnish={"away": away, "front": {"url": edge.url}})
    service.result("landing.landing.publication", lid=10)
    deliver_due(service.kernel)
    assert edge.tags == {"page-10", "lists"}
    with service.kernel.store.unit(writes=False) as unit:
        errors = {each.name: each.error for each in list_edges(unit.connection, ())}
    assert errors == {"varnish.away": "host_not_reached", "varnish.front": ""}


def test_tokens_are_hidden_in_the_settings(make_service: MakeService, edge: FakeEdge) -> None:
    named = {"pages": {"service": "abc", "token": TOKEN, "url": edge.url}}
    service = served(make_service, fastly=named)
    shown = msgspec.json.encode(service.kernel.plugins.settings_in_force()).decode()
    assert TOKEN not in shown
    assert "abc" in shown


def test_what_waits_for_an_edge_that_is_no_longer_named_is_removed_after_a_day(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, **varnish(edge))
    edge.status = 503
    service.result("landing.landing.publication", lid=10)
    deliver_due(service.kernel)
    store = service.kernel.store
    for hours, left in ((0, 2), (25, 0)):
        service.later(hours=hours)
        with store.unit(writes=True) as unit:
            sweep(unit.connection, ["fastly.other"], service.kernel.now())
        with store.unit(writes=False) as unit:
            assert sum(each.waiting for each in list_edges(unit.connection, ())) == left


def test_what_would_take_many_requests_purges_everything(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, 12, **varnish(edge, tags=1))
    for page_id in range(10, 22):
        service.result("landing.landing.publication", lid=page_id)
    settle(service)
    assert [each.tags for each in edge.received] == [("landyard",)] * 2


def test_moments_of_a_clock_that_was_ahead_are_set_right(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, **varnish(edge))
    service.result("landing.landing.publication", lid=10)
    assert service.now is not None
    service.now -= timedelta(days=1)
    settle(service)
    assert edge.tags == set()
    store = service.kernel.store
    store.run(
        lambda unit: sweep(unit.connection, ["varnish.front"], service.kernel.now()), writes=True
    )
    service.kernel.plugins.kept(Edges).purge_all()
    assert edge.tags == {"page-10", "lists"}


def test_a_process_looks_often_for_what_a_killed_one_has_left(
    make_service: MakeService, edge: FakeEdge
) -> None:
    service = served(make_service, **varnish(edge))
    assert outbox_of(service.kernel.store.engine)._look() == LOOK < 1
