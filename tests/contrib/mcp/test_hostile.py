"""The MCP address refuses strangers, foreign web pages, and wrong or large messages."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from conftest import MakeService
from contrib.mcp.clients import ADDRESS, BASE, basic, bearer, body, in_process, talk
from contrib.mcp.polls import plugins

from landyard.testing import WEBHOOK, Service

WORLD: Any = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["poll"]}],
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(plugins(), world=WORLD, public_base=BASE)


def send(service: Service, content: Any = PING, verb: str = "POST", **headers: str) -> Any:
    sent = {"Authorization": basic(), **ACCEPT, **headers}
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    return service.request(verb, ADDRESS, content=content, headers=sent)


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        bearer("a-token-that-nobody-has-0123"),
        basic(1, "a-code-that-nobody-has-012345"),
        basic(2),
        "Basic !!!",
        "Basic /w==",
        "Digest x",
    ],
)
def test_a_request_without_a_valid_credential_is_refused(service: Service, sent: str) -> None:
    answer = send(service, Authorization=sent)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert set(answer.json()) == {"error", "error_description"}


def test_a_client_that_guesses_credentials_is_told_to_wait(make_service: MakeService) -> None:
    service = make_service(
        plugins(), world=WORLD, public_base=BASE, limits={"wrong_credentials": 2}
    )

    answers = [send(service, Authorization=bearer(f"{n}" * 20)) for n in range(4)]
    assert [each.status_code for each in answers] == [401, 401, 503, 503]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_a_credential_in_the_address_does_not_count(service: Service) -> None:
    answer = service.request(
        "POST", f"{ADDRESS}?auth={WEBHOOK}", content=json.dumps(PING), headers=ACCEPT
    )
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "testserver.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": BASE}, 200),
        ({}, 200),
    ],
)
def test_foreign_web_pages_and_rebound_names_are_refused(
    service: Service, headers: dict[str, str], status: int
) -> None:
    assert send(service, **headers).status_code == status


def test_an_operator_names_more_hosts_and_origins(make_service: MakeService) -> None:
    more = {"hosts": ["pages.internal:8000"], "origins": ["https://assistant.example"]}
    service = make_service(plugins(), world=WORLD, public_base=BASE, mcp=more)

    assert send(service, Host="pages.internal:8000").status_code == 200
    assert send(service, Origin="https://assistant.example").status_code == 200


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_listen_to_and_no_session_to_end(service: Service, verb: str) -> None:
    assert send(service, verb=verb).status_code == 405


def test_the_number_of_methods_in_an_address_is_limited(service: Service) -> None:
    sent = {"Authorization": basic(), **ACCEPT}
    content = json.dumps(PING)
    answers = [
        service.request("POST", f"{ADDRESS}?methods={named}", content=content, headers=sent)
        for named in ("a*" * 250, "a," * 251)
    ]

    assert [each.status_code for each in answers] == [200, 400]


def test_answers_belong_to_their_caller_alone(service: Service) -> None:
    answer = send(service)

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "mcp-session-id" not in answer.headers


CALL = {"name": "poll-vote", "arguments": {"choice": "a"}}
WRONG: list[Any] = [
    *(b"", b"{", b"\xff", b"null", b"[]", b"1" * 5000, b'"x"', b"[" * 100_000),
    *({}, {"jsonrpc": "2.0"}, {"jsonrpc": "1.0", "id": 1, "method": "tools/list"}),
    [PING, PING],
    {**PING, "method": "tools/steal"},
    {**PING, "method": "x" * 10_000},
    {**PING, "method": "tools/call"},
    {**PING, "method": "tools/call", "params": []},
    {**PING, "method": "tools/call", "params": {"name": 1}},
    {**PING, "method": "tools/call", "params": {"name": "poll-vote", "arguments": [1]}},
    {**PING, "method": "tools/call", "params": {"name": "x" * 100_000}},
    {**PING, "method": "resources/read", "params": {"uri": "x" * 100_000}},
    {**PING, "id": None},
    {**PING, "id": {"a": 1}},
]


@pytest.mark.parametrize("version", ["", "2025-06-18", "2026-07-28", "1999-01-01"])
def test_an_invalid_message_is_refused_and_breaks_nothing(service: Service, version: str) -> None:
    headers = {"MCP-Protocol-Version": version} if version else {}

    for each in WRONG:
        answer = send(service, each, **headers)
        # The last one is a notification: it is accepted and not answered.
        refused = answer.status_code in (202, 400, 404) or "error" in answer.json()
        assert refused, each
        assert answer.status_code < 500, each
    assert send(service).status_code == 200


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_large_message_is_refused(service: Service, version: str) -> None:
    call = {**CALL, "arguments": {"choice": "a" * 1024 * 1024}}
    sent = {**PING, "method": "tools/call", "params": call}

    answer = send(service, sent, **{"MCP-Protocol-Version": version})
    assert answer.status_code == 413


def test_a_body_that_is_no_json_is_refused(service: Service) -> None:
    assert send(service, **{"Content-Type": "text/plain"}).status_code == 400
    assert send(service, Accept="text/html").status_code == 406


def test_a_client_that_disconnects_leaves_nothing_behind(service: Service) -> None:
    """In the middle of its message, before its answer, and after a body that never ends."""
    whole = json.dumps({**PING, "method": "tools/call", "params": CALL}).encode()
    gone = {"type": "http.disconnect"}
    part = {"type": "http.request", "body": whole[:20], "more_body": True}
    all_of_it = {"type": "http.request", "body": whole, "more_body": False}

    for received in ([gone], [part, gone], [all_of_it, gone]):
        asyncio.run(_exchange(service, received))
    assert service.crashes == []
    assert send(service).status_code == 200


async def _exchange(service: Service, received: list[Any]) -> list[Any]:
    sent: list[Any] = []
    waiting = iter(received)

    async def receive() -> Any:
        return next(waiting, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {"Authorization": basic(), **ACCEPT, "Host": "testserver"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": ADDRESS,
        "raw_path": ADDRESS.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
        "state": {},
        "asgi": {"version": "3.0"},
    }
    await service.web_app(scope, receive, send)
    return sent


def test_a_worker_answers_a_limited_number_at_a_time(make_service: MakeService) -> None:
    service = make_service(plugins(), world=WORLD, public_base=BASE, mcp={"requests": 2})
    hang = {**PING, "method": "tools/call", "params": {"name": "poll-hang", "arguments": {}}}
    headers = {"Authorization": basic(), **ACCEPT}

    async def story() -> list[int]:
        transport = httpx2.ASGITransport(service.web_app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE, headers=headers) as web:
            sent = [web.post(ADDRESS, json=hang) for _ in range(6)]
            statuses = [answer.status_code for answer in await asyncio.gather(*sent)]
            return [*statuses, (await web.post(ADDRESS, json=PING)).status_code]

    *statuses, after = asyncio.run(story())
    assert (sorted(statuses), after) == ([200, 200, 503, 503, 503, 503], 200)


def test_many_assistants_at_once_get_their_own_answers(service: Service) -> None:
    async def story(client: Any) -> Any:
        voted = (body(client, "poll-vote", choice=str(number)) for number in range(50))
        return [each["result"] for each in await asyncio.gather(*voted)]

    assert talk(in_process(service), story) == [str(number) for number in range(50)]
