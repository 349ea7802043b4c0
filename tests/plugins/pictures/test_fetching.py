"""Downloads through the method (U4, U5): the fetched picture, and the effect of the settings."""

import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import trustme
from conftest import MakeService
from contract.pictures import METHOD, PNG, drawn, encoded, files, on_folder, served, upload
from contract.rules import rows
from contract.worlds import one_page
from corpora import read_data
from plugins.outgoing.hostile import PUBLIC, Net, Slowly, Web, redirect, reply

from landyard.testing import Service
from landyard_outgoing import Limits
from landyard_pictures.upload_settings import UploadSettings


@pytest.fixture
def database(sqlite_database: dict[str, Any]) -> dict[str, Any]:
    """One kind of database, because downloads do not depend on it."""
    return sqlite_database


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


@pytest.fixture
def make(make_service: MakeService, web: Web) -> Callable[..., Service]:
    """Make services that may fetch from `web`."""

    def make(**uploads: Any) -> Service:
        allowed = {"allow_hosts": [f"127.0.0.1:{web.port}"], **uploads}
        return make_service(world=one_page(), uploads=allowed)

    return make


Make = Callable[..., Service]


@pytest.mark.rule("U5", *rows(METHOD, "picture"))
def test_a_picture_is_downloaded(make: Make, web: Web) -> None:
    service = make()

    answer = upload(service, picture=web.url("/team/me%20(1).png?x=1#top"))

    assert served(service, answer) == PNG
    assert answer.result["src"].endswith("/me__1_.png")
    assert web.seen == [("/team/me%20(1).png?x=1", f"127.0.0.1:{web.port}")]
    names = [line.partition(b":")[0] for line in web.heads[0].split(b"\r\n")[1:-2]]
    assert names == [b"Host", b"User-Agent", b"Accept", b"Accept-Encoding", b"Connection"]


@pytest.mark.rule("U1", *rows(METHOD, "ext"))
@pytest.mark.parametrize(
    ("path", "ext", "name"),
    read_data(__file__, "names of downloads", list[tuple[str, str | None, str]]),
)
def test_a_download_is_named_by_its_address(
    make: Make, web: Web, path: str, ext: Any, name: str
) -> None:
    jpeg = encoded(drawn(), "JPEG")
    web.answers = {path or "/": reply(jpeg)}

    answer = upload(make(), picture=web.url(path), ext=ext)

    assert answer.result["src"].rpartition("/")[2] == name


@pytest.mark.rule("U5")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_U5_redirects_are_followed(make: Make, web: Web, status: int) -> None:
    web.answers["/b.png"] = redirect("../c.png?x", status)

    assert upload(make(), picture=web.url("/b.png")).error is None
    assert [path for path, _ in web.seen] == ["/b.png", "/c.png?x"]


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_five_redirects_are_followed_and_no_more(make: Make, web: Web) -> None:
    for number in range(1, 7):
        web.answers[f"/{number}"] = redirect(f"/{number - 1}")
    service = make()

    assert upload(service, picture=web.url("/5")).error is None
    assert upload(service, picture=web.url("/6")).error == "FILE_ERROR"
    assert len(web.seen) == 12


REFUSED = {
    "404": reply(status="404 Not Found"),
    "redirect without address": reply(status="302 Found"),
    "redirect to a file": redirect("file:///etc/passwd"),
    "too short": reply(PNG[:50], Content_Length=str(len(PNG))),
    "no picture": reply(b"<html>"),
    "no HTTP": b"HELLO\r\n\r\n",
    "hangs up": b"",
}


@pytest.mark.rule("U5", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("kind", REFUSED)
def test_FILE_ERROR_for_a_download_that_fails(make: Make, web: Web, kind: str) -> None:
    web.answers["/a.png"] = REFUSED[kind]
    service = make()

    assert upload(service, picture=web.url()).error == "FILE_ERROR"
    assert files(service) == {}


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("announced", [True, False])
def test_U4_a_download_stops_at_its_limit(make: Make, web: Web, announced: bool) -> None:
    sent: list[int] = []

    def endless(sock: socket.socket) -> None:
        sock.sendall(reply(b"", Content_Length=str(2**33 if announced else "")))
        while len(sent) < 2000:
            sock.sendall(bytes(100_000))
            sent.append(100_000)

    web.answers["/a.png"] = endless

    assert upload(make(max_bytes=1_000_000), picture=web.url()).error == "FILE_ERROR"
    assert sum(sent) < 20_000_000


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_a_download_has_a_limited_time(make: Make, web: Web) -> None:
    web.answers["/a.png"] = lambda sock: sock.recv(1)

    assert upload(make(download_seconds=0.3), picture=web.url()).error == "FILE_ERROR"


@pytest.mark.rule("U4")
def test_U4_the_number_of_concurrent_downloads_is_the_set_one(make: Make, web: Web) -> None:
    web.answers["/a.png"] = slowly = Slowly(0.1)
    service = make(downloads=2)

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: upload(service, picture=web.url()), range(5)))

    assert [answer.error for answer in answers] == [None] * 5
    assert slowly.busiest == 2


OURS = ["127.0.0.1", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "localhost", "localhost.", "127.1"]


