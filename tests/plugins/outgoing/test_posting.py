"""`landyard_outgoing.post`: the request sent to a host, and the use of its answer."""

import socket
import time
from collections.abc import Iterator

import pytest
from plugins.outgoing.hostile import PUBLIC, Net, Web, redirect, reply

from landyard_outgoing import Answer, Limits, Refused, post

URL = "http://hooks.example/in?a=b"
BODY = bytes(range(256)) * 1000
ANY = Limits()


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


def answering(web: Web, content: bytes, *more: bytes) -> list[bytes]:
    """Make `web` send this answer once the request is complete; the list gets the request's
    body.
    """
    bodies: list[bytes] = []

    def answer(sock: socket.socket) -> None:
        head, _, body = web.heads[-1].partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        while len(body) < length:
            body += sock.recv(65536)
        bodies.append(body)
        sock.sendall(content)
        for each in more:
            time.sleep(0.05)
            sock.sendall(each)

    web.answers["/in?a=b"] = answer
    return bodies


def sent(web: Web, limits: Limits = ANY, headers: dict[str, str] = {}) -> Answer:  # noqa: B006
    net = Net(web, {"hooks.example": [[PUBLIC]]})
    return post(URL, BODY, headers, limits, resolve=net.resolve, dial=net.dial)


def test_a_body_and_its_headers_arrive(web: Web) -> None:
    bodies = answering(web, reply(b"thanks", "202 Accepted", X_Kept="yes"))

    answer = sent(web, headers={"content-type": "x/y", "x-id": "7"})

    head = web.heads[0].partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert answer == Answer(202, {"x-kept": "yes", "content-length": "6"}, b"thanks")
    assert bodies == [BODY]
    assert {b"content-type: x/y", b"x-id: 7", b"Host: hooks.example"} < set(head)
    assert head[0] == b"POST /in?a=b HTTP/1.1"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_returned_as_the_answer(web: Web, status: int) -> None:
    answering(web, redirect("http://hooks.example/other", status))

    answer = sent(web)

    assert (answer.status, answer.headers["location"]) == (status, "http://hooks.example/other")
    assert len(web.seen) == 1


@pytest.mark.parametrize(("limit", "read"), [(0, b""), (5, b"01234"), (10, b"0123456789")])
def test_no_more_of_an_answer_is_read_than_wanted(web: Web, limit: int, read: bytes) -> None:
    answering(web, reply(b"01234", Content_Length="12"), b"56789", b"ab")

    assert sent(web, Limits(max_bytes=limit)).body == read


@pytest.mark.parametrize("begun", [b"", reply(b"", Content_Length="9")])
def test_a_host_has_a_limited_time(web: Web, begun: bytes) -> None:
    def silent(sock: socket.socket) -> None:
        sock.sendall(begun)
        while sock.recv(65536):
            pass

    web.answers["/in?a=b"] = silent
    started = time.monotonic()

    with pytest.raises(Refused, match="out_of_time"):
        sent(web, Limits(seconds=0.2))

    assert time.monotonic() - started < 30


@pytest.mark.rule("U5")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.1", "[::1]"])
def test_U5_nothing_is_sent_to_our_own_network(web: Web, host: str) -> None:
    with pytest.raises(Refused, match="host_not_public"):
        post(f"http://{host}/", b"", {})

    assert web.received == 0


@pytest.mark.parametrize("value", ["a\r\nX-Other: b", "a\nb"])
def test_a_header_value_cannot_add_another_header(web: Web, value: str) -> None:
    with pytest.raises(Refused, match="answer_broken"):
        sent(web, headers={"x-id": value})

    assert web.seen == []
