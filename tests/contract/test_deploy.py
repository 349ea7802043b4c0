"""The files of docs/deploy work, as far as the needed programs are installed here."""

import http.client
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from contract.worlds import webhook_of
from faulty.load import PAGE_PATH, WORLD, Caller
from kernel.processes import free_port, landyard, serving
from kernel.supervised import until

from landyard import Settings
from landyard_pictures.upload_settings import UploadSettings

DEPLOY = Path(__file__).parents[2] / "docs" / "deploy"
CALL = f"/rest/1/{webhook_of(1)}/methods"

Configured = tuple[list[str], Path]  # the proxy's command line, and its access log


def nginx(folder: Path, port: int, service: int) -> Configured:
    site = (DEPLOY / "nginx.conf").read_text()
    kept = [line for line in site.splitlines() if "ssl_certificate" not in line]
    text = "\n".join(kept).replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}")
    text = text.replace("listen 80", f"listen 127.0.0.1:{free_port()}")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{service}")
    text = text.replace("/var/cache/nginx", str(folder)).replace(
        "/var/lib/landyard", str(folder / "data")
    )
    scratch = "".join(
        f"{name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; user root; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ {scratch}\n{text.replace('/var/log/nginx', str(folder))} }}\n"
    )
    return ["nginx", "-c", str(folder / "nginx.conf")], folder / "landyard.log"


def caddy(folder: Path, port: int, service: int) -> Configured:
    site = (DEPLOY / "Caddyfile").read_text()
    text = site.replace("pages.example.org {", f"http://:{port} {{").replace(
        "127.0.0.1:8000", f"127.0.0.1:{service}"
    )
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
    log = folder / "proxy.log"
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"], log


@contextmanager
def proxied(
    folder: Path, configure: Callable[[Path, int, int], Configured], service: int
) -> Iterator[tuple[Caller, Path]]:
    """Start a proxy in front of a service; yield a client of the proxy, and its log."""
    port = free_port()
    words, log = configure(folder, port, service)
    environment = {**os.environ, "HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as said:
        process = subprocess.Popen(words, stdout=said, stderr=said, env=environment)
    caller = Caller(port)
    try:
        until(lambda: caller.ask("/healthz", verb="GET").status == 200)
        yield caller, log
    finally:
        caller.close()
        process.terminate()
        process.wait(30)


def ask(port: int, path: str, **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    told = {name.lower(): value for name, value in answer.getheaders()}
    try:
        return answer.status, told, answer.read()
    finally:
        connection.close()


needs_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")


@needs_nginx
@pytest.mark.parametrize("s_maxage", ["0", "60"])
def test_nginx_caches_pages_and_shows_a_publication_a_second_later(
    tmp_path: Path, s_maxage: str
) -> None:
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    edges = {"LANDYARD_PUBLIC__S_MAXAGE": s_maxage}
    with serving(tmp_path, **edges) as server, proxied(tmp_path, nginx, server.port) as (caller, _):
        port = caller.port
        ids = [ask(port, PAGE_PATH)[1]["x-request-id"] for _ in range(20)]
        probes = [ask(port, "/healthz")[1]["x-request-id"] for _ in range(5)]
        packed = ask(port, PAGE_PATH, **{"Accept-Encoding": "br, gzip"})
        plain = ask(port, PAGE_PATH, **{"Accept-Encoding": "gzip;q=0"})
        again = ask(port, PAGE_PATH, **{"If-None-Match": plain[1]["etag"]})
        changed = {"pages": [{"id": 10, "site": 7, "title": "Another title"}]}
        assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(changed)).status == 0
        time.sleep(1)
        after = ask(port, PAGE_PATH)[2]

    assert len(set(ids)) < 20  # a cached page keeps the id of the request that first fetched it
    assert len(set(probes)) == 5
    assert packed[2].startswith(b"\x1f\x8b")
    assert plain[2].startswith(b"<!doctype")
    assert again[0] == 304
    assert b"<title>Another title<" not in plain[2]
    assert b"<title>Another title<" in after


@needs_nginx
def test_the_nginx_log_contains_pages_and_no_secret_however_a_call_is_spelled(
    tmp_path: Path,
) -> None:
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    secret = webhook_of(1)
    within = CALL.removeprefix("/rest/")
    calls = [
        f"{start}{within}"
        for start in (
            "/rest/",
            "/REST/",
            "/Rest/",
            "/rEST/",
            "//rest/",
            "/./rest/",
            "/any/../rest/",
            "/%72est/",
            "/%52EST/",
            "/rest%2F",
            "/%2Frest/",
            "http://any.example/rest/",
        )
    ]
    pages = [PAGE_PATH, PAGE_PATH, "/red/", "/RED/", f"/red/?auth={secret}", f"/?auth={secret}"]
    with serving(tmp_path) as server, proxied(tmp_path, nginx, server.port) as (caller, log):
        statuses = [ask(caller.port, path)[0] for path in (*calls, *pages, "/the-last/")]
        until(lambda: "/the-last/" in log.read_text())
        logged = log.read_text()

    assert statuses[0] == 200
    assert secret not in logged
    assert logged.count('"GET /rest/..." ') == len(calls)
    assert logged.count(f'"GET {PAGE_PATH}" 200 ') == 2
    assert logged.count('"GET /red/" ') == 2
    assert logged.count('"GET /RED/" ') == 1
    assert logged.count('"GET /" ') == 1


@needs_nginx
def test_nginx_caches_pages_whatever_their_first_letter(tmp_path: Path) -> None:
    world = msgspec.json.decode(msgspec.json.encode(WORLD))
    for site in world["sites"]:
        site["code"] = "rooms"
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(world)).status == 0
    with serving(tmp_path) as server, proxied(tmp_path, nginx, server.port) as (caller, _):
        answers = [ask(caller.port, PAGE_PATH.replace("site-7", "rooms")) for _ in range(20)]

    assert {status for status, _, _ in answers} == {200}
    assert len({headers["x-request-id"] for _, headers, _ in answers}) < 20


