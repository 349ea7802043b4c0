"""What hosts answer with: what is taken for a picture's bytes, and what is not (U4, U5)."""

import errno
import io
import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from contract.pictures import PNG
from plugins.uploads.hostile import Answer, Net, Web, reason, redirect, reply
from structlog.testing import CapturedCall, CapturingLogger

from landyard_uploads import fetching
from landyard_uploads.errors import FileError
from landyard_uploads.fetching import Limits

NAMES = {"pictures.example": [["93.184.216.34"]], "private.example": [["10.0.0.1"]]}
URL = "http://pictures.example/a.png"
LIMITS = Limits(2, 5, 1000)
HALF = PNG[: len(PNG) // 2]
CHUNK = b"%x\r\n%b\r\n" % (len(PNG), PNG)


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


def raw(*lines: str, body: bytes = PNG) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode("latin-1") + body


TAKEN: dict[str, bytes] = {
    "with its length": reply(),
    "until the end": raw(),
    "chunks": raw("Transfer-Encoding: chunked", body=CHUNK + b"0\r\n\r\n"),
    "chunks with extensions": raw(
        "Transfer-Encoding: chunked", body=CHUNK.replace(b"\r", b";a=b\r", 1) + b"0\r\nX: y\r\n\r\n"
    ),
    "chunks in capitals": raw("Transfer-Encoding: Chunked", body=CHUNK + b"0\r\n\r\n"),
    "HTTP/1.0": raw().replace(b"1.1", b"1.0", 1),
    "after an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n" + reply(),
    "not encoded": raw("Content-Encoding: identity"),
    "encoded as nothing": raw("Content-Encoding: "),
    "of another type": raw("Content-Type: text/html"),
    "of several parts": raw("Content-Type: multipart/mixed; boundary=x"),
    "and more": reply() + b"more",
    "bare line feeds": raw("X: y").replace(b"\r\n", b"\n", 2),
    "bytes in headers": raw("X: \xff\xfe"),
    "many headers": raw(*["X: y"] * 90),
    "twice the length": raw(f"Content-Length: {len(PNG)}", f"Content-Length: {len(PNG)}"),
}

_SHORT = {
    "a length of more": raw(f"Content-Length: {len(PNG)}", body=HALF),
    "a chunk of more": raw("Transfer-Encoding: chunked", body=b"%x\r\n" % len(PNG) + HALF),
    "no last chunk": raw("Transfer-Encoding: chunked", body=CHUNK),
}
_NO_HTTP = {
    "nothing": b"",
    "no HTTP": b"HELLO\r\n\r\n",
    "HTTP/0.9": PNG,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "another version": raw().replace(b"1.1", b"2.0", 1),
    "no status": raw().replace(b"200", b"abc", 1),
    "a large status": raw().replace(b"200", b"2000", 1),
    "another protocol": b"SSH-2.0-OpenSSH_9.9\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
}
_HEADERS = {
    "no header": raw("nonsense"),
    "a nameless header": raw(": x"),
    "a header with a space": raw("X Y: z"),
    "too many headers": raw(*["X: y"] * 101),
    "a long header": raw("X: " + "y" * 66_000),
    "long headers": raw(*["X: " + "y" * 1000] * 90),
    "two lengths": raw(f"Content-Length: {len(PNG)}", "Content-Length: 5"),
    "chunks and a length": raw(
        "Transfer-Encoding: chunked", "Content-Length: 5", body=CHUNK + b"0\r\n\r\n"
    ),
    "chunks twice": raw("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNK),
    "zipped chunks": raw("Transfer-Encoding: gzip, chunked", body=CHUNK),
    "zipped": raw("Transfer-Encoding: gzip"),
    "chunks that are none": raw("Transfer-Encoding: chunked", body=b"zz\r\n"),
    "negative chunks": raw("Transfer-Encoding: chunked", body=b"-5\r\nabcde\r\n0\r\n\r\n"),
}
_STATUSES = {
    str(status): reply(status=f"{status} Whatever")
    for status in (101, 103, 201, 204, 206, 300, 304, 305, 306, 400, 401, 403, 404, 407, 500, 503)
}
_LARGE = {
    "a large length": raw("Content-Length: 1001"),
    "a huge length": raw("Content-Length: " + "9" * 4000),
    "much": raw(body=bytes(1001)),
    "much in chunks": raw(
        "Transfer-Encoding: chunked", body=b"3e9\r\n" + bytes(1001) + b"\r\n0\r\n\r\n"
    ),
    "a huge chunk": raw("Transfer-Encoding: chunked", body=b"f" * 15 + b"\r\n" + bytes(1001)),
}
_ENCODED = {
    encoding: raw(f"Content-Encoding: {encoding}")
    for encoding in ("gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip", "x-unheard-of")
}
REFUSED: list[tuple[str, bytes, set[str]]] = [
    (name, answer, reasons)
    for table, reasons in (
        (_SHORT, {"answer_broken"}),
        (_NO_HTTP, {"answer_broken"}),
        (_HEADERS, {"answer_broken", "too_large"}),
        (_STATUSES, {"status_not_ok"}),
        (_LARGE, {"too_large", "answer_broken"}),
        (_ENCODED, {"content_encoded"}),
    )
    for name, answer in table.items()
]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("name", TAKEN)
def test_U5_answers_that_are_taken(web: Web, name: str) -> None:
    web.answers["/a.png"] = TAKEN[name]

    assert Net(web, NAMES).fetch(URL, LIMITS) == PNG


@pytest.mark.rule("U5")
@pytest.mark.parametrize(("name", "answer", "reasons"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_U5_answers_that_are_not_taken(
    web: Web, caplog: pytest.LogCaptureFixture, name: str, answer: bytes, reasons: set[str | None]
) -> None:
    web.answers["/a.png?secret"] = answer
    caplog.set_level(logging.DEBUG)

    assert Net(web, NAMES).refused(f"{URL}?secret", LIMITS) in reasons
    assert "secret" not in caplog.text


@pytest.mark.rule("U4")
def test_U4_to_the_byte(web: Web) -> None:
    web.answers["/a.png"] = reply(bytes(1000))

    assert Net(web, NAMES).fetch(URL, LIMITS) == bytes(1000)


@pytest.mark.rule("U4")
def test_U4_an_announced_length_is_enough_to_refuse(web: Web) -> None:
    def announced(sock: socket.socket) -> None:
        sock.sendall(raw("Content-Length: 1001", body=b""))
        sock.recv(1)

    web.answers["/a.png"] = announced

    assert Net(web, NAMES).refused(URL, LIMITS) == "too_large"


@pytest.mark.rule("U5")
def test_a_disk_that_is_full_is_no_fault_of_the_host(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching, "SpooledTemporaryFile", lambda _: Full())
    web.answers["/a.png"] = reply()

    assert Net(web, NAMES).refused(URL, LIMITS) == "disk_failed"


@pytest.mark.rule("U5")
def test_U5_all_that_is_refused_is_told_in_the_same_words(web: Web) -> None:
    answers: dict[str, Answer] = {
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
    net = Net(web, {**NAMES, "dead.example": [["93.184.216.35"]]})
    net.dead = {"93.184.216.35"}
    failures = []

    for url in urls:
        with pytest.raises(FileError) as failure:
            net.fetch(url, Limits(0.3, 5, 1000))
        failures.append(failure.value)

    assert len({str(each) for each in failures}) == 1
    assert len({reason(each) for each in failures}) >= 10


@pytest.mark.rule("U5")
def test_U5_of_an_address_the_log_has_the_host_alone(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(fetching, "log", log)
    web.answers["/redirect/secret"] = redirect("http://ann:secret@private.example/secret?secret")

    Net(web, NAMES).refused("http://pictures.example/redirect/secret#secret", LIMITS)

    said = {"reason": "user_in_address", "host": "pictures.example", "hop": 1}
    assert log.calls == [CapturedCall("info", ("download_refused",), said)]
