"""Authentication: which credentials are accepted, and how the others are refused (C13, C15)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from corpora import read_data
from kernel.sample import Brings, sample_group, sample_plugin
from sqlalchemy import Connection
from sqlmodel import Session
from structlog.testing import capture_logs

from landyard import Actor, Credential, MethodGroup, Plugin, hookimpl
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming

HOOK, ETERNAL = "webhook-of-ann-0123456789", "token-eternal-0123456789"
WORLD = read_data(__file__, "WORLD", dict[str, Any])


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service([sample_plugin()], world=WORLD) as service:
        yield service


def ask(service: Service, path: str, body: Any = None, query: str = "", header: str = "") -> Answer:
    sent = msgspec.json.encode(body if body is not None else {})
    return service.send(Incoming("POST", path, query.encode(), authorization=header, body=sent))


NO_WEBHOOK = "/sample.who"


@pytest.mark.rule("C15", "call: path of a webhook", "call: path of a token")
@pytest.mark.parametrize(
    ("path", "body", "query", "header", "name"),
    read_data(__file__, "FIRST", list[tuple[str, Any, str, str, str]]),
)
def test_C15_the_first_credential_counts(  # noqa: PLR0917 - the places of a credential
    service: Service, path: str, body: dict[str, str], query: str, header: str, name: str
) -> None:
    assert ask(service, path, body, query, header).result.endswith(f" {name}")


@pytest.mark.rule("C15")
@pytest.mark.parametrize(
    ("path", "body", "query", "header"),
    read_data(__file__, "NO_FALL_BACK", list[tuple[str, Any, str, str]]),
)
def test_C15_a_wrong_credential_does_not_fall_back_on_the_next(
    service: Service, path: str, body: dict[str, str], query: str, header: str
) -> None:
    assert ask(service, path, body, query, header).status == 401


def hook(user: str, code: str) -> dict[str, Any]:
    return {"path": f"/{user}/{code}/sample.who"}


def auth(token: Any) -> dict[str, Any]:
    return {"path": NO_WEBHOOK, "body": {"auth": token}}


REFUSED = read_data(__file__, "REFUSED", list[tuple[dict[str, Any], int, str]])


@pytest.mark.rule("C13", "C15")
@pytest.mark.parametrize(("sent", "status", "code"), REFUSED)
def test_C13_each_wrong_credential_has_its_code(
    service: Service, sent: dict[str, Any], status: int, code: str
) -> None:
    answer = ask(service, **sent)

    assert (answer.status, answer.error) == (status, code)
    assert set(answer.body) == {"error", "error_description"}


@pytest.mark.rule("C15")
@pytest.mark.parametrize("token", [5, True, ["x"], {"a": "x"}, []])
def test_C15_an_auth_that_is_no_string_is_refused(service: Service, token: Any) -> None:
    assert ask(service, **auth(token)).status == 401


@pytest.mark.rule("C13")
def test_C13_a_credential_expires_at_the_given_second() -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    ends = {"user": 1, "scopes": ["sample"], "expires_at": moment}
    world = {
        "users": [{"id": 1}],
        "tokens": [{**ends, "token": ETERNAL}],
        "webhooks": [{**ends, "code": HOOK}],
    }
    with Service([sample_plugin()], world=world, now=moment) as service:
        answers = [ask(service, **auth(ETERNAL)), ask(service, **hook("1", HOOK))]

    assert [answer.error for answer in answers] == ["expired_token", "INVALID_CREDENTIALS"]


class Gatekeeper(Brings):
    """Accepts one token of its own, and answers with the chosen value."""

    def __init__(self, answer: Any) -> None:
        super().__init__(sample_group())
        self.answer = answer

    @hookimpl
    def authenticate(self, credential: Credential, session: Session) -> Any:
        return self.answer if credential.secret == "of-the-plugin" else None


class Looker(Gatekeeper):
    """Reads the database through both of the ways offered to a plugin."""

    @hookimpl
    def authenticate(  # type: ignore[override]
        self, credential: Credential, connection: Connection, session: Session
    ) -> Any:
        assert session.connection() is connection
        return super().authenticate(credential, session)


@pytest.mark.parametrize("kind", [Gatekeeper, Looker])
def test_a_plugin_accepts_a_credential_that_the_kernel_does_not_know(
    kind: type[Gatekeeper],
) -> None:
    keeper = kind(Actor(7, "sso:7", frozenset({"sample"}), name="sso"))
    with Service([Plugin("keeper", keeper)]) as service:
        answer = ask(service, **auth("of-the-plugin"))

    assert answer.body.get("result") == "7 sso:7 sso"


@pytest.mark.rule("C13", "C15")
def test_C13_an_expired_credential_of_a_plugin_is_refused() -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    keeper = Gatekeeper(Actor(7, "sso:7", frozenset({"sample"}), expires_at=moment))
    with Service([Plugin("keeper", keeper)], now=moment) as service:
        answers = [
            ask(service, **auth("of-the-plugin")),
            ask(service, **hook("1", "of-the-plugin")),
        ]

    assert [answer.error for answer in answers] == ["expired_token", "INVALID_CREDENTIALS"]


NO_ZONE = Actor(7, "sso:7", expires_at=datetime(2999, 1, 1))  # noqa: DTZ001 - what is refused


class EagerGatekeeper(Gatekeeper):
    @hookimpl(tryfirst=True)
    def authenticate(self, credential: Credential, session: Session) -> Any:
        return self.answer if credential.secret == "of-the-plugin" else None


@pytest.mark.rule("C11")
@pytest.mark.parametrize("answer", [True, "ann", 1, {"user_id": 1}, NO_ZONE])
@pytest.mark.parametrize("method", ["sample.who", "open.door"])
def test_C11_an_answer_that_is_no_actor_is_refused(answer: Any, method: str) -> None:
    group = MethodGroup()

    @group.method("open.door")
    def open_door(call: Any, params: msgspec.Struct) -> bool:
        """Accept every credential."""
        return True

    plugins = [Plugin("keeper", EagerGatekeeper(answer)), Plugin("open", Brings(group))]
    with Service(plugins) as service, capture_logs() as logs:
        told = ask(service, f"/{method}", {"auth": "of-the-plugin"})

    assert (told.status, told.error) == (503, "OVERLOAD_LIMIT")
    assert [log["plugin"] for log in logs if log["event"] == "hook_failed"] == ["keeper"]


@pytest.mark.rule("C13")
def test_C13_insufficient_scope(service: Service) -> None:
    world = {
        "users": [{"id": 1}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["other", "samples"]}],
    }
    with Service([sample_plugin()], world=world) as narrow:
        answer = narrow.call("sample.who")

    assert (answer.status, answer.error) == (401, "insufficient_scope")
