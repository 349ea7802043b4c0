"""The cache of public pages is current: a request after a finished change sees the change (P11)."""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, PUBLISHED, one_page, page, site, world
from plugins.public.changes import await_notice, run, version

from landyard.testing import Service
from landyard_content.pages.publication import publish, unpublish
from landyard_public import delivery
from landyard_public.cache import Cache

PATH = "/site-7/page-10/"
pytestmark = pytest.mark.rule("P11")

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _title(service: Service, path: str = PATH) -> str:
    answer = service.get(path)
    return answer.text.partition("<title>")[2].partition("<")[0] if answer.is_success else ""


# -------------------------------------------------------- the first request after a change


def _publish(service: Service) -> None:
    run(service, f"UPDATE landing_block SET content = '<p>new</p>' WHERE id = {DRAFT}")
    service.kernel.store.run(
        lambda unit: publish(unit.connection, PAGE, service.kernel.now()), writes=True
    )


def _load(**item: Any) -> Callable[[Service], None]:
    return lambda service: service.load({"pages": [{"id": PAGE, "site": 7, **item}]})


CHANGES: dict[str, tuple[Callable[[Service], None], str, str]] = {
    "published by a call": (_publish, "<p>new</p>", ">Old<"),
    "a new title": (_load(title="New"), "<title>New<", "<title>page-10</title>"),
    "a manifest's files": (
        lambda service: service.load(
            {"manifests": [{"code": "test.all", "css": ["/assets/new.css"]}]}
        ),
        "/assets/new.css",
        "/assets/a.css",
    ),
    "a published block by hand": (
        lambda service: run(
            service,
            f"UPDATE landing_block SET content = '<i>x</i>' WHERE id = {PUBLISHED}",
        ),
        "<i>x</i>",
        ">Old<",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_P11_the_first_request_after_a_change_sees_it(
    make_service: MakeService, change: str
) -> None:
    make, new, old = CHANGES[change]
    service = make_service(world=one_page())
    other = make_service(world={})
    before = [service.get(PATH).text for _ in range(3)]

    make(other)
    await_notice(service)

    after = service.get(PATH).text
    assert [new in text for text in before] == [False] * 3
    assert [old in text for text in before] == [True] * 3
    assert (new in after, old in after) == (True, False)


GONE: dict[str, Callable[[Service], None]] = {
    "unpublished": lambda service: service.kernel.store.run(
        lambda unit: unpublish(unit.connection, PAGE, service.kernel.now()), writes=True
    ),
    "trashed": _load(deleted=True),
    "moved": _load(code="elsewhere"),
    "its site switched off": lambda service: service.load({"sites": [{"id": 7, "active": False}]}),
    "its site renamed": lambda service: service.load({"sites": [{"id": 7, "code": "other"}]}),
    "its site given a domain": lambda service: service.load(
        {"sites": [{"id": 7, "domain": "seven.example"}]}
    ),
    "hidden by a folder": lambda service: service.load(
        {"folders": [{"id": 1, "site": 7, "code": "page-10"}]}
    ),
    "deleted": lambda service: run(service, f"DELETE FROM landing_page WHERE id = {PAGE}"),
}


ELSEWHERE = {"moved", "its site renamed", "its site given a domain"}


@pytest.mark.parametrize("change", GONE)
@pytest.mark.rule("B17")
def test_P11_a_removed_page_is_gone_at_once(make_service: MakeService, change: str) -> None:
    service = make_service(world=one_page())
    other = make_service(world={})
    before = [service.get(PATH).status_code for _ in range(2)]

    GONE[change](other)
    await_notice(service)

    now = 301 if change in ELSEWHERE else 404  # the plugin `redirects` knows the new address
    assert (before, service.get(PATH).status_code) == ([200, 200], now)


def test_P11_a_restored_page_is_back_at_once(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    recorded = []

    for active in (True, False, True):
        _load(active=active)(service)
        recorded.append([service.get(PATH).status_code for _ in range(2)])

    assert recorded == [[200, 200], [404, 404], [200, 200]]


def test_P11_a_domain_that_moves_to_another_site_moves_at_once(make_service: MakeService) -> None:
    shown: dict[str, Any] = {"active": True, "published": True, "code": "x"}
    built = world(
        page(20, site=8, title="Eight", **shown),
        page(30, site=9, title="Nine", **shown),
        sites=[site(8, domain="a.example"), site(9, domain="b.example")],
    )
    service = make_service(world=built)
    texts = [service.get("/x/", host="a.example").text for _ in range(2)]

    service.load({"sites": [{"id": 8, "domain": "c.example"}]})
    service.load({"sites": [{"id": 9, "domain": "a.example"}]})

    assert ["Eight" in text for text in texts] == [True, True]
    assert "Nine" in service.get("/x/", host="a.example").text
    assert service.get("/x/", host="b.example").status_code == 301


# ----------------------------------------------------------- the benefits of the cache


def _no_rendering(*_: object) -> str:
    raise AssertionError("rendered again")


def test_P11_an_unchanged_page_is_rendered_once(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=one_page())
    first = service.get(PATH)
    monkeypatch.setattr(delivery, "published_page", _no_rendering)

    again = service.get(PATH)

    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])


@on_sqlite
def test_P11_on_sqlite_an_unchanged_page_needs_no_thread(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=one_page())
    first = service.get(PATH)

    async def no_thread(*_: object, **__: object) -> None:
        raise AssertionError("not in memory")

    pools = service.kernel.process.pools
    for pool in (pools.reading, pools.writing, pools.slow):
        monkeypatch.setattr(pool, "run", no_thread)
    sent_on = {"if-none-match": first.headers["etag"]}

    assert service.get(PATH).content == first.content
    assert service.get(PATH, **sent_on).status_code == 304
    head = service.request("HEAD", PATH)
    assert (head.content, head.headers["content-length"]) == (b"", first.headers["content-length"])


@on_sqlite
def test_P11_a_slow_reader_of_former_domains_stores_nothing_outdated(
    make_service: MakeService,
) -> None:
    service = make_service(world=world(sites=[site(8, domain="a.example")]))
    ours = delivery.Delivery(service.kernel)
    request = delivery.Asked("a.example", "/robots.txt")
    found = ours.find(request)

    # It began before the site had its domain, and is done only now.
    ours._site_domains = (version(service) - 1, frozenset())

    assert b"//a.example/" in found.body
    assert ours.find(request) == found


@on_sqlite
@pytest.mark.parametrize("path", ["/nowhere/", "/site-7/page-10", "/site-7/other/"])
def test_P11_only_pages_are_cached(make_service: MakeService, path: str) -> None:
    service = make_service(world=one_page())
    kept: list[object] = []
    keep = Cache.keep

    def noting(cache: Any, key: Any, *given: Any) -> None:
        kept.append(key)
        keep(cache, key, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cache, "keep", noting)
        service.get(path)
        service.get(PATH)

    assert kept == [("", PATH)]


@on_sqlite
def test_P11_a_closed_service_stops_watching(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    service.get(PATH)
    file = service.kernel.settings.data / "landyard.db"

    service.kernel.close()

    # Closing the last connection deletes the log.
    assert [each.name for each in file.parent.glob("landyard.db*")] == ["landyard.db"]


# --------------------------------------------------------------------------------------- the memory


def test_P11_memory_is_limited_and_the_least_used_pages_are_dropped_first() -> None:
    cache: Cache[str, int] = Cache(10_000)
    for number in range(4):
        cache.keep(str(number), 1, number, 1000)
    cache.find("0", 1)
    cache.keep("4", 1, 4, 1000)
    cache.keep("large", 1, 5, 9_500)

    assert [cache.find(str(number), 1) for number in range(5)] == [0, None, 2, 3, 4]
    assert cache.find("large", 1) is None
    assert 0 < cache.size <= cache.capacity


def test_P11_a_cached_value_is_found_only_under_its_version() -> None:
    cache: Cache[str, str] = Cache(10_000)
    cache.keep("a", 1, "one", 1)
    size = cache.size
    found = [cache.find("a", version) for version in (0, 1, 2)]
    cache.keep("a", 2, "two", 1)

    assert found == [None, "one", None]
    assert [cache.find("a", version) for version in (1, 2)] == [None, "two"]
    assert cache.size == size
