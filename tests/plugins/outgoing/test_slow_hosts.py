"""Slow hosts and endless answers: one deadline covers a whole download (U4)."""

import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import trustme
from contract.pictures import PNG
from plugins.outgoing.hostile import Net, Slowly, Web, reason, redirect, reply, within

from landyard_outgoing import Limits, Refused, fetch
from landyard_outgoing.destinations import IP

NAMES = {"pictures.example": [["93.184.216.34"]]}
URL = "http://pictures.example/a.png"
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


def refused(web: Web, limits: Limits, url: str = URL) -> str | None:
    return Net(web, NAMES).refused(url, limits)


def dripping(start: bytes, drop: bytes, seconds: float = 0.02) -> Callable[[socket.socket], None]:
    """Send `start`, then a byte at a time for as long as the client reads."""

    def answer(sock: socket.socket) -> None:
        sock.sendall(start)
        while True:
            sock.sendall(drop)
            time.sleep(seconds)

    return answer


def silent(sock: socket.socket) -> None:
    while sock.recv(1000):
        pass


DRIPS = {
    "nothing": silent,
    "a status": dripping(b"", b"H"),
    "a header": dripping(OK + b"X: ", b"x"),
    "headers": dripping(OK, b"X: y\r\n"),
    "interim answers": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": dripping(OK + b"Content-Length: 900\r\n\r\n", b"x"),
    "a body without a length": dripping(OK + b"\r\n", b"x"),
    "chunks": dripping(CHUNKED, b"1\r\nx\r\n"),
    "the size of a chunk": dripping(CHUNKED, b"0"),
    "an extension of a chunk": dripping(CHUNKED + b"1;", b"x"),
    "trailers": dripping(CHUNKED + b"0\r\n", b"X: y\r\n"),
}


@pytest.mark.rule("U4")
@pytest.mark.parametrize("kind", DRIPS)
def test_U4_a_whole_download_has_one_time_limit(web: Web, kind: str) -> None:
    web.answers["/a.png"] = DRIPS[kind]
    started = time.monotonic()

    assert refused(web, within(0.3, 5, 1000)) == "out_of_time"
    assert 0.3 <= time.monotonic() - started < 30


ENDLESS = {
    "headers": dripping(OK, b"X: y\r\n" * 1000, 0),
    "one header": dripping(OK + b"X: ", b"x" * 1000, 0),
    "folded header": dripping(OK + b"X: y", b"\r\n y" * 1000, 0),
    "long headers": dripping(OK, (b"X: " + b"x" * 60_000 + b"\r\n"), 0),
    "interim answers": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100, 0),
    "other interim answers": dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100, 0),
    "body": dripping(OK + b"\r\n", b"x" * 1000, 0),
    "chunks": dripping(CHUNKED, b"1\r\nx\r\n" * 100, 0),
    "extension of a chunk": dripping(CHUNKED + b"1;", b"x" * 1000, 0),
    "extensions of chunks": dripping(CHUNKED, (b"1;" + b"x" * 60_000 + b"\r\nx\r\n"), 0),
    "trailers": dripping(CHUNKED + b"0\r\n", b"X: y\r\n" * 1000, 0),
}


@pytest.mark.rule("U4")
@pytest.mark.parametrize("kind", ENDLESS)
def test_U4_an_endless_answer_is_given_up_before_the_time_limit(web: Web, kind: str) -> None:
    web.answers["/a.png"] = ENDLESS[kind]

    assert refused(web, within(30, 5, 1000)) in {"too_large", "answer_broken", "status_not_ok"}


@pytest.mark.rule("U4")
def test_U4_redirects_share_the_time(web: Web) -> None:
    def slowly(sock: socket.socket) -> None:
        time.sleep(0.1)
        sock.sendall(redirect("/a.png"))

    web.answers["/a.png"] = slowly
    started = time.monotonic()

    assert refused(web, within(0.35, 100, 1000)) == "out_of_time"
    assert time.monotonic() - started < 30


@pytest.mark.rule("U4")
@pytest.mark.parametrize("silence", [silent, dripping(b"\x16\x03\x03\x40\x00", b"\x02")])
def test_U4_a_handshake_is_part_of_the_time(
    web: Web, monkeypatch: pytest.MonkeyPatch, silence: Callable[[socket.socket], None]
) -> None:
    monkeypatch.setattr(web, "_answer", silence)
    started = time.monotonic()

    assert refused(web, within(0.3, 5, 1000), "https://pictures.example/") == "out_of_time"
    assert 0.3 <= time.monotonic() - started < 30


