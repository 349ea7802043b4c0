"""How large a request may be, by the group of its method: `Bounds`."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Literal

import httpx
import pytest
from contract.bodies import FORM
from corpora import read_data
from kernel.sample import Brings, Nothing
from kernel.switching import saying
from litestar import post as litestar_post
from litestar.params import RawBody
from structlog.testing import capture_logs
from tables import for_each

from landyard import Bounds, Call, MethodGroup, Plugin, hookimpl
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.bodies import SMALL
from landyard.web.wire import Incoming

KIB = 1024
LARGE = 2 * SMALL


def plugin(name: str, bounds: Bounds) -> Plugin:
    group = MethodGroup(bounds=bounds)

    @group.method(f"{name}.count")
    def count(call: Call, params: Nothing) -> int:
        """Count what was sent."""
        return len(call.request.params)

    return Plugin(name, Brings(group))


PLUGINS = [
    plugin("small", Bounds(size=KIB, depth=3, values=10)),
    plugin("usual", Bounds()),
    plugin("large", Bounds(size=None, values=100_000)),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(PLUGINS, max_body=2 * KIB * KIB) as service:
        yield service


def send(service: Service, method: str, body: bytes, kind: str = "application/json") -> Answer:
    path = f"/1/{WEBHOOK}/{method}"
    return service.send(Incoming("POST", path, body=body, content_type=kind))


def status(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.error


FINE = (200, None)
TOO_LARGE = (413, "INVALID_REQUEST")
REFUSED = (400, "INVALID_REQUEST")


def padded(size: int) -> bytes:
    return b'{"a":"' + b"x" * (size - 8) + b'"}'


@pytest.mark.rule("C1", "C13")
@pytest.mark.parametrize(
    ("method", "size", "told"),
    read_data(__file__, "SIZES", list[tuple[str, int, tuple[int, str | None]]]),
)
def test_a_body_is_no_larger_than_its_group_and_the_operator_have_it(
    service: Service, method: str, size: int, told: tuple[int, str | None]
) -> None:
    assert status(send(service, method, padded(size))) == told


@pytest.mark.rule("C1")
def test_the_operators_bound_goes_before_that_of_a_group() -> None:
    with Service(PLUGINS, max_body=KIB // 2) as service:
        assert status(send(service, "small.count", padded(KIB // 2 + 1))) == TOO_LARGE


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    ("body", "told"), read_data(__file__, "VALUES", list[tuple[Any, tuple[int, str | None]]])
)
def test_depth_keys_and_items_are_bounded(
    service: Service, body: Any, told: tuple[int, str | None]
) -> None:
    assert status(send(service, "small.count", json.dumps(body).encode())) == told


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    ("form", "told"), read_data(__file__, "FORMS", list[tuple[str, tuple[int, str | None]]])
)
def test_fields_of_forms_are_bounded_with_their_brackets(
    service: Service, form: str, told: tuple[int, str | None]
) -> None:
    query = Incoming("GET", f"/1/{WEBHOOK}/small.count", query=form.encode())

    assert status(send(service, "small.count", form.encode(), FORM)) == told
    assert status(service.send(query)) == told


@pytest.mark.rule("C3")
@pytest.mark.parametrize(("length", "told"), [(8 * KIB, FINE), (8 * KIB + 1, REFUSED)])
def test_the_name_of_a_field_is_bounded(
    service: Service, length: int, told: tuple[int, str | None]
) -> None:
    form = b"a[" + b"x" * (length - 3) + b"]=1"

    assert status(send(service, "usual.count", form, FORM)) == told


@pytest.mark.rule("C13")
def test_a_refused_request_is_logged_without_what_it_said(service: Service) -> None:
    request = Incoming("POST", f"/1/{WEBHOOK}/x", body=b"secret", id="r1", address="192.0.2.1")

    with capture_logs() as logs:
        service.send(request)

    assert logs == [
        {
            "event": "request_refused",
            "log_level": "info",
            "error": "INVALID_REQUEST",
            "status": 400,
            "address": "192.0.2.1",
            "request_id": "r1",
        }
    ]


@pytest.mark.rule("C3")
def test_many_small_things_are_refused_before_they_are_read(service: Service) -> None:
    """Read, they would take thirty times the room of the body."""
    answer = send(service, "usual.count", b'{"a":[' + b"[]," * 200_000 + b"[]]}")

    assert status(answer) == REFUSED
    assert "10000" in answer.body["error_description"]


@pytest.mark.rule("C1")
def test_a_body_that_is_too_large_is_not_even_received(service: Service) -> None:
    """The application stops at the bound of the method in the path."""
    received = 0

    async def endless() -> Any:
        nonlocal received
        while received < 100 * KIB:
            received += KIB
            yield b"x" * KIB

    async def post(service: Service) -> int:
        transport = httpx.ASGITransport(service.web_app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as web:
            path = f"/rest/1/{WEBHOOK}/small.count"
            return (await web.post(path, content=endless())).status_code

    assert asyncio.run(post(service)) == 413
    assert received <= 3 * KIB


class Awaited(asyncio.Event):
    """An event whose `by_all` is set once so many tasks wait for it."""

    def __init__(self, tasks: int) -> None:
        super().__init__()
        self.by_all = asyncio.Event()
        self._missing = tasks

    async def wait(self) -> Literal[True]:
        self._missing -= 1
        if not self._missing:
            self.by_all.set()
        return await super().wait()


async def post(app: Any, path: str, size: int, told: list[int], end: asyncio.Event) -> None:
    """Send a body whose last piece is held back until `end`."""
    pieces = iter([b" " * size, b""])

    async def receive() -> dict[str, Any]:
        piece = next(pieces)
        if not piece:
            await end.wait()
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            told.append(message["status"])

    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode()}
    more: dict[str, Any] = {"query_string": b"", "client": None, "root_path": ""}
    more["headers"] = [(b"content-type", FORM.encode())]
    await app({**scope, **more}, receive, send)


CALL = f"/rest/1/{WEBHOOK}/large.count"


@litestar_post("/take", request_max_body_size=LARGE)
def take(body: RawBody) -> int:
    return len(body)


@litestar_post("/usual")
def usual(body: RawBody) -> int:
    return len(body)


@hookimpl
def register_routes() -> list[object]:
    return [take, usual]


TAKES = saying("takes", register_routes=register_routes)


@pytest.mark.parametrize("path", [CALL, "/take"])
def test_a_worker_holds_only_so_many_bytes_of_bodies_at_once(path: str) -> None:
    """Eight of the largest: of who comes meanwhile a small one is taken, another told to wait."""
    told: list[int] = []

    async def all_at_once(app: Any) -> None:
        complete, whole = Awaited(8), asyncio.Event()
        whole.set()
        held = [asyncio.create_task(post(app, path, LARGE, told, complete)) for _ in range(8)]
        await complete.by_all.wait()
        for other in (CALL, "/take"):
            await post(app, other, LARGE, told, whole)
            await post(app, other, SMALL, told, whole)
        complete.set()
        await asyncio.gather(*held)
        await post(app, path, LARGE, told, whole)

    with Service([*PLUGINS, TAKES], max_body=LARGE) as service:
        asyncio.run(all_at_once(service.web_app))

    assert [status < 300 for status in told] == [False, True, False, True, *[True] * 9]
    assert told[0] == told[2] == 503


@for_each(
    "path, size, status",
    [
        *(("/usual", SMALL, 201), ("/usual", SMALL + 1, 413)),
        *(("/take", LARGE, 201), ("/take", LARGE + 1, 413)),
        *(("/-/sign-in", 9 * KIB, 413), ("/-/sign-in", 100, 403)),
        *(("/-/console/sign-in", SMALL, 413), ("/-/console/sign-in", 100, 403)),
    ],
)
def test_a_page_accepts_no_more_than_it_declares(path: str, size: int, status: int) -> None:
    told: list[int] = []

    async def send_it(app: Any) -> None:
        whole = asyncio.Event()
        whole.set()
        await post(app, path, size, told, whole)

    plugins = [TAKES] if path in ("/take", "/usual") else None
    with Service(plugins) as service:
        asyncio.run(send_it(service.web_app))

    assert told == [status]
