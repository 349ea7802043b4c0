"""Answers other than JSON: a file, a stream, 204, and a stream that breaks off."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from kernel.sample import CALL, Brings, Nothing
from msgspec import Struct
from structlog.testing import capture_logs

from landyard import Call, Download, MethodGroup, NoContent, Plugin
from landyard.testing import Service
from landyard.web.contents import disposition

CSV = "text/csv; charset=utf-8"


class Fault(Struct, frozen=True):
    """`where`: which chunk fails; `how`: in which way."""

    where: int = 0
    how: str = "raises"


class Given(Struct, frozen=True):
    path: str = ""
    media_type: str = ""


class Sample:
    """Methods with answers other than JSON; `goes_on` ends a hanging one, `closed` says that it
    ended.
    """

    def __init__(self) -> None:
        self.goes_on, self.closed = threading.Event(), threading.Event()
        self.threads: set[int] = set()
        group = MethodGroup(scope="sample")

        @group.method("sample.none", writes=True)
        def none(call: Call, params: Nothing) -> NoContent:
            """Answer nothing."""
            call.warn("nothing")
            return NoContent()

        @group.method("sample.file", media_type=CSV)
        def file(call: Call, params: Given) -> Download:
            """Answer a file."""
            content = Path(params.path) if params.path else b"a;b\r\n"
            return Download(content, "Übersicht.csv", params.media_type)

        @group.method("sample.stream", seconds=0.4)
        def stream(call: Call, params: Fault) -> Download:
            """Answer a stream that is generated meanwhile; each chunk reads the database."""
            return Download(self._chunks(call, params))

        @group.method("sample.inner")
        def inner(call: Call, params: Nothing) -> bool:
            """Invoke a method that answers a file."""
            return isinstance(call.invoke("sample.file"), Download)

        self.plugin = Plugin("sample", Brings(group))

    def _chunks(self, call: Call, fault: Fault) -> Iterator[bytes]:
        try:
            for number in range(4):
                self.threads.add(threading.get_ident())
                if number + 1 == fault.where and fault.how == "hangs":
                    self.goes_on.wait(20)
                if number + 1 == fault.where:
                    raise SystemExit
                call.transaction(lambda each: each.connection.exec_driver_sql("SELECT 1"))
                yield b"%d" % number
        finally:
            self.closed.set()


@pytest.fixture(scope="module")
def sample() -> Sample:
    return Sample()


@pytest.fixture(scope="module")
def service(sample: Sample) -> Iterator[Service]:
    with Service([sample.plugin], raise_crashes=False) as service:
        yield service


def asked(service: Service, method: str, **params: Any) -> Any:
    return service.request("POST", f"/rest{CALL}{method}", json=params)


def test_nothing_is_204_without_a_body_and_with_its_warning(service: Service) -> None:
    answer = asked(service, "sample.none")

    assert (answer.status_code, answer.content) == (204, b"")
    assert not {"content-type", "content-length"} & set(answer.headers)
    assert answer.headers["landyard-warning"] == "nothing"


@pytest.mark.parametrize("stored", [False, True])
def test_a_file_is_sent_for_saving_and_never_for_display(
    service: Service, tmp_path: Path, stored: bool
) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 1_000_000)
    answer = asked(service, "sample.file", path=str(path) if stored else "")
    headers = answer.headers

    assert answer.content == (path.read_bytes() if stored else b"a;b\r\n")
    assert headers["content-length"] == str(len(answer.content))
    assert headers["content-type"] == CSV
    assert headers["content-disposition"].startswith('attachment; filename="_bersicht.csv"; ')
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'; ")
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
    assert headers["x-request-id"]
    assert {"duration", "operating"} < set(msgspec.json.decode(headers["landyard-time"]))


def test_a_stream_is_generated_in_threads_after_the_commit(
    service: Service, sample: Sample
) -> None:
    answer = asked(service, "sample.stream")

    assert answer.content == b"0123"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment"
    assert "content-length" not in answer.headers
    assert threading.get_ident() not in sample.threads


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("sample.file", {"path": "/no/such/file"}),
        ("sample.file", {"media_type": "text/html\r\nx-evil: 1"}),
        ("sample.stream", {"where": 1}),
        ("sample.stream", {"where": 1, "how": "hangs"}),
    ],
)
def test_a_failure_before_the_first_byte_is_the_usual_error(
    service: Service, method: str, params: dict[str, Any]
) -> None:
    answer = asked(service, method, **params)

    assert (answer.status_code, answer.json()["error"]) == (500, "INTERNAL_SERVER_ERROR")
    assert "x-evil" not in answer.headers


@pytest.mark.parametrize("how", ["raises", "hangs"])
def test_a_stream_that_fails_midway_is_cut_off_closed_and_logged(
    service: Service, sample: Sample, how: str
) -> None:
    sent: list[Any] = []
    sample.closed.clear()
    sample.goes_on.clear()
    with capture_logs() as logs:
        asyncio.run(_ask(service.web_app, {"where": 3, "how": how}, sent))
    sample.goes_on.set()

    assert [each["body"] for each in sent[1:]] == [b"0", b"1"]
    assert sent[-1]["more_body"]
    assert sample.closed.wait(5)
    event = {"raises": "stream_crashed", "hangs": "stream_overran"}[how]
    (told,) = [each for each in logs if each["event"] == event]
    identity = dict(sent[0]["headers"])[b"x-request-id"].decode()
    assert (told["plugin"], told["method"], told["request_id"]) == (
        *("sample", "sample.stream"),
        identity,
    )


async def _ask(app: Any, params: dict[str, Any], sent: list[Any]) -> None:
    """Ask for the stream as a server does."""
    body = msgspec.json.encode(params)
    received = [{"type": "http.request", "body": body, "more_body": False}]
    gone = asyncio.Event()

    async def receive() -> Any:
        if not received:
            await gone.wait()
        return received.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    path = f"/rest{CALL}sample.stream"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode()}
    more: dict[str, Any] = {"query_string": b"", "headers": [], "client": None, "root_path": ""}
    await app({**scope, **more}, receive, send)


def test_invoke_and_tests_get_the_plain_result(service: Service) -> None:
    assert service.result("sample.inner") is True
    assert service.result("sample.file") == Download(b"a;b\r\n", "Übersicht.csv", CSV)
    assert b"".join(service.result("sample.stream").content) == b"0123"
    assert service.result("sample.none") == NoContent()


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("a b.txt", "a b.txt"),
        ('"; filename=x\r\nX: \0.html', "_; filename=x__X: _.html"),
        ("../..\\etc/passwd", ".._.._etc_passwd"),
        ("报告 100%.pdf", "报告 100%.pdf"),
        ("annexe\u202egpj.exe\ud800", "annexe_gpj.exe_"),
        ("x" * 300 + ".pdf", "x" * 146 + ".pdf"),
    ],
)
def test_any_name_makes_one_header_and_saves_no_other_file(name: str, saved: str) -> None:
    plain, _, full = disposition(name).decode("ascii").partition("; filename*=UTF-8''")

    assert unquote(full) == saved
    assert plain.startswith('attachment; filename="')
    assert plain.count('"') == 2
    assert all(each.isprintable() for each in plain)


def no_type(call: Call, params: Nothing) -> NoContent:
    """Answer nothing."""
    return NoContent()


def test_an_invalid_media_type_is_refused_where_it_is_declared() -> None:
    with pytest.raises(ValueError, match="no media type"):
        MethodGroup().method("a.b", media_type="csv")(no_type)
