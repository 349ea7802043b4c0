"""Who is let in: C13, C15."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from kernel.sample import Brings, sample_group, sample_plugin
from sqlmodel import Session
from structlog.testing import capture_logs

from landyard import Actor, Credential, MethodGroup, Plugin, hookimpl
from landyard.testing import WEBHOOK, Answer, Service
from landyard.wire import Incoming

HOOK = "webhook-of-ann-0123456789"
OFF_HOOK = "switched-off-0123456789"
OVER_HOOK, LATER_HOOK = "webhook-expired-0123456789", "webhook-later-0123456789"
IDLE_HOOK = "webhook-of-idle-0123456789"
BODY, QUERY, HEADER = (f"token-{place}-0123456789" for place in ("body", "query", "header"))
EXPIRED, ETERNAL, LATER = (f"token-{kind}-0123456789" for kind in ("expired", "eternal", "later"))
OFF_TOKEN, IDLE_TOKEN = "token-off-0123456789", "token-idle-0123456789"

WORLD = {
    "users": [
        {"id": 1, "name": "ann"},
        {"id": 2, "name": "body"},
        {"id": 3, "name": "query"},
        {"id": 4, "name": "header"},
        {"id": 12, "name": "idle", "active": False},
    ],
    "webhooks": [
        {"user": 1, "code": HOOK, "scopes": ["sample"]},
        {"user": 1, "code": OFF_HOOK, "scopes": ["sample"], "active": False},
        {"user": 12, "code": IDLE_HOOK, "scopes": ["sample"]},
        {
            "user": 1,
            "code": OVER_HOOK,
            "scopes": ["sample"],
            "expires_at": "2001-01-01T00:00:00Z",
        },
        {
            "user": 1,
            "code": LATER_HOOK,
            "scopes": ["sample"],
            "expires_at": "2999-01-01T00:00:00+05:00",
        },
    ],
    "tokens": [
        {"user": 2, "token": BODY, "scopes": ["sample"]},
        {"user": 3, "token": QUERY, "scopes": ["sample"]},
        {"user": 4, "token": HEADER, "scopes": ["sample"]},
        {"user": 2, "token": EXPIRED, "scopes": ["sample"], "expires_at": "2001-01-01T00:00:00Z"},
        {"user": 2, "token": ETERNAL, "scopes": ["sample"], "expires_at": None},
        {
            "user": 2,
            "token": LATER,
            "scopes": ["sample"],
            "expires_at": "2999-01-01T00:00:00+05:00",
        },
        {"user": 2, "token": OFF_TOKEN, "scopes": ["sample"], "active": False},
        {"user": 12, "token": IDLE_TOKEN, "scopes": ["sample"]},
    ],
}


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
    [
        (f"/1/{HOOK}/sample.who", {"auth": BODY}, f"auth={QUERY}", f"Bearer {HEADER}", "ann"),
        (f"/1/{LATER_HOOK}/sample.who", {}, "", "", "ann"),
        (NO_WEBHOOK, {"auth": BODY}, f"auth={QUERY}", f"Bearer {HEADER}", "body"),
        (NO_WEBHOOK, {}, f"auth={QUERY}", f"Bearer {HEADER}", "query"),
        (NO_WEBHOOK, {"auth": None}, f"auth={QUERY}", "", "query"),
        (NO_WEBHOOK, {}, "", f"Bearer {HEADER}", "header"),
        (NO_WEBHOOK, {}, "", f"bearer   {HEADER}  ", "header"),
        (NO_WEBHOOK, {"auth": ETERNAL}, "", "", "body"),
        (NO_WEBHOOK, {"auth": LATER}, "", "", "body"),
    ],
)
def test_C15_the_first_credential_counts(  # noqa: PLR0917 - the places of a credential
    service: Service, path: str, body: dict[str, str], query: str, header: str, name: str
) -> None:
    assert ask(service, path, body, query, header).result.endswith(f" {name}")


@pytest.mark.rule("C15")
@pytest.mark.parametrize(
    ("path", "body", "query", "header"),
    [
        ("/1/wrong-webhook-0123456789/sample.who", {"auth": BODY}, "", ""),
        (NO_WEBHOOK, {"auth": "wrong"}, f"auth={QUERY}", f"Bearer {HEADER}"),
        (NO_WEBHOOK, {"auth": ""}, f"auth={QUERY}", ""),
        (NO_WEBHOOK, {}, "auth=", f"Bearer {HEADER}"),
    ],
)
def test_C15_a_wrong_credential_does_not_fall_back_on_the_next(
    service: Service, path: str, body: dict[str, str], query: str, header: str
) -> None:
    assert ask(service, path, body, query, header).status == 401


def hook(user: str, code: str) -> dict[str, Any]:
    return {"path": f"/{user}/{code}/sample.who"}


def auth(token: Any) -> dict[str, Any]:
    return {"path": NO_WEBHOOK, "body": {"auth": token}}


REFUSED = [
    ({"path": NO_WEBHOOK}, 401, "NO_AUTH_FOUND"),
    (auth(""), 401, "NO_AUTH_FOUND"),
    ({"path": NO_WEBHOOK, "query": "auth="}, 401, "NO_AUTH_FOUND"),
    ({"path": NO_WEBHOOK, "header": "Bearer "}, 401, "NO_AUTH_FOUND"),
    ({"path": NO_WEBHOOK, "header": "Bearer"}, 401, "NO_AUTH_FOUND"),
    ({"path": NO_WEBHOOK, "header": f"Basic {HEADER}"}, 401, "NO_AUTH_FOUND"),
    (hook("1", "wrong-webhook-0123456789"), 401, "INVALID_CREDENTIALS"),
    (hook("1", HOOK.upper()), 401, "INVALID_CREDENTIALS"),
    (hook("1", OFF_HOOK), 401, "INVALID_CREDENTIALS"),
    (hook("1", OVER_HOOK), 401, "INVALID_CREDENTIALS"),
    (hook("2", HOOK), 401, "INVALID_CREDENTIALS"),
    (hook("01", HOOK), 401, "INVALID_CREDENTIALS"),
    (hook("ann", HOOK), 401, "INVALID_CREDENTIALS"),
    (hook("1", BODY), 401, "INVALID_CREDENTIALS"),
    (hook("12", IDLE_HOOK), 403, "user_access_error"),
    (auth("wrong-token-0123456789"), 401, "invalid_token"),
    (auth(HOOK), 401, "invalid_token"),
    (auth(OFF_TOKEN), 401, "invalid_token"),
    (auth(EXPIRED), 401, "expired_token"),
    (auth(IDLE_TOKEN), 403, "user_access_error"),
    ({"path": NO_WEBHOOK, "header": f"Bearer {EXPIRED}"}, 401, "expired_token"),
]


@pytest.mark.rule("C13", "C15")
@pytest.mark.parametrize(("sent", "status", "code"), REFUSED)
def test_C13_refusals(service: Service, sent: dict[str, Any], status: int, code: str) -> None:
    answer = ask(service, **sent)

    assert (answer.status, answer.error) == (status, code)
    assert set(answer.body) == {"error", "error_description"}


@pytest.mark.rule("C15")
@pytest.mark.parametrize("token", [5, True, ["x"], {"a": "x"}, []])
def test_C15_an_auth_that_is_no_string_lets_nobody_in(service: Service, token: Any) -> None:
    assert ask(service, **auth(token)).status == 401


@pytest.mark.rule("C13")
def test_C13_expired_at_the_second_that_is_given() -> None:
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
    """Lets in who shows one token of its own; answers whatever it is told to."""

    def __init__(self, answer: Any) -> None:
        super().__init__(sample_group())
        self.answer = answer

    @hookimpl
    def authenticate(self, credential: Credential, session: Session) -> Any:
        return self.answer if credential.secret == "of-the-plugin" else None


def test_a_plugin_lets_in_whom_the_kernel_does_not_know() -> None:
    keeper = Gatekeeper(Actor(7, "sso:7", frozenset({"sample"}), name="sso"))
    with Service([Plugin("keeper", keeper)]) as service:
        answer = ask(service, **auth("of-the-plugin"))

    assert answer.body.get("result") == "7 sso:7 sso"


@pytest.mark.rule("C13", "C15")
def test_C13_a_plugin_lets_in_nobody_whose_time_is_over() -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    keeper = Gatekeeper(Actor(7, "sso:7", frozenset({"sample"}), expires_at=moment))
    with Service([Plugin("keeper", keeper)], now=moment) as service:
        answers = [
            ask(service, **auth("of-the-plugin")),
            ask(service, **hook("1", "of-the-plugin")),
        ]

    assert [answer.error for answer in answers] == ["expired_token", "INVALID_CREDENTIALS"]


class EagerGatekeeper(Gatekeeper):
    @hookimpl(tryfirst=True)
    def authenticate(self, credential: Credential, session: Session) -> Any:
        return self.answer if credential.secret == "of-the-plugin" else None


@pytest.mark.rule("C11")
@pytest.mark.parametrize("answer", [True, "ann", 1, {"user_id": 1}])
@pytest.mark.parametrize("method", ["sample.who", "open.door"])
def test_C11_an_answer_that_is_no_actor_lets_nobody_in(answer: Any, method: str) -> None:
    group = MethodGroup()

    @group.method("open.door")
    def open_door(call: Any, params: msgspec.Struct) -> bool:
        """Answer to everybody with a credential."""
        return True

    plugins = [Plugin("keeper", EagerGatekeeper(answer)), Plugin("open", Brings(group))]
    with Service(plugins) as service, capture_logs() as logs:
        told = ask(service, f"/{method}", {"auth": "of-the-plugin"})

    assert (told.status, told.error) == (401, "invalid_token")
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
