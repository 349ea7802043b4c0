"""Each served page is logged, without parts that may be secret."""

from collections.abc import Iterator
from typing import Any

import pytest
from kernel.sample import Brings
from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Redirect, Stream
from structlog.testing import capture_logs

from landyard import Host, MethodGroup, Plugin, PublicAnswer, hookimpl
from landyard.testing import WEBHOOK, Service


@get("/hello/{name:str}")
def hello(name: FromPath[str]) -> str:
    return f"Hello, {name}!"


@get("/stream")
def stream() -> Stream:
    return Stream(iter(("one ", "two")))


@get("/kept")
def kept() -> PublicAnswer:
    return PublicAnswer(200, ((b"content-length", b"4"),), b"kept", b'"1"')


@get("/moved/{name:str}")
def moved(name: FromPath[str]) -> Response[Any]:
    return Redirect("/kept")


@get("/broken")
def broken() -> str:
    raise ZeroDivisionError


class Paged(Brings):
    @hookimpl
    def register_routes(self, host: Host) -> list[object]:
        return [hello, stream, kept, moved, broken]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service([Plugin("paged", Paged(MethodGroup()))], raise_crashes=False) as service:
        service.get("/healthz")
        yield service


def logged(service: Service, path: str, verb: str = "GET") -> dict[str, Any]:
    """Ask for a page; return its event, with the id of the answer."""
    with capture_logs() as logs:
        answer = service.request(verb, path)
    (event,) = [each for each in logs if each["event"] == "page_served"]
    assert event["request_id"] == answer.headers["x-request-id"]
    assert event["status"] == answer.status_code
    assert event["bytes"] == len(answer.content)
    assert 0 <= event["ms"] < 60_000
    return dict(event)


@pytest.mark.parametrize("path", ["/hello/Ann", "/stream", "/kept", "/broken", "/"])
def test_a_page_is_logged(service: Service, path: str) -> None:
    event = logged(service, path)

    assert (event["path"], event["log_level"]) == (path, "info")


def test_a_page_from_memory_is_logged_too(service: Service) -> None:
    assert [logged(service, "/kept")["bytes"] for _ in range(2)] == [4, 4]


def test_the_query_of_a_page_is_not_logged(service: Service) -> None:
    assert "hush" not in str(logged(service, "/hello/Ann?auth=hush"))


@pytest.mark.parametrize(
    ("path", "logged_path"),
    [
        (f"/1/{WEBHOOK}/methods", "/1/…/methods"),
        (f"/REST/1/{WEBHOOK}/methods", "/REST/1/…/methods"),
        (f"/%72est/1/{WEBHOOK}/methods", "/%72est/1/…/methods"),
        (f"/{WEBHOOK}", "/…"),
        (f"/moved/{WEBHOOK}", "/moved/…"),
        ("/no/such/page", "/no/such/page"),
    ],
)
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_a_mistyped_address_shows_no_secret(
    service: Service, verb: str, path: str, logged_path: str
) -> None:
    assert logged(service, path, verb)["path"] == logged_path


def test_a_logged_path_is_one_line(service: Service) -> None:
    path = logged(service, "/hello/" + "%0A%1B%5B2J" + "x" * 1000)["path"]

    assert path.isprintable()
    assert len(path) == 300


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_health_check_is_not_logged(service: Service, path: str) -> None:
    assert logged(service, path)["log_level"] == "debug"
