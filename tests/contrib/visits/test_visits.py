"""Page views are counted by an empty picture, and nothing about the visitor is stored."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import STRANGER, VIEWER, as_user, find, page, user, world
from kernel.supervised import until

import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
import landyard_visits
from landyard import Kernel
from landyard.testing import Service
from landyard_visits import counting
from landyard_visits.counting import Visits, is_visit

PLUGINS = [
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_pages,
    landyard_visits,
]
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)
PERSON = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"}
BLOCK = {"id": 100, "code": "ly.text", "published_id": 200}
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _service(make_service: MakeService, **more: Any) -> Service:
    built = world(
        page(10, BLOCK, active=True, published=True),
        page(11, {**BLOCK, "id": 101, "published_id": 201}, active=True, published=True),
        page(12, {**BLOCK, "id": 102, "published_id": 202}),
        users=[
            user(VIEWER, sites_access=True, rights={"*": ["view"]}),
            user(STRANGER, sites_access=True),
        ],
    )
    return make_service(PLUGINS, world=built, now=NOON, **more)


def _see(service: Service, page_id: Any = 10, times: int = 1, **headers: str) -> None:
    for _ in range(times):
        answer = service.get(f"/-/visits?page={page_id}", **{**PERSON, **headers})
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers


def _visits(service: Service, **params: Any) -> list[dict[str, Any]]:
    _kept(service.kernel).store_waiting()
    listed: list[dict[str, Any]] = service.result("landyard.visits.list", params)
    return listed


def _kept(kernel: Kernel) -> Visits:
    return next(each for each in kernel.registry.kept if isinstance(each, Visits))


def test_visits_are_counted_by_page_and_day(make_service: MakeService) -> None:
    service = _service(make_service)
    _see(service, times=3)
    _see(service, 11)
    service.later(days=1)
    _see(service)
    assert _visits(service, siteId=7) == [
        {"lid": 10, "day": "2027-05-02", "visits": 1},
        {"lid": 10, "day": "2027-05-01", "visits": 3},
        {"lid": 11, "day": "2027-05-01", "visits": 1},
    ]
    _see(service)

    assert _visits(service, lid=10, **{"from": "2027-05-02"}) == [
        {"lid": 10, "day": "2027-05-02", "visits": 2}
    ]
    assert [each["visits"] for each in _visits(service, lid=10, to="2027-05-01")] == [3]


@on_sqlite
def test_a_page_has_the_picture_and_stays_in_memory(make_service: MakeService) -> None:
    service = _service(make_service)
    first = service.get("/site-7/page-10/")
    (picture,) = find(first.text, "img[hidden]")
    _see(service)
    _kept(service.kernel).store_waiting()

    assert picture.attr("src") == "/-/visits?page=10"
    again = service.get("/site-7/page-10/", **{"if-none-match": first.headers["etag"]})
    assert again.status_code == 304


NOBODY: list[dict[str, str]] = [
    *({"dnt": "1"}, {"sec-gpc": "1"}, {"sec-purpose": "prefetch;prerender"}),
    *({"purpose": "prefetch"}, {"x-moz": "prefetch"}, {"purpose": "preview"}, {"user-agent": ""}),
    *({"sec-fetch-dest": "document"}, {"sec-fetch-site": "cross-site"}),
    *(
        {"user-agent": name}
        for name in ("Somebot/1.0", "curl/8", "python-requests/2", "Web Spider")
    ),
]


@on_sqlite
@pytest.mark.parametrize("headers", NOBODY)
def test_programs_and_visitors_who_refuse_tracking_are_not_counted(
    make_service: MakeService, headers: dict[str, str]
) -> None:
    service = _service(make_service)
    _see(service, 10, 1, **headers)

    assert _visits(service, siteId=7) == []


def test_a_browser_that_declares_its_fetches_is_counted() -> None:
    assert is_visit({**PERSON, "sec-fetch-dest": "image", "sec-fetch-site": "same-origin"})
    assert is_visit({**PERSON, "dnt": "0", "sec-gpc": "0"})


def test_only_pages_that_visitors_see_are_counted(make_service: MakeService) -> None:
    service = _service(make_service)
    for page_id in (12, 99, 0, -1, 2**31, 2**70):
        _see(service, page_id)

    assert _visits(service, siteId=7) == []


@on_sqlite
@pytest.mark.parametrize("page_id", ["x", "", "1e3", "10;--", "%00"])
def test_an_invalid_number_is_no_page(make_service: MakeService, page_id: str) -> None:
    service = _service(make_service)
    answer = service.get(f"/-/visits?page={page_id}", **PERSON)

    assert answer.status_code in {200, 400}
    assert _visits(service, siteId=7) == []


@on_sqlite
def test_the_number_of_waiting_counts_is_limited(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MOST", 2)
    service = _service(make_service)
    for page_id in (99, 10, 11, 10):
        _see(service, page_id)

    assert [(each["lid"], each["visits"]) for each in _visits(service, siteId=7)] == [(10, 2)]


@on_sqlite
def test_counts_that_could_not_be_written_wait(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = _service(make_service)
    _see(service)
    with monkeypatch.context() as broken:
        broken.setattr(service.kernel.store, "run", _away)
        _kept(service.kernel).store_waiting()
    _see(service)

    assert [each["visits"] for each in _visits(service, siteId=7)] == [2]


def _away(*_: Any, **__: Any) -> None:
    from landyard import Unavailable

    raise Unavailable


@on_sqlite
def test_counts_are_written_periodically(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "EVERY", 0.05)
    service = _service(make_service)
    _see(service)

    def listed() -> list[Any]:
        rows: list[Any] = service.result("landyard.visits.list", lid=10)
        return rows

    until(lambda: bool(listed()), lambda: "nothing was written down")
    assert [each["visits"] for each in listed()] == [1]


@on_sqlite
def test_a_process_that_ends_writes_its_counts(make_service: MakeService) -> None:
    service = _service(make_service)
    _see(service, times=2)
    _kept(service.kernel).close()

    rows = service.result("landyard.visits.list", lid=10)
    assert [each["visits"] for each in rows] == [2]


def test_old_counts_and_those_of_deleted_pages_are_deleted(make_service: MakeService) -> None:
    service = _service(make_service, visits={"days": 30})
    _see(service)
    _see(service, 11)
    assert len(_visits(service, siteId=7)) == 2
    service.result("landing.landing.markDelete", lid=11)
    service.result("landing.landing.delete", lid=11)
    service.later(days=30)
    _see(service)
    _kept(service.kernel).store_waiting()
    service.run_jobs()
    assert [each["day"] for each in _visits(service, siteId=7)] == ["2027-05-31", "2027-05-01"]

    service.later(days=1)
    service.run_jobs()
    assert [each["day"] for each in _visits(service, siteId=7)] == ["2027-05-31"]


REFUSED: list[tuple[int, dict[str, Any], str]] = [
    (STRANGER, {"lid": 10}, "LANDING_NOT_EXIST"),
    (STRANGER, {"siteId": 7}, "SITE_NOT_FOUND"),
    (1, {"siteId": 99}, "SITE_NOT_FOUND"),
    (1, {}, "MISSING_PARAMS"),
    (1, {"siteId": 7, "from": "yesterday"}, "TYPE_ERROR"),
    (1, {"siteId": 7, "to": "2027-02-30"}, "TYPE_ERROR"),
]


@on_sqlite
def test_a_user_who_may_not_view_the_page_sees_no_visits(make_service: MakeService) -> None:
    service = _service(make_service)

    answers = [
        service.call("landyard.visits.list", sent, **as_user(who)) for who, sent, _ in REFUSED
    ]
    assert [each.error for each in answers] == [code for *_, code in REFUSED]
    assert service.call("landyard.visits.list", {"lid": 10}, **as_user(VIEWER)).result == []


def test_a_day_is_a_day_in_utc(make_service: MakeService) -> None:
    service = _service(make_service)
    service.later(hours=12)
    _see(service)

    assert [each["day"] for each in _visits(service, lid=10)] == [str(date(2027, 5, 2))]
