"""Answers of hosts to a download: which are accepted as a picture, and which are refused (U4,
U5).
"""

import errno
import io
import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from contract.pictures import PNG
from corpora import read_data
from plugins.outgoing.hostile import Net, Web, redirect, reply, within
from structlog.testing import CapturedCall, CapturingLogger

from landyard_outgoing import fetching

NAMES = {"pictures.example": [["93.184.216.34"]], "private.example": [["10.0.0.1"]]}
URL = "http://pictures.example/a.png"
LIMITS = within(2, 5, 1000)


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


def raw(*lines: str, body: bytes = PNG) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode("latin-1") + body


def _answer(text: str) -> bytes:
    """An answer from the tables; they name its picture instead of containing it."""
    text = text.replace("<LENGTH>", str(len(PNG))).replace("<SIZE>", f"{len(PNG):x}")
    content = text.encode("latin-1").replace(b"<PNG>", PNG).replace(b"<ZEROS>", bytes(1001))
    return content.replace(b"<HALF>", PNG[: len(PNG) // 2])


TAKEN = {name: _answer(text) for name, text in read_data(__file__, "TAKEN", dict[str, str]).items()}
TAKEN["many headers"] = raw(*["X: y"] * 90)

_TABLES = read_data(__file__, "REFUSED", dict[str, dict[str, str]])
_STATUSES = (101, 103, 201, 204, 206, 300, 304, 305, 306, 400, 401, 403, 404, 407, 500, 503)
_ENCODED = ("gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip", "x-unheard-of")
_LONG = {
    "too many headers": raw(*["X: y"] * 101),
    "a long header": raw("X: " + "y" * 66_000),
    "long headers": raw(*["X: " + "y" * 1000] * 90),
    "a huge length": raw("Content-Length: " + "9" * 4000),
}
REFUSED: list[tuple[str, bytes, set[str]]] = [
    *(
        (name, _answer(text), set(reasons.split()))
        for reasons, table in _TABLES.items()
        for name, text in table.items()
    ),
    *((name, answer, {"answer_broken", "too_large"}) for name, answer in _LONG.items()),
    *((str(it), reply(status=f"{it} Whatever"), {"status_not_ok"}) for it in _STATUSES),
    *((it, raw(f"Content-Encoding: {it}"), {"content_encoded"}) for it in _ENCODED),
]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("name", TAKEN)
def test_U5_these_answers_are_accepted(web: Web, name: str) -> None:
    web.answers["/a.png"] = TAKEN[name]

    assert Net(web, NAMES).fetch(URL, LIMITS) == PNG


@pytest.mark.rule("U5")
@pytest.mark.parametrize(("name", "answer", "reasons"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_U5_these_answers_are_refused(
    web: Web, caplog: pytest.LogCaptureFixture, name: str, answer: bytes, reasons: set[str | None]
) -> None:
    web.answers["/a.png?secret"] = answer
    caplog.set_level(logging.DEBUG)

    assert Net(web, NAMES).refused(f"{URL}?secret", LIMITS) in reasons
    assert "secret" not in caplog.text


@pytest.mark.rule("U4")
def test_U4_the_size_limit_is_exact_to_the_byte(web: Web) -> None:
    web.answers["/a.png"] = reply(bytes(1000))

    assert Net(web, NAMES).fetch(URL, LIMITS) == bytes(1000)


@pytest.mark.rule("U4")
def test_U4_an_announced_length_over_the_limit_is_refused(web: Web) -> None:
    def announced(sock: socket.socket) -> None:
        sock.sendall(raw("Content-Length: 1001", body=b""))
        sock.recv(1)

    web.answers["/a.png"] = announced

    assert Net(web, NAMES).refused(URL, LIMITS) == "too_large"


@pytest.mark.rule("U5")
def test_a_full_disk_is_not_the_hosts_fault(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching, "SpooledTemporaryFile", lambda _: Full())
    web.answers["/a.png"] = reply()

    assert Net(web, NAMES).refused(URL, LIMITS) == "disk_failed"


@pytest.mark.rule("U5")
def test_U5_the_log_contains_only_the_host_of_an_address(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(fetching, "log", log)
    web.answers["/redirect/secret"] = redirect("http://ann:secret@private.example/secret?secret")

    Net(web, NAMES).refused("http://pictures.example/redirect/secret#secret", LIMITS)

    refusal = {"reason": "user_in_address", "host": "pictures.example", "hop": 1}
    assert log.calls == [CapturedCall("info", ("download_refused",), refusal)]
