"""Public answers: a route makes each once, and it is sent from memory until the next commit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from kernel.switching import saying, turn
from litestar import HttpMethod, Request, route

from landyard import Plugin, PublicAnswer, hookimpl
from landyard.testing import Service
from landyard.web import answer_cache

BOTH = [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST]
ETAG = b'"one"'


def answering(made: list[str], **more: Any) -> Plugin:
    """A plugin whose page answers its request and records that it was called."""

    @hookimpl
    def register_routes() -> list[object]:
        @route("/page", http_method=BOTH)
        def page(request: Request[Any, Any, Any]) -> PublicAnswer:
            text = f"{request.headers.get('host')} {request.url.query}"
            made.append(text)
            body = text.encode()
            headers = ((b"content-length", str(len(body)).encode()), (b"etag", ETAG))
            common = {"status": 200, "etag": ETAG, "unchanged": ((b"etag", ETAG),)}
            return PublicAnswer(**{**common, "headers": headers, "body": body, **more})

        return [page]

    return saying("paged", register_routes=register_routes)


@contextmanager
def served(made: list[str], **more: Any) -> Iterator[Service]:
    with Service([answering(made, **more)]) as service:
        yield service


def test_an_answer_is_made_once_for_a_host_and_a_query() -> None:
    made: list[str] = []
    with served(made) as service:
        for _ in range(3):
            for query, host in [("", "a"), ("q=1", "a"), ("", "b")]:
                answer = service.get(f"/page?{query}", host=host)
                assert (answer.status_code, answer.text) == (200, f"{host} {query}")
                assert answer.headers["x-request-id"]

    assert made == ["a ", "a q=1", "b "]


def test_an_answer_is_made_again_after_any_commit() -> None:
    made: list[str] = []
    with served(made) as service:
        service.get("/page")
        service.load({"users": [{"id": 7, "name": "Ann"}]})
        service.get("/page")
        service.get("/page")

    assert len(made) == 2


def test_a_plugin_that_was_off_makes_its_answers_again() -> None:
    made: list[str] = []
    with served(made) as service:
        service.get("/page")
        turn(service.kernel, "paged", is_on=False)
        service.kernel.lifecycle.refresh()
        off = service.get("/page").status_code
        turn(service.kernel, "paged", is_on=True)
        service.kernel.lifecycle.refresh()
        service.get("/page")

    assert (off, len(made)) == (404, 2)


@pytest.mark.parametrize("from_memory", [False, True])
def test_a_client_with_the_answer_gets_304_and_HEAD_gets_no_body(from_memory: bool) -> None:
    made: list[str] = []
    with served(made) as service:
        for _ in range(1 + from_memory):
            service.get("/page", host="a")
            if not from_memory:
                service.load({"users": [{"id": 7, "name": "Ann"}]})
            head = service.request("HEAD", "/page", headers={"host": "a"})
            sent = {tag: _status(service, tag) for tag in ('"one"', 'W/"one"', '"x", "one"', "*")}

    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "2")
    assert set(sent.values()) == {304}


def _status(service: Service, tag: str) -> int:
    answer = service.get("/page", host="a", **{"if-none-match": tag})
    assert answer.content == b""
    assert answer.headers["etag"] == '"one"'
    return answer.status_code


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        *(("gzip", True), ("br, GZIP;q=0.5", True), ("deflate,gzip ; q=1.0, br", True)),
        *(("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.000, br", False)),
    ],
)
def test_H4_a_client_that_accepts_gzip_gets_it_with_an_etag_of_its_own(
    accepted: str, packed: bool
) -> None:
    body = b"the same, again and again; " * 40
    headers = ((b"content-length", str(len(body)).encode()), (b"etag", ETAG))
    long = PublicAnswer(200, headers, body, ETAG, ((b"etag", ETAG),)).with_packed()
    made: list[str] = []
    with served(made, **msgspec.structs.asdict(long)) as service:
        for _ in range(2):  # from the route, and from memory
            answer = service.get("/page", **{"accept-encoding": accepted})
            etag = answer.headers["etag"]
            again = service.get("/page", **{"accept-encoding": accepted, "if-none-match": etag})

            assert answer.content == body
            assert etag == ('"one-gzip"' if packed else '"one"')
            assert (answer.headers.get("content-encoding") == "gzip") is packed
            assert (int(answer.headers["content-length"]) < len(body)) is packed
            assert (again.status_code, again.headers["etag"], again.content) == (304, etag, b"")
            assert answer.headers["vary"] == again.headers["vary"] == "accept-encoding"
    assert len(made) == 1


def test_an_answer_that_compression_does_not_shorten_is_sent_plain() -> None:
    assert PublicAnswer(200, (), b"short", ETAG).with_packed().packed is None


@pytest.mark.parametrize("more", [{"etag": b""}, {"status": 404}])
def test_an_answer_without_an_etag_or_of_another_status_is_not_kept(more: dict[str, Any]) -> None:
    made: list[str] = []
    with served(made, **more) as service:
        codes = [service.get("/page").status_code for _ in range(2)]

    assert (codes, len(made)) == ([more.get("status", 200)] * 2, 2)


@pytest.mark.parametrize("verb", ["POST", "HEAD"])
def test_only_answers_to_GET_are_kept(verb: str) -> None:
    made: list[str] = []
    with served(made) as service:
        service.request(verb, "/page")
        service.get("/page")

    assert len(made) == 2


def test_nothing_is_kept_while_the_mark_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr("landyard.storage.changes.Changes.mark", lambda _: None)
    with served(made) as service:
        service.get("/page")
        service.get("/page")

    assert len(made) == 2


def test_every_host_of_a_request_is_part_of_the_key() -> None:
    made: list[str] = []
    with served(made) as service:
        both = service.request("GET", "/page", headers=[("Host", "a"), ("Host", "b")]).text
        alone = service.get("/page", host="b").text

    assert both != alone
    assert alone == "b "


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(answer_cache, "AT_MOST", 2)
    monkeypatch.setattr(answer_cache, "LARGEST", 1000)
    with served(made) as service:
        for query in ["1", "2", "1", "2", "3", "3", "1", "x" * 900, "x" * 900]:
            service.get(f"/page?{query}", host="a")

    assert [each.removeprefix("a ")[0] for each in made] == ["1", "2", "3", "1", "x", "x"]
