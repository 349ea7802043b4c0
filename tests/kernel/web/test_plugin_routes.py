"""A plugin's route: a plain function in the thread pool that fails only for its visitor."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import pytest
from kernel.switching import reason, saying, states
from litestar import Litestar, Request, Response, Router, asgi, get, post, websocket
from litestar.background_tasks import BackgroundTask
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.response import Stream
from sqlmodel import SQLModel
from structlog.testing import capture_logs

from landyard import Plugin, hookimpl
from landyard.testing import Service


def bringing(*routes: object) -> Plugin:
    @hookimpl
    def register_routes() -> list[object]:
        return list(routes)

    return saying("paged", register_routes=register_routes)


@contextmanager
def served(*routes: object, seconds: float = 10.0) -> Iterator[Service]:
    rules = {"seconds": seconds}
    with Service([bringing(*routes)], plugins=rules, raise_crashes=False) as service:
        yield service


async def ask(app: Any, path: str, verb: str = "GET") -> list[Any]:
    """Send a request as a server does; return the messages sent back."""
    sent: list[Any] = []
    gone = asyncio.Event()
    received = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if not received:
            await gone.wait()
        return received.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": verb, "path": path, "raw_path": path.encode()}
    more: dict[str, Any] = {"query_string": b"", "headers": [], "client": None, "root_path": ""}
    await app({**scope, **more}, receive, send)
    return sent


# ------------------------------------------------------------------------------------ parameters


class Wish(SQLModel):
    text: str
    at: date = date(2026, 1, 2)


def test_models_are_read_and_answered() -> None:
    @post("/wishes")
    def wish(data: JSONBody[Wish]) -> list[Wish]:
        return [data]

    with served(wish) as service:
        taken = service.request("POST", "/wishes", json={"text": "rain"})
        plain = {"Accept": "application/json"}
        wrong = service.request("POST", "/wishes", json={"text": 3}, headers=plain)

        assert (taken.status_code, taken.json()) == (201, [{"text": "rain", "at": "2026-01-02"}])
        assert (wrong.status_code, wrong.json()["error"]) == (400, "INVALID_REQUEST")


def test_parameters_of_every_kind_are_injected() -> None:
    @get("/path/{number:int}")
    def path(
        request: Request[Any, Any, Any], number: FromPath[int], word: FromQuery[str] = "none"
    ) -> dict[str, Any]:
        return {"number": number, "word": word, "header": request.headers["x-word"]}

    @post("/data")
    def data(data: JSONBody[dict[str, int]]) -> dict[str, int]:
        return data

    with served(path, data) as service:
        answer = service.get("/path/3?word=w", **{"x-word": "h"})
        posted = service.request("POST", "/data", json={"a": 1})
        plain = {"Accept": "application/json"}
        wrong = service.request("POST", "/data", json={"a": "text"}, headers=plain)

        assert answer.json() == {"number": 3, "word": "w", "header": "h"}
        assert (posted.status_code, posted.json()) == (201, {"a": 1})
        assert (wrong.status_code, wrong.json()["error"]) == (400, "INVALID_REQUEST")
        assert service.get("/path/x").status_code == 404


def test_the_function_and_the_rendering_run_in_a_thread() -> None:
    threads: list[int] = []

    class Rendered(Response[str]):
        def render(self, *given: Any, **named: Any) -> bytes:
            threads.append(threading.get_ident())
            return super().render(*given, **named)

    @get("/page")
    def page() -> Response[str]:
        threads.append(threading.get_ident())
        return Rendered("text", media_type="text/plain")

    with served(page) as service:
        assert service.get("/page").text == "text"
        assert len(threads) == 2
        assert threading.get_ident() not in threads


# ------------------------------------------------------------------------------------ failures


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt, StopIteration])
def test_an_exception_is_500_for_its_visitor_and_named_in_the_log(
    error: type[BaseException],
) -> None:
    @get("/page/{name:str}")
    def page(name: FromPath[str]) -> str:
        if name == "bad":
            raise error
        return name

    with served(page) as service, capture_logs() as logs:
        codes = [service.get(f"/page/{name}").status_code for name in ["bad"] * 6 + ["good"]]
        request_id = service.get("/page/bad").headers["x-request-id"]

        assert codes == [500] * 6 + [200]
        crash = [each for each in logs if each["event"] == "page_crashed"][-1]
        assert crash["plugin"] == "paged"
        assert crash["page"] == "/page/{name:str}"
        assert crash["request_id"] == request_id
        assert service.call("paged.say").error is None


def test_litestars_exceptions_are_answers() -> None:
    @get("/page")
    def page() -> str:
        raise NotFoundException

    with served(page) as service, capture_logs() as logs:
        assert service.get("/page").status_code == 404
        assert not [each for each in logs if each["event"] == "page_crashed"]


def test_a_page_over_its_limit_is_answered_and_others_do_not_wait() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    @get("/slow")
    def slow() -> str:
        begun.set()
        goes_on.wait(20)
        return "late"

    @get("/quick")
    def quick() -> str:
        return "quick"

    async def both(app: Any) -> list[int]:
        waiting = asyncio.ensure_future(ask(app, "/slow"))
        assert await asyncio.to_thread(begun.wait, 20)
        quick = await asyncio.wait_for(ask(app, "/quick"), 10)
        answers = [each[0]["status"] for each in (quick, await waiting)]
        goes_on.set()
        return answers

    with served(slow, quick, seconds=1.0) as service, capture_logs() as logs:
        service.get("/healthz")
        assert asyncio.run(both(service.web_app)) == [200, 500]
        (event,) = [each for each in logs if each["event"] == "page_overran"]
        assert (event["plugin"], event["page"]) == ("paged", "/slow")


# ------------------------------------------------------------------------------------------ streams


def test_a_stream_is_iterated_in_threads() -> None:
    threads: set[int] = set()

    def chunks() -> Iterator[bytes | str]:
        for each in (b"one ", "two ", b"three"):
            threads.add(threading.get_ident())
            yield each

    @get(["/iterator", "/function"])
    def page(request: Request[Any, Any, Any]) -> Stream:
        return Stream(chunks() if request.url.path == "/iterator" else chunks)

    with served(page) as service:
        assert [service.get(path).text for path in ("/iterator", "/function")] == [
            "one two three",
            "one two three",
        ]
        assert threading.get_ident() not in threads


@pytest.mark.parametrize("fault", ["raises", "hangs"])
def test_a_stream_that_breaks_off_is_cut_off_and_closed(fault: str) -> None:
    closed, goes_on = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        try:
            yield b"first"
            if fault == "raises":
                raise SystemExit
            goes_on.wait(20)
        finally:
            closed.set()

    @get("/page")
    def page() -> Stream:
        return Stream(chunks())

    with served(page, seconds=0.5) as service, capture_logs() as logs:
        sent = asyncio.run(ask(service.web_app, "/page"))
        goes_on.set()

        assert sent[0]["status"] == 200
        assert [each["body"] for each in sent[1:]] == [b"first"]
        assert sent[-1]["more_body"]
        assert closed.wait(5)
        event = "page_crashed" if fault == "raises" else "page_overran"
        assert [each["page"] for each in logs if each["event"] == event] == ["/page"]


def test_a_visitor_who_leaves_keeps_no_generator_open() -> None:
    closed = threading.Event()

    def chunks() -> Iterator[bytes]:
        try:
            while True:
                yield b"x"
        finally:
            closed.set()

    @get("/page")
    def page() -> Stream:
        return Stream(chunks())

    async def leave(app: Any) -> None:
        asked = asyncio.ensure_future(ask(app, "/page"))
        await asyncio.sleep(0.3)
        asked.cancel()
        await asyncio.wait([asked])
        await asyncio.sleep(0.3)

    with served(page) as service:
        asyncio.run(leave(service.web_app))

        assert closed.wait(5)


# ------------------------------------------------------------------------------------ refused
# functions


async def _async(*_: Any) -> None:
    """Do nothing."""


@get("/page")
async def async_page() -> str:
    return ""


@get("/page", guards=[lambda *_: None])
def guarded() -> str:
    return ""


@get("/page", before_request=_async)
def prepared() -> str:
    return ""


@get("/page", middleware=[lambda app: app])
def wrapped() -> str:
    return ""


@get("/page", dependencies={"word": _async})
def dependent(word: Any) -> str:
    return str(word)


@asgi("/page")
async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer nothing."""


