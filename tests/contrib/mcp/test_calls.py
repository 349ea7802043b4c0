"""A tool's call is a call like any other: rights, limits, audit and failures."""

import base64
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contrib.mcp.clients import (
    BASE,
    basic,
    bearer,
    body,
    error,
    in_process,
    refused,
    result,
    talk,
)
from contrib.mcp.polls import plugins
from mcp import Client
from mcp_types import INVALID_PARAMS

from landyard.testing import WEBHOOK, Service
from landyard_audit.rows import AUDIT_ROW

WORLD: Any = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["poll"]}],
    "tokens": [
        {"user": 1, "token": "token-of-an-assistant-0123456789", "scopes": ["poll"]},
        {"user": 1, "token": "token-of-nobody-0123456789", "scopes": []},
    ],
}
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(plugins(), world=WORLD, public_base=BASE)


def ask(service: Service, story: Any, **options: Any) -> Any:
    return talk(in_process(service), story, **options)


def rows(service: Service) -> list[Any]:
    with service.kernel.store.session() as session:
        return list(session.execute(sa.select(AUDIT_ROW)))


def test_a_writing_call_names_its_id_and_is_in_the_audit(service: Service) -> None:
    answer = ask(service, lambda it: body(it, "poll-vote", choice="a"), authorization=bearer())

    assert answer == {"result": "a", "request_id": answer["request_id"]}
    [row] = [each for each in rows(service) if each.method == "poll.vote"]
    assert (row.request_id, row.user_id, row.credential) == (answer["request_id"], 1, "token:1")


def test_a_reading_call_answers_its_result_and_nothing_else(service: Service) -> None:
    assert ask(service, lambda it: body(it, "poll-grow")) == {"result": True}


def test_an_error_is_answered_with_its_code_and_data(service: Service) -> None:
    answer = ask(service, lambda it: refused(it, "poll-vote", choice="twice"))

    assert answer == {
        "error": "VOTED_TWICE",
        "error_description": "You have voted already.",
        "error_data": {"choice": "a"},
        "request_id": answer["request_id"],
    }
    missing = ask(service, lambda it: refused(it, "poll-vote"))
    assert missing["error"] == "MISSING_PARAMS"


def test_an_answer_is_also_text_for_clients_without_structured_content(service: Service) -> None:
    answer = ask(service, lambda it: it.call_tool("poll-vote", {"choice": "ü"}))

    [content] = answer.content
    assert content.text.startswith('{"result":"ü","request_id":')


def test_unknown_parameters_are_named_in_a_warning(service: Service) -> None:
    answer = ask(service, lambda it: body(it, "poll-grow", colour="red"))

    assert "'colour'" in answer["warnings"][0]


def test_a_dry_run_keeps_nothing_and_a_key_is_kept(service: Service) -> None:
    async def story(client: Client) -> Any:
        tried = await body(client, "poll-vote", choice="a", dry_run=True)
        first = await body(client, "poll-vote", choice="a", idempotency_key="k")
        again = await body(client, "poll-vote", choice="a", idempotency_key="k")
        other = await refused(client, "poll-vote", choice="b", idempotency_key="k")
        return tried, first, again, other

    tried, first, again, other = ask(service, story)
    assert tried == {"result": "a", "dry_run": True, "changes": []}
    assert (first["result"], again["result"]) == ("a", "a")
    assert first["request_id"] in again["warnings"][0]
    assert other["error"] == "IDEMPOTENCY_KEY_REUSED"
    assert len([each for each in rows(service) if each.method == "poll.vote"]) == 1


def test_a_call_without_dry_runs_is_refused_and_not_done(service: Service) -> None:
    answer = ask(service, lambda it: refused(it, "poll-send", dry_run=True))

    assert answer["error"] == "DRY_RUN_NOT_POSSIBLE"
    assert ask(service, lambda it: result(it, "poll-send", dry_run=False)) is None


@pytest.mark.parametrize(
    "sent",
    [
        bearer("token-of-nobody-0123456789"),
        bearer(),
    ],
)
def test_a_tool_that_is_not_offered_is_unknown(service: Service, sent: str) -> None:
    name = "poll-vote" if "nobody" in sent else "batch"

    story = lambda it: error(it.call_tool(name, {"choice": "a"}))  # noqa: E731
    assert ask(service, story, authorization=sent).code == INVALID_PARAMS


def test_a_client_of_reading_tools_gets_no_writing_ones(service: Service) -> None:
    story = lambda it: error(it.call_tool("poll-add", {}))  # noqa: E731
    assert ask(service, story, query="?read_only=true").code == INVALID_PARAMS


def test_rate_limits_are_those_of_any_call(make_service: MakeService) -> None:
    service = make_service(
        plugins(), world=WORLD, public_base=BASE, limits={"burst": 2, "per_second": 0.001}
    )

    async def story(client: Client) -> Any:
        answers = [await client.call_tool("poll-grow", {}) for _ in range(4)]
        return [(each.structured_content or {}).get("error") for each in answers]

    assert ask(service, story)[-1] == "QUERY_LIMIT_EXCEEDED"


def test_a_hanging_method_is_given_up(service: Service) -> None:
    answer = ask(service, lambda it: refused(it, "poll-hang"))

    assert answer["error"] == "INTERNAL_SERVER_ERROR"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("table", {"name": "polls.csv", "media_type": "text/csv", "text": "a;b"}),
        (
            "picture",
            {
                "name": "poll.png",
                "media_type": "image/png",
                "base64": base64.b64encode(b"\0\1").decode(),
            },
        ),
    ],
)
def test_a_file_is_answered_as_text_or_in_base64(
    service: Service, choice: str, expected: Any
) -> None:
    assert ask(service, lambda it: result(it, "poll-export", choice=choice)) == expected


def test_a_large_file_is_left_out(service: Service) -> None:
    answer = ask(service, lambda it: result(it, "poll-export", choice="large"))

    assert answer.keys() == {"name", "media_type", "left_out"}


@pytest.mark.parametrize(
    "sent",
    [
        {"anything": "a\0b"},
        {"a\0b": 1},
        {"anything": list(range(10_001))},
        {"anything": [[[]] * 5000] * 3},
        {"anything": {str(number): number for number in range(10_001)}},
    ],
)
def test_parameters_that_no_call_may_contain_are_refused(service: Service, sent: Any) -> None:
    assert ask(service, lambda it: refused(it, "poll-grow", **sent))["error"] == "INVALID_REQUEST"


def test_parameters_nested_too_deep_are_refused(service: Service) -> None:
    deep: Any = []
    for _ in range(70):
        deep = [deep]

    answer = ask(service, lambda it: refused(it, "poll-grow", anything=deep))
    assert answer["error"] == "INVALID_REQUEST"


def test_a_credential_among_the_arguments_is_ignored(service: Service) -> None:
    """A prompt may talk an assistant into sending another token, which does not count."""
    sent = {"choice": "a", "auth": "token-of-an-assistant-0123456789"}

    story = lambda it: error(it.call_tool("poll-vote", sent))  # noqa: E731
    nobody = bearer("token-of-nobody-0123456789")
    assert ask(service, story, authorization=nobody).code == INVALID_PARAMS
    answer = ask(service, lambda it: body(it, "poll-vote", **sent), authorization=basic())
    assert [
        each.credential for each in rows(service) if each.request_id == answer["request_id"]
    ] == ["webhook:1"]
