"""A service with its files in a bucket: uploads, pages, removal, and a bucket that is away."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, drawn, encoded, upload
from contract.worlds import DRAFT, PAGE, one_page, stored
from kernel.supervised import until
from stores import Relay, port_of, url_of

from landyard import SettingsError
from landyard.testing import Service
from landyard_content.files import file_store
from landyard_content.files.bucket_store import BucketStore

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
LARGE = encoded(drawn(900, 700), "BMP")


@pytest.fixture(params=["seaweedfs"])
def relay(request: pytest.FixtureRequest, run_folder: Path) -> Iterator[Relay]:
    relay = Relay(port_of(request.param, run_folder))
    yield relay
    relay.close()


def serve(make_service: MakeService, relay: Relay, **more: Any) -> Service:
    files = {"url": url_of(relay.port), **more}
    return make_service(world=one_page(), files=files)


def store_of(service: Service) -> BucketStore:
    store = file_store(service.kernel)
    assert isinstance(store, BucketStore)
    return store


def kept(service: Service) -> list[str]:
    return sorted(f"{each.key}/{each.name}" for each in store_of(service).listing())


def place(service: Service, src: str) -> None:
    data = {".pic": {"src": src}}
    service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data=data)


def clean(service: Service, later: timedelta) -> None:
    assert service.now is not None
    service.now += later
    _, job = service.kernel.resolution.jobs["uploads.temporary"]
    job.work(service.kernel)


@pytest.mark.rule("U7", "P10")
def test_U7_a_file_in_a_bucket_is_shown_and_goes_with_its_page(
    make_service: MakeService, relay: Relay
) -> None:
    service = serve(make_service, relay)
    src = upload(service).result["src"]
    place(service, src)
    service.result("landing.landing.publication", lid=PAGE)

    page = service.get("/site-7/page-10/").content.decode()
    got = service.get(src)
    service.result("landing.landing.delete", lid=PAGE)

    assert f'src="{src}"' in page
    assert (got.status_code, got.content, got.headers["content-type"]) == (200, PNG, "image/png")
    assert not (service.kernel.settings.data / "files").exists()
    assert kept(service) == []
    assert service.get(src).status_code == 404


@pytest.mark.rule("H4")
def test_H4_a_small_file_comes_from_memory_and_unchanged_ones_from_nowhere(
    make_service: MakeService, relay: Relay
) -> None:
    service = serve(make_service, relay)
    src = upload(service).result["src"]
    etag = service.get(src).headers["etag"]
    asked = relay.reached

    assert service.get(src).content == PNG
    assert service.get(src, **{"if-none-match": etag}).status_code == 304
    assert relay.reached == asked


@pytest.mark.rule("H4")
def test_H4_a_large_file_is_sent_whole_and_in_parts(
    make_service: MakeService, relay: Relay
) -> None:
    service = serve(make_service, relay)
    src = upload(service, LARGE).result["src"]
    size = len(LARGE)

    whole = service.get(src)
    part = service.get(src, range="bytes=1000-1999")
    tail = service.get(src, range="bytes=-10")
    beyond = service.get(src, range=f"bytes={size}-")
    head = service.request("HEAD", src)

    assert (whole.status_code, whole.content) == (200, LARGE)
    assert whole.headers["accept-ranges"] == "bytes"
    assert (part.status_code, part.content) == (206, LARGE[1000:2000])
    assert part.headers["content-range"] == f"bytes 1000-1999/{size}"
    assert (tail.status_code, tail.content) == (206, LARGE[-10:])
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(size)


@pytest.mark.rule("H4")
def test_H4_the_row_alone_makes_a_file_visible(make_service: MakeService, relay: Relay) -> None:
    service = serve(make_service, relay)
    key = "ab" * 16
    store_of(service).save(key, "a.png", PNG)
    asked = relay.reached

    assert service.get(f"/files/{key}/a.png").status_code == 404
    assert relay.reached == asked


@pytest.mark.rule("H4")
def test_H4_visitors_are_led_to_a_public_store(make_service: MakeService, relay: Relay) -> None:
    service = serve(make_service, relay, public_url="https://cdn.example/pictures/")
    src = upload(service).result["src"]

    answer = service.get(src)
    variant = service.get(f"{src}?v=2")

    key_and_name = src.removeprefix("/files/")
    assert answer.status_code == 302
    assert answer.headers["location"] == f"https://cdn.example/pictures/{key_and_name}"
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert variant.headers["location"].endswith(f"{key_and_name}?v=2")
    assert service.get(f"/files/{'0' * 32}/a.png").status_code == 404


@pytest.mark.parametrize("fault", ["500", "away", "hang"])
def test_while_a_bucket_is_away_uploads_are_refused_and_pages_are_served(
    make_service: MakeService, relay: Relay, fault: str
) -> None:
    service = serve(make_service, relay, seconds=0.6 if fault == "hang" else 10.0)
    src, cached = (upload(service).result["src"] for _ in range(2))
    place(service, src)
    service.result("landing.landing.publication", lid=PAGE)
    assert service.get(cached).status_code == 200

    relay.fault = fault
    refused = upload(service)
    file, page, small = service.get(src), service.get("/site-7/page-10/"), service.get(cached)
    relay.fault = ""
    store_of(service)._away_until = 0.0

    assert (refused.status, refused.error) == (503, "OVERLOAD_LIMIT")
    assert (file.status_code, page.status_code, small.content) == (503, 200, PNG)
    assert len(stored(service, "landing_file")) == 2
    assert until(lambda: service.get(src).content == PNG)
    assert until(lambda: upload(service).error is None)


@pytest.mark.rule("C1")
def test_C1_a_removal_that_fails_is_done_by_the_job_a_day_later(
    make_service: MakeService, relay: Relay
) -> None:
    from datetime import UTC, datetime

    files = {"url": url_of(relay.port)}
    service = make_service(world=one_page(), files=files, now=datetime.now(UTC))
    src, other = (upload(service).result["src"] for _ in range(2))
    relay.fault = "away"
    service.result("landing.landing.delete", lid=PAGE)
    relay.fault = ""
    store_of(service)._away_until = 0.0
    service.load(one_page())
    third = upload(service).result["src"]

    assert service.get(src).status_code == 404
    clean(service, timedelta(hours=23))
    assert len(kept(service)) == 3
    clean(service, timedelta(hours=2))

    assert kept(service) == [third.removeprefix("/files/")]
    assert service.get(third).content == PNG
    assert other != third


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"url": "ftp://bucket"}, "files.url: must be like"),
        ({"url": "s3://"}, "files.url: must be like"),
        ({"url": "s3://key:secret@bucket/"}, "files.url: must be like"),
        ({"url": "s3://bucket/?colour=red"}, "there is no parameter colour"),
        ({"url": "s3://bucket/", "accel_redirect": "/-/stored"}, "files.accel_redirect"),
        ({"public_url": "https://cdn.example"}, "files.public_url"),
        ({"public_url": "cdn.example"}, "files.public_url"),
    ],
)
def test_wrong_settings_are_told(
    make_service: MakeService, files: dict[str, str], reason: str
) -> None:
    with pytest.raises(SettingsError, match=reason):
        make_service(files=files)


def test_settings_are_shown_without_the_secret(make_service: MakeService) -> None:
    pytest.importorskip("obstore")
    url = "s3://bucket/?access_key_id=me&secret_access_key=hush"
    service = make_service(files={"url": url})

    shown = service.kernel.plugins.settings_in_force()

    assert shown["files.url"] == "s3://bucket/?access_key_id=me&secret_access_key=…"


def test_a_missing_library_is_told(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(SettingsError, match=r"install landyard\[bucket\]"):
        make_service(files={"url": "s3://bucket/"})