@websocket("/page")
async def socket(socket: Any) -> None:
    """Answer nothing."""


REFUSED: list[tuple[object, str]] = [
    (async_page, "route /page comes with 'async def': write 'def'"),
    (guarded, "guards"),
    (prepared, "before_request"),
    (wrapped, "middleware"),
    (dependent, "dependencies"),
    (application, "@get"),
    (socket, "@get"),
    (Router("/", route_handlers=[]), "@get"),
    (get("/page"), "register_routes"),
    (Litestar(), "@get"),
]


@pytest.mark.parametrize(("route", "message"), REFUSED)
def test_a_function_for_the_event_loop_is_refused_at_the_start(route: object, message: str) -> None:
    with Service([bringing(route), saying("other")], strict=False) as service:
        service.get("/healthz")

        assert states(service.kernel) == {"paged": "failed", "other": "enabled"}
        assert message in reason(service.kernel, "paged")


async def _chunks() -> AsyncIterator[bytes]:
    yield b"x"


@pytest.mark.parametrize(
    "made", [lambda: Stream(_chunks()), lambda: Response("x", background=BackgroundTask(_async))]
)
def test_an_answer_for_the_event_loop_is_a_crash(made: Any) -> None:
    @get("/page")
    def page() -> Response[Any]:
        answer: Response[Any] = made()
        return answer

    with served(page) as service:
        assert service.get("/page").status_code == 500


def test_a_page_answers_HEAD_and_has_the_usual_headers() -> None:
    @get("/quiet")
    def quiet() -> Response[str]:
        own = {"content-security-policy": "default-src 'none'"}
        return Response("<p>quiet", media_type="text/html", headers=own)

    @get("/plain")
    def plain() -> str:
        return "plain"

    @get("/route", response_headers={"content-security-policy": "default-src 'none'"})
    def of_route() -> str:
        return "its route says"

    with served(quiet, plain, of_route) as service:
        head = service.request("HEAD", "/plain")
        page, own, route = (service.get(path) for path in ("/plain", "/quiet", "/route"))

    assert head.status_code == 200
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "object-src 'none'" in page.headers["content-security-policy"]
    for each in (own, route):
        assert each.headers.get_list("content-security-policy") == ["default-src 'none'"]