@needs_nginx
def test_nginx_sends_the_file_that_the_service_names(tmp_path: Path) -> None:
    key = "0123456789abcdef" * 2
    folder = tmp_path / "data" / "files" / key[:2] / key
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    folder.mkdir(parents=True)
    (folder / "one.png").write_bytes(b"0123456789")
    handed = {"LANDYARD_FILES__ACCEL_REDIRECT": "/-/stored"}
    with (
        serving(tmp_path, **handed) as server,
        proxied(tmp_path, nginx, server.port) as (caller, _),
    ):
        port = caller.port
        whole = ask(port, f"/files/{key}/one.png")
        part = ask(port, f"/files/{key}/one.png", Range="bytes=2-4")
        itself = ask(server.port, f"/files/{key}/one.png")
        around = ask(port, f"/-/stored/{key[:2]}/{key}/one.png")

    assert (whole[0], whole[2]) == (200, b"0123456789")
    assert (part[0], part[2]) == (206, b"234")  # the service itself does not answer ranges
    assert itself[2] == b""
    assert around[0] == 404
    for name in ("content-type", "content-disposition", "cache-control", "x-content-type-options"):
        assert whole[1][name] == itself[1][name]
    assert whole[1]["content-security-policy"] == itself[1]["content-security-policy"]
    assert whole[1]["x-request-id"]
    assert "x-accel-redirect" not in whole[1]


@pytest.mark.soak
@pytest.mark.parametrize("configure", [nginx, caddy])
def test_a_proxy_forwards_requests_to_the_service(
    tmp_path: Path, configure: Callable[[Path, int, int], Configured]
) -> None:
    if shutil.which(configure.__name__) is None:
        pytest.skip(f"{configure.__name__} is not installed")
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    guesses = {"LANDYARD_LIMITS__WRONG_CREDENTIALS": "3"}
    with (
        serving(tmp_path, **guesses) as server,
        proxied(tmp_path, configure, server.port) as (caller, log),
    ):
        called = caller.ask(CALL)
        page = caller.ask(PAGE_PATH, verb="GET", **{"Accept-Encoding": "gzip"})
        wrong = [
            caller.ask(
                "/rest/1/a-wrong-one-0123456789/methods", **{"X-Forwarded-For": f"9.9.9.{n}"}
            )
            for n in range(8)
        ]
        time.sleep(0.2)  # a proxy may write its log after the answer
        logged = log.read_text()

    assert called.status == 200, called
    assert page.status == 200
    assert page.body.startswith(b"\x1f\x8b")  # compressed by the service
    assert wrong[0].error == "INVALID_CREDENTIALS"
    # all count as one visitor, whatever address the request claims
    assert wrong[-1].error == "QUERY_LIMIT_EXCEEDED"
    assert webhook_of(1) not in logged
    assert "a-wrong-one" not in logged


def test_a_proxy_accepts_the_largest_body_of_the_service() -> None:
    nginx_m = re.search(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    # an MB would be less
    caddy_m = re.search(r"max_size (\d+)MiB\b", (DEPLOY / "Caddyfile").read_text())

    assert nginx_m is not None
    assert caddy_m is not None
    assert {int(nginx_m[1]), int(caddy_m[1])} == {Settings().max_body // 2**20}


def test_a_pods_memory_limit_covers_its_processes() -> None:
    text = (DEPLOY / "kubernetes.yaml").read_text()
    workers = re.search(r'LANDYARD_WORKERS\n +value: "(\d+)"', text)
    limit = re.search(r"limits: \{memory: (\d+)Gi\}", text)
    uploads = UploadSettings()

    assert workers is not None
    assert limit is not None
    decoding = uploads.decoders * uploads.decode_megabytes
    each = Settings().worker_megabytes + decoding
    assert int(limit[1]) * 1024 > int(workers[1]) * each
