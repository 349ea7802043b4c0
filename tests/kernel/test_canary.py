"""A secret present in everything a crash leaves behind appears in no log and no answer (C11, C13).

There is no endpoint for metrics yet; `/healthz` and `/readyz` are asked.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import structlog
from kernel.canary import Canary
from kernel.crashes import HOOKS, WAYS, plugins
from kernel.sample import audit_all
from kernel.serving.jobs import run_due

import landyard_audit
from landyard.auth.credentials import new_secret
from landyard.testing import Service
from landyard.web.wire import Incoming

PASSWORD = "password-of-a-canary-0123456789"
CHOSEN = "chosen-by-an-operator.0123456789~"
MADE = {"webhook": new_secret("webhook"), "token": new_secret("token")}
SECRETS = {
    "a webhook's code that we made": ("webhook", MADE["webhook"]),
    "a webhook's code that was chosen": ("webhook", CHOSEN),
    "a token that we made": ("token", MADE["token"]),
    "a token that was chosen": ("token", f"token-{CHOSEN}"),
}
every_secret = pytest.mark.parametrize(("kind", "secret"), SECRETS.values(), ids=SECRETS.keys())
# Secrets we made are blanked wherever they are written, so the test uses a chosen one.
every_chosen = pytest.mark.parametrize(
    ("kind", "secret"), [each for each in SECRETS.values() if each[1] not in MADE.values()]
)
MISPLACED = [
    "/{secret}",
    "/{secret}/crash.deep.read",
    "/1/{secret}",
    "/1/{secret}/no.such/{secret}",
]


def world(kind: str, secret: str) -> dict[str, Any]:
    key = "code" if kind == "webhook" else "token"
    shown = {"user": 1, key: secret, "scopes": ["crash"]}
    return {"users": [{"id": 1, "name": "Ann"}], f"{kind}s": [shown]}


@contextmanager
def crashing(kind: str, secret: str, *hooks: str) -> Iterator[Service]:
    with Service(
        [*plugins(secret, *hooks), landyard_audit], world=world(kind, secret), raise_crashes=False
    ) as service:
        yield service


def ask(service: Service, kind: str, secret: str, method: str) -> Any:
    body = b'{"password": "%s"}' % PASSWORD.encode()
    if kind == "webhook":
        return service.request("POST", f"/rest/1/{secret}/{method}", content=body)
    headers = {"Authorization": f"Bearer {secret}"}
    return service.request("POST", f"/rest/{method}", content=body, headers=headers)


class Log:
    """The log written from now on, because the log of a whole run is too long to read for each
    crash.
    """

    def __init__(self, canary: Canary) -> None:
        self._path = canary.log
        self._size = self._path.stat().st_size

    def read(self) -> str:
        with self._path.open("rb") as file:
            file.seek(self._size)
            return file.read().decode()


def leaks(canary: Canary, secret: str, act: Callable[[], Any]) -> tuple[str, list[str]]:
    """Run an action; return the log written meanwhile, and the places where the secret appears."""
    log = Log(canary)
    act()
    said = {**canary.said, "the log": log.read()}
    return said["the log"], [where for where, text in said.items() if secret in text]


@pytest.mark.rule("C11")
@every_secret
def test_C11_a_crash_that_knows_the_credential(canary: Canary, kind: str, secret: str) -> None:
    """Every way to crash, in a method that reads and in one that writes."""
    answers: dict[str, list[Any]] = {}
    logs: dict[str, str] = {}

    def act() -> None:
        with crashing(kind, secret) as service:
            for way in (each.__name__ for each in WAYS):
                log = Log(canary)
                answers[way] = [
                    ask(service, kind, secret, f"crash.{way}.{mode}") for mode in ("read", "write")
                ]
                logs[way] = log.read()

    _, found = leaks(canary, secret, act)

    assert found == []
    assert [way for way, log in logs.items() if secret in log or PASSWORD in log] == []
    told = {way: "".join(answer.text for answer in each) for way, each in answers.items()}
    assert [way for way, text in told.items() if secret in text or PASSWORD in text] == []
    assert [answer.status_code for answer in answers.pop("on_commit")] == [200, 200]
    assert "unit_action_failed" in logs.pop("on_commit")
    crashed = ["INTERNAL_SERVER_ERROR", "SYSTEM_ERROR"]
    codes = {way: [answer.json()["error"] for answer in each] for way, each in answers.items()}
    assert codes == dict.fromkeys(answers, crashed)
    assert {way: log.count("call_crashed") for way, log in logs.items()} == dict.fromkeys(logs, 2)


@pytest.mark.rule("C11")
@every_chosen
@pytest.mark.parametrize("hook", HOOKS)
def test_C11_a_hook_that_crashes_with_the_credential(
    canary: Canary, kind: str, secret: str, hook: str
) -> None:
    answers: list[Any] = []

    def act() -> None:
        with crashing(kind, secret, hook) as service:
            answers.append(ask(service, kind, secret, "crash.plainly.write"))

    log, found = leaks(canary, secret, act)

    assert found == []
    assert secret not in answers[0].text
    assert answers[0].json()["error"] in {"SYSTEM_ERROR", "INTERNAL_SERVER_ERROR"}
    assert "Speaking" in log


@pytest.mark.rule("C10", "C11")
@every_secret
def test_C11_the_audit_of_a_crash_and_the_text_of_a_refusal_contain_no_secret(
    canary: Canary, kind: str, secret: str
) -> None:
    with crashing(kind, secret) as service:
        refusal = ask(service, kind, secret, "crash.picky")
        ask(service, kind, secret, "crash.plainly.write")
        ask(service, kind, secret, "crash.on_commit.write")
        audit_all(service)
        with service.kernel.store.session() as session:
            rows = session.connection().exec_driver_sql("SELECT * FROM audit_row").all()

    assert refusal.status_code >= 400
    assert PASSWORD not in refusal.text
    assert len(rows) == 2
    assert not [row for row in rows if secret in repr(row) or PASSWORD in repr(row)]


def test_a_page_that_crashes_with_a_secret(canary: Canary) -> None:
    secret = MADE["webhook"]
    answers: list[Any] = []

    def act() -> None:
        with crashing("webhook", secret) as service:
            answers.extend(service.get(path) for path in ("/crash", "/healthz", "/readyz"))

    log, found = leaks(canary, secret, act)

    assert found == []
    assert [answer.status_code for answer in answers] == [500, 200, 200]
    assert not [answer for answer in answers if secret in f"{answer.headers}{answer.text}"]
    assert "page_crashed" in log


def test_a_job_that_crashes_with_a_secret(canary: Canary) -> None:
    secret = MADE["token"]

    def act() -> None:
        with crashing("token", secret) as service:
            run_due(service.kernel)

    log, found = leaks(canary, secret, act)

    assert found == []
    assert "job_failed" in log


@pytest.mark.rule("C13")
@every_secret
def test_C13_a_secret_in_a_wrong_place_is_not_logged(
    canary: Canary, kind: str, secret: str
) -> None:
    answers: dict[str, Any] = {}

    def act() -> None:
        with crashing(kind, secret) as service:
            for path in MISPLACED:
                sent = Incoming("POST", path.format(secret=secret), query=f"auth={secret}".encode())
                answers[path] = service.send(sent)

    _, found = leaks(canary, secret, act)

    assert found == []
    assert {answer.status for answer in answers.values()} <= {401, 404}


@pytest.mark.parametrize("secret", MADE.values(), ids=MADE.keys())
def test_our_secrets_are_blanked_in_any_line(canary: Canary, secret: str) -> None:
    log = structlog.get_logger()

    said, found = leaks(
        canary,
        secret[4:-20],  # the rest of the secret in a text that was cut off
        lambda: log.error(secret[:-20], words=[secret, {secret: f"x{secret}y"}]),
    )

    assert found == []
    assert secret[:4] in said
