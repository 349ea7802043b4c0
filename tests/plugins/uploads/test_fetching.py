"""Downloads (U4, U5): what is fetched, from where, and what makes a download fail."""

import ipaddress
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from conftest import MakeService
from contract.pictures import METHOD, PNG, drawn, encoded, files, served, upload
from contract.rules import rows
from contract.worlds import one_page

from landyard.testing import Service
from landyard_uploads.errors import FileError
from landyard_uploads.fetching import Limits, fetch, is_public

Answers = Callable[[BaseHTTPRequestHandler], None]


class Web:
    """A server of pictures on this machine; `seen` are the paths and hosts that were asked for."""

    certificate = ""  # the file of its authority

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        web = self
        self.answers: dict[str, Answers] = {}
        self.seen: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.seen.append((self.path, self.headers["Host"]))
                web.headers.append({name.lower(): value for name, value in self.headers.items()})
                web.answers.get(self.path, picture)(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def url(self, path: str = "/a.png", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def raw(handler: BaseHTTPRequestHandler, answer: bytes) -> None:
    handler.wfile.write(answer)


def picture(handler: BaseHTTPRequestHandler) -> None:
    send(handler, PNG, Content_Length=str(len(PNG)))


def redirect(to: str, status: int = 302) -> Answers:
    return lambda handler: send(handler, b"", status, Location=to, Content_Length="0")


@pytest.fixture
def database(sqlite_file: Path, tmp_path: Path) -> dict[str, Any]:
    """One kind of server: downloads do not depend on it."""
    shutil.copy(sqlite_file, tmp_path / "landyard.db")
    return {"data": tmp_path}


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
    assert "authorization" not in web.headers[0]
    assert "cookie" not in web.headers[0]


@pytest.mark.rule("U1", *rows(METHOD, "ext"))
@pytest.mark.parametrize(
    ("path", "ext", "name"),
    [
        ("/photo", "jpeg", "photo.jpeg"),
        ("/photo", ".jpg", "photo.jpg"),
        ("/photo", None, "photo.jpg"),
        ("/photo", "png", "photo.jpg"),
        ("/photo", "../../x", "photo.jpg"),
        ("/photo.jpg", "jpeg", "photo.jpg"),
        ("/photo.jpeg?v=2", "jpg", "photo.jpeg"),
        ("/photo?name=x.png", "jpeg", "photo.jpeg"),
        ("/", "jpeg", "image.jpeg"),
        ("", None, "image.jpg"),
        ("/%D0%A4%D0%BE%D1%82%D0%BE.jpg", None, "Foto.jpg"),
        ("/a%2Fb%2F..%2Fc.jpg", None, "c.jpg"),
    ],
)
def test_names_of_downloads(make: Make, web: Web, path: str, ext: Any, name: str) -> None:
    jpeg = encoded(drawn(), "JPEG")
    web.answers = dict.fromkeys([path or "/"], lambda handler: send(handler, jpeg))

    answer = upload(make(), picture=web.url(path), ext=ext)

    assert answer.result["src"].rpartition("/")[2] == name


@pytest.mark.rule("U5")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_U5_redirects_are_followed(make: Make, web: Web, status: int) -> None:
    web.answers["/b.png"] = redirect("../c.png?x", status)

    assert upload(make(), picture=web.url("/b.png")).error is None
    assert [path for path, _ in web.seen] == ["/b.png", "/c.png?x"]


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_five_redirects_and_no_more(make: Make, web: Web) -> None:
    for number in range(1, 7):
        web.answers[f"/{number}"] = redirect(f"/{number - 1}")
    service = make()

    assert upload(service, picture=web.url("/5")).error is None
    assert upload(service, picture=web.url("/6")).error == "FILE_ERROR"
    assert len(web.seen) == 12


REFUSED: dict[str, Answers] = {
    "404": lambda handler: send(handler, PNG, 404),
    "206": lambda handler: send(handler, PNG, 206),
    "redirect without address": lambda handler: send(handler, PNG, 302),
    "redirect to a file": redirect("file:///etc/passwd"),
    "redirect to ftp": redirect("ftp://example.com/"),
    "redirect to nothing": redirect("http://"),
    "redirect to a user": redirect("http://ann@example.com/"),
    "too short": lambda handler: send(handler, PNG[:50], Content_Length=str(len(PNG))),
    "no picture": lambda handler: send(handler, b"<html>"),
    "broken chunks": lambda handler: send(handler, b"zz\r\n", Transfer_Encoding="chunked"),
    "no HTTP": lambda handler: raw(handler, b"HELLO\r\n\r\n"),
    "endless header": lambda handler: raw(handler, b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000),
    "hangs up": lambda handler: handler.connection.close(),
}


@pytest.mark.rule("U5", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("kind", REFUSED)
def test_FILE_ERROR_for_a_download_that_fails(make: Make, web: Web, kind: str) -> None:
    web.answers["/a.png"] = REFUSED[kind]
    service = make()

    assert upload(service, picture=web.url()).error == "FILE_ERROR"
    assert files(service) == {}


@pytest.mark.rule("U4")
@pytest.mark.parametrize("announced", [True, False])
def test_U4_a_download_stops_at_its_limit(make: Make, web: Web, announced: bool) -> None:
    sent: list[int] = []

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(2**33))
        handler.end_headers()
        for _ in range(2000):
            handler.wfile.write(bytes(100_000))
            sent.append(100_000)

    web.answers["/a.png"] = endless

    assert upload(make(max_bytes=1_000_000), picture=web.url()).error == "FILE_ERROR"
    assert sum(sent) < 20_000_000


def _trickle_head(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(100):
        handler.wfile.write(b"X: y\r\n")
        time.sleep(0.1)


def _trickle_body(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for at in range(100):
        handler.wfile.write(PNG[at : at + 1])
        time.sleep(0.1)


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize(
    "slow", [_trickle_head, _trickle_body, lambda _: time.sleep(5)], ids=["head", "body", "silent"]
)
def test_U4_a_download_has_so_many_seconds_in_all(make: Make, web: Web, slow: Answers) -> None:
    web.answers["/a.png"] = slow
    service = make(download_seconds=0.5)
    started = time.monotonic()

    answer = upload(service, picture=web.url())

    assert answer.error == "FILE_ERROR"
    assert "too long" in answer.body["error_description"]
    assert time.monotonic() - started < 3


@pytest.mark.rule("U4")
def test_U4_redirects_share_the_time(make: Make, web: Web) -> None:
    def slowly(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.3)
        redirect("/b.png")(handler)

    web.answers = {"/a.png": slowly, "/b.png": slowly}
    started = time.monotonic()

    assert upload(make(download_seconds=0.5), picture=web.url()).error == "FILE_ERROR"
    assert time.monotonic() - started < 3


OURS = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::1",
    "2002:a00:1::",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.rule("U5")
def test_U5_which_addresses_are_public() -> None:
    def judged(addresses: list[str]) -> list[bool]:
        return [is_public(ipaddress.ip_address(each)) for each in addresses]

    assert judged(PUBLIC) == [True] * len(PUBLIC)
    assert [each for each, is_ in zip(OURS, judged(OURS), strict=True) if is_] == []


@pytest.mark.rule("U5", *rows(METHOD, "FILE_ERROR"))
def test_U5_our_own_network_is_not_fetched_from(make_service: MakeService, web: Web) -> None:
    service = make_service(world=one_page())
    hosts = [f"[{each}]" if ":" in each else each for each in OURS]
    hosts += ["localhost", "localhost.", "0x7f.1", "2130706433", "127.1", "0177.0.0.1"]

    answers = {host: upload(service, picture=web.url(host=host)).error for host in hosts}

    assert answers == dict.fromkeys(hosts, "FILE_ERROR")
    assert web.seen == []


@pytest.mark.rule("U5")
def test_U5_every_redirect_is_judged(make: Make, web: Web) -> None:
    web.answers["/a.png"] = redirect(web.url("/b.png", host="127.0.0.2"))

    assert upload(make(), picture=web.url()).error == "FILE_ERROR"
    assert [path for path, _ in web.seen] == ["/a.png"]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("allowed", ["127.0.0.1:1", "localhost", "127.0.0.10", ""])
def test_U5_what_is_allowed_is_allowed_by_name(make: Make, web: Web, allowed: str) -> None:
    assert upload(make(allow_hosts=[allowed]), picture=web.url()).error == "FILE_ERROR"


def _resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Make the names ending in `.example` resolve to these, one after the other."""
    real, asked, left = socket.getaddrinfo, [], list(answers)

    def getaddrinfo(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if not str(host).endswith(".example"):
            return real(host, port, *args, **more)
        asked.append(str(host))
        found = left.pop(0) if len(left) > 1 else left[0]
        kind = socket.SOCK_STREAM
        return [(socket.AF_INET, kind, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.rule("U5")
def test_U5_every_address_of_a_name_must_be_public(
    make_service: MakeService, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolving(monkeypatch, ["93.184.216.34", "127.0.0.1"])
    service = make_service(world=one_page())

    answer = upload(service, picture=web.url(host="pictures.example"))

    assert answer.error == "FILE_ERROR"
    assert "public" in answer.body["error_description"]
    assert web.seen == []


@pytest.mark.rule("U5")
def test_U5_the_connection_goes_to_the_address_that_was_checked(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _resolving(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])

    answer = upload(
        make(allow_hosts=["pictures.example"]), picture=web.url(host="pictures.example")
    )

    assert answer.error is None
    assert asked == ["pictures.example"]
    assert web.seen == [("/a.png", f"pictures.example:{web.port}")]


@pytest.mark.rule("U5")
def test_an_address_that_does_not_answer_is_passed_over(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolving(monkeypatch, ["127.0.0.9", "127.0.0.1"])
    service = make(allow_hosts=["pictures.example"])

    assert upload(service, picture=web.url(host="pictures.example")).error is None


@pytest.mark.rule(*rows(METHOD, "FILE_ERROR"))
def test_a_closed_port_is_a_failed_download(make: Make, web: Web) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    url = f"http://127.0.0.1:{port}/"

    assert upload(make(allow_hosts=["127.0.0.1"]), picture=url).error == "FILE_ERROR"


@pytest.mark.rule(*rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70 + ".example", "ex ample"])
def test_a_name_that_does_not_resolve(host: str) -> None:
    with pytest.raises(FileError):
        fetch(f"http://{host}/", Limits(5, 5, 100))


@pytest.mark.rule("U4")
def test_U4_a_resolver_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait(10) and [])
    started = time.monotonic()

    with pytest.raises(FileError):
        fetch("http://pictures.example/", Limits(0.2, 5, 100))

    answered.set()
    assert time.monotonic() - started < 3


@pytest.mark.rule("U5")
def test_U5_no_proxy_of_the_environment(
    make: Make, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert upload(make(), picture=web.url()).error is None


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Web]:
    """A server with a certificate of its own authority, for `pictures.example`."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("pictures.example").configure_cert(context)
    web = Web(context)
    web.certificate = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(web.certificate)
    yield web
    web.close()


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    "case",
    [
        ("pictures.example", True, None),
        ("pictures.example", False, "FILE_ERROR"),
        ("other.example", True, "FILE_ERROR"),
    ],
)
def test_U5_certificates_are_those_of_the_name(
    make: Make, secure: Web, monkeypatch: pytest.MonkeyPatch, case: tuple[str, bool, str | None]
) -> None:
    host, trusted, error = case
    _resolving(monkeypatch, ["127.0.0.1"], ["127.0.0.9"])
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", secure.certificate)
    service = make(allow_hosts=[host])

    answer = upload(service, picture=f"https://{host}:{secure.port}/a.png")

    assert answer.error == error
    assert [asked for _, asked in secure.seen] == ([] if error else [f"{host}:{secure.port}"])