@pytest.mark.rule("U5", *rows(METHOD, "FILE_ERROR"))
def test_U5_our_own_network_is_not_fetched_from(make_service: MakeService, web: Web) -> None:
    service = make_service(world=one_page(), uploads={"download_ports": [web.port]})

    answers = {host: upload(service, picture=web.url(host=host)).error for host in OURS}

    assert answers == dict.fromkeys(OURS, "FILE_ERROR")
    assert web.received == 0


@pytest.mark.rule("U5")
def test_U5_every_refusal_has_the_same_text(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: dict[str, Any] = {
        "/missing": reply(status="404 Not Found"),
        "/large": reply(bytes(1001)),
        "/broken": b"HELLO\r\n\r\n",
        "/redirect": redirect("http://10.0.0.1/"),
        "/loop": redirect("/loop"),
        "/slow": lambda sock: sock.recv(1),
    }
    web.answers = answers
    urls = [f"http://pictures.example{path}" for path in answers]
    urls += ["http://private.example/", "http://nowhere.example/", "http://pictures.example:22/"]
    urls += ["https://pictures.example/", "http://dead.example/", "ftp://pictures.example/", "?"]
    public = {"pictures.example": [[PUBLIC]], "dead.example": [["93.184.216.35"]]}
    net = Net(web, {**public, "private.example": [["10.0.0.1"]]})
    net.dead = {"93.184.216.35"}
    reasons = set()

    def fetch(url: str, limits: Limits, *, accept: str) -> bytes:
        assert accept == "image/*"
        reasons.add(net.refused(url, limits))
        return net.fetch(url, limits)

    monkeypatch.setattr("landyard_outgoing.fetch", fetch)
    service = make(download_seconds=0.5, max_bytes=1000)

    message = {upload(service, picture=url).body["error_description"] for url in urls}

    assert len(message) == 1
    assert len(reasons) >= 10


@pytest.mark.rule("U4", "U5")
def test_U4_U5_the_settings_are_the_limits(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(_: str, limits: UploadSettings) -> bytes:
        given.append(limits)
        return PNG

    given: list[UploadSettings] = []
    monkeypatch.setattr("landyard_pictures.uploadfile.fetch", fetch)
    uploads: dict[str, Any] = {
        "download_seconds": 3.0,
        "max_redirects": 1,
        "max_bytes": 5000,
        "downloads": 2,
        "download_ports": [81],
        "allow_hosts": ["a.example"],
    }

    upload(make_service(world=one_page(), uploads=uploads), picture="http://b.example")

    assert given == [UploadSettings(**uploads)]


@pytest.mark.rule("U5")
def test_U5_every_redirect_is_checked(make: Make, web: Web) -> None:
    web.answers["/a.png"] = redirect(web.url("/b.png", host="127.0.0.2"))

    assert upload(make(), picture=web.url()).error == "FILE_ERROR"
    assert [path for path, _ in web.seen] == ["/a.png"]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("allowed", ["127.0.0.1:1", "localhost", "127.0.0.10", ""])
def test_U5_an_allowed_host_is_allowed_by_its_name(make: Make, web: Web, allowed: str) -> None:
    assert upload(make(allow_hosts=[allowed]), picture=web.url()).error == "FILE_ERROR"


@pytest.mark.rule("U5")
@pytest.mark.parametrize("allowed", ["localhost", "localhost:{port}"])
def test_U5_this_machine_may_be_allowed_by_its_name(make: Make, web: Web, allowed: str) -> None:
    service = make(allow_hosts=[allowed.format(port=web.port)])

    assert upload(service, picture=web.url(host="localhost")).error is None
    assert web.seen == [("/a.png", f"localhost:{web.port}")]


@pytest.mark.rule("U5")
def test_U5_the_systems_resolver_is_not_used(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[Any] = []
    service = make(allow_hosts=["localhost", "127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **_: recorded.append(given))

    assert upload(service, picture=web.url()).error is None
    assert upload(service, picture=web.url(host="localhost")).error is None
    assert recorded == []


@pytest.mark.rule(*rows(METHOD, "FILE_ERROR"))
def test_a_closed_port_is_a_failed_download(make: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    url = f"http://127.0.0.1:{port}/"

    assert upload(make(allow_hosts=["127.0.0.1"]), picture=url).error == "FILE_ERROR"


@on_folder  # a bucket is reached through them
@pytest.mark.rule("U5")
def test_U5_proxies_of_the_environment_are_ignored(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert upload(make(), picture=web.url()).error is None


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[Web, str]]:
    """A server with a certificate for `localhost`, and the file of its authority."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    certificate = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(certificate)
    web = Web(context)
    yield web, certificate
    web.close()


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    "case",
    [
        ("localhost", True, None),
        ("localhost", False, "FILE_ERROR"),
        ("127.0.0.1", True, "FILE_ERROR"),
    ],
)
def test_U5_a_certificate_must_match_the_name(
    make: Make,
    secure: tuple[Web, str],
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, bool, str | None],
) -> None:
    web, certificate = secure
    host, trusted, error = case
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
    service = make(allow_hosts=[host])

    answer = upload(service, picture=f"https://{host}:{web.port}/a.png")

    assert answer.error == error
    assert [asked for _, asked in web.seen] == ([] if error else [f"{host}:{web.port}"])