@pytest.mark.rule("U4")
def test_U4_a_body_through_tls_is_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("pictures.example").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    web = Web(context)
    web.answers["/"] = dripping(OK + b"\r\n", b"x")
    started = time.monotonic()

    answer = refused(web, within(0.5, 5, 1000), "https://pictures.example/")

    assert answer == "out_of_time"
    assert time.monotonic() - started < 30
    web.close()


@pytest.mark.rule("U4")
def test_U4_looking_a_name_up_is_part_of_the_time(web: Web) -> None:
    def slow(name: str, seconds: float) -> Sequence[IP]:
        assert seconds <= 0.2
        time.sleep(seconds)
        return []

    with pytest.raises(Refused) as failure:
        fetch(URL, within(0.2, 5, 1000), resolve=slow, dial=Net(web).dial)

    assert reason(failure.value) == "out_of_time"


@pytest.mark.rule("U4")
def test_U4_connecting_is_part_of_the_time(web: Web) -> None:
    net = Net(web, {"pictures.example": [["93.184.216.34", "93.184.216.35", "93.184.216.36"]]})
    shares = []

    def silent_dial(address: IP, port: int, seconds: float) -> socket.socket:
        shares.append(seconds)
        time.sleep(min(seconds, 0.2))
        raise TimeoutError

    with pytest.raises(Refused) as failure:
        fetch(URL, within(0.3, 5, 1000), resolve=net.resolve, dial=silent_dial)

    assert reason(failure.value) == "out_of_time"
    assert len(shares) == 2
    assert max(shares) <= 0.3


@pytest.mark.rule("U4")
@pytest.mark.parametrize(("count", "share"), [(2, 15), (3, 10), (60, 1)])
def test_U4_every_address_gets_its_share_of_the_time(web: Web, count: int, share: float) -> None:
    net = Net(web, {"pictures.example": [[f"93.184.216.{n}" for n in range(count)]]})
    shares = []

    def refusing(address: IP, port: int, seconds: float) -> socket.socket:
        shares.append(seconds)
        raise ConnectionRefusedError

    with pytest.raises(Refused) as failure:
        fetch(URL, within(30, 5, 1000), resolve=net.resolve, dial=refusing)

    assert reason(failure.value) == "host_not_reached"
    assert len(shares) == count
    assert share - 0.9 < shares[0] <= share


@pytest.mark.rule("U4")
def test_U4_the_number_of_concurrent_downloads_is_limited(web: Web) -> None:
    web.answers["/a.png"] = slowly = Slowly(0.05)
    limits = within(10, 5, 1000, at_once=3)

    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: Net(web, NAMES).fetch(URL, limits), range(12)))

    assert found == [PNG] * 12
    assert slowly.busiest == 3


@pytest.mark.rule("U4")
def test_U4_waiting_for_other_downloads_is_part_of_the_time(web: Web) -> None:
    reached, done = threading.Event(), threading.Event()

    def waiting(sock: socket.socket) -> None:
        reached.set()
        done.wait(10)
        sock.sendall(reply())

    web.answers["/a.png"] = waiting
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(Net(web, NAMES).fetch, URL, within(10, 5, 1000, at_once=1))
        reached.wait(10)
        started = time.monotonic()
        assert refused(web, within(0.2, 5, 1000, at_once=1)) == "too_many_downloads"
        assert time.monotonic() - started < 30
        done.set()
        assert other.result() == PNG

    assert len(web.seen) == 1


@pytest.mark.rule("U4")
def test_U4_a_failed_download_gives_its_place_to_others(web: Web) -> None:
    web.answers["/no.png"] = reply(status="404 Not Found")
    limits = within(2, 5, 1000, at_once=2)

    for _ in range(5):
        assert refused(web, limits, "http://pictures.example/no.png") == "status_not_ok"

    assert Net(web, NAMES).fetch(URL, limits) == PNG


@pytest.mark.rule("U4")
def test_U4_an_incomplete_download_is_buffered_on_the_disk(web: Web) -> None:
    web.answers["/a.png"] = dripping(OK + b"\r\n", bytes(100_000), 0)
    tracemalloc.start()

    answer = refused(web, within(30, 5, 8_000_000))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer == "too_large"
    assert peak < 4_000_000
