"""Webhooks and tokens: a guess learns nothing from an answer, and a typo costs no query (C13,
C15).
"""

import hmac
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from corpora import read_data
from kernel import statements
from kernel.sample import Brings, sample_group, sample_plugin

from landyard import Credential, Plugin, hookimpl
from landyard.auth.credentials import mistyped, new_secret
from landyard.testing import Answer, Service
from landyard.web.wire import Incoming

NOW = datetime(2030, 1, 1, tzinfo=UTC)
GOOD, IDLE = "good-webhook-0123456789", "idle-webhook-0123456789"
LATE_OFF, LATE_IDLE = "late-off-token-0123456789", "late-idle-token-0123456789"
UNKNOWN, UNSUMMED = "unknown-webhook-0123456789", "lyw_" + "A" * 43
WORLD = read_data(__file__, "WORLD", dict[str, Any])
WRONG = read_data(__file__, "WRONG", dict[str, tuple[int, str]])


def webhook(user: object, code: str) -> Incoming:
    return Incoming("POST", f"/{user}/{code}/sample.who")


def token(secret: str) -> Incoming:
    return Incoming("POST", "/sample.who", authorization=f"Bearer {secret}")


@contextmanager
def counted(service: Service, patch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Count the cost of a call: connections, statements by their text, comparisons."""
    cost: dict[str, Any] = {"connections": 0, "comparisons": 0}
    compare = hmac.compare_digest

    def comparing(one: Any, other: Any) -> bool:
        cost["comparisons"] += 1
        return compare(one, other)

    def connected(*_: Any) -> None:
        cost["connections"] += 1

    for engine in service.kernel.store.engines:
        sa.event.listen(engine, "checkout", connected)
    with statements.noted(service.kernel.store) as cost["statements"], patch.context() as patched:
        patched.setattr(hmac, "compare_digest", comparing)
        yield cost
    for engine in service.kernel.store.engines:
        sa.event.remove(engine, "checkout", connected)


@pytest.mark.rule("C13", "C15")
def test_C15_wrong_webhooks_cannot_be_told_apart(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service([sample_plugin()], world=WORLD, now=NOW)
    service.send(webhook(1, UNKNOWN))  # so that the pool has an open connection
    answers, costs = {}, {}
    for name, (user, code) in WRONG.items():
        with counted(service, monkeypatch) as costs[name]:
            answer = service.send(webhook(user, code))
        answers[name] = (answer.status, answer.error, answer.body["error_description"])
    with counted(service, monkeypatch) as right:
        assert service.send(webhook(1, GOOD)).status == 200

    assert {answer[:2] for answer in answers.values()} == {(401, "INVALID_CREDENTIALS")}
    assert len(set(answers.values())) == 1
    selected = [text for text in costs["unknown"]["statements"] if "landyard_webhook" in text]
    assert len(selected) == costs["unknown"]["comparisons"] == 1
    assert selected == [text for text in right["statements"] if "landyard_webhook" in text]
    assert [name for name, cost in costs.items() if cost != costs["unknown"]] == []


class Witness(Brings):
    """A plugin that records the credentials it is asked about."""

    def __init__(self) -> None:
        super().__init__(sample_group())
        self.asked: list[str] = []

    @hookimpl
    def authenticate(self, credential: Credential) -> None:
        self.asked.append(f"{credential.user} {credential.secret}")


@pytest.mark.rule("C15")
def test_C15_plugins_are_asked_about_every_wrong_webhook_alike() -> None:
    witness = Witness()
    with Service([Plugin("witness", witness)], world=WORLD, now=NOW) as service:
        for user, code in [*WRONG.values(), (1, GOOD)]:
            service.send(webhook(user, code))

    assert witness.asked == [f"{user} {code}" for user, code in WRONG.values()]


@pytest.mark.rule("C13", "C15")
@pytest.mark.parametrize(
    ("incoming", "code"),
    [
        (webhook(12, IDLE), "user_access_error"),
        (token(LATE_OFF), "invalid_token"),
        (token(LATE_IDLE), "expired_token"),
    ],
)
def test_C13_only_a_right_secret_learns_why_it_is_refused(incoming: Incoming, code: str) -> None:
    with Service([sample_plugin()], world=WORLD, now=NOW) as service:
        assert service.send(incoming).error == code


@pytest.mark.soak
def test_C15_wrong_webhooks_take_the_same_time() -> None:
    rounds: dict[str, list[float]] = {name: [] for name in WRONG}
    with Service([sample_plugin()], world=WORLD, now=NOW) as service:
        for _ in range(1000):
            for name, (user, code) in WRONG.items():
                start = time.perf_counter()
                service.send(webhook(user, code))
                rounds[name].append(time.perf_counter() - start)
    for name, times in rounds.items():
        print(f"{name:40} {statistics.median(times) * 1e6:7.1f} us")


# ------------------------------------------------------------------ typos


def typos(secret: str) -> Iterator[str]:
    """Each character changed in four ways, and each two neighbours swapped."""
    for index in range(4, len(secret)):
        before, here, after = secret[:index], secret[index], secret[index + 1 :]
        yield from (before + other + after for other in "aZ09" if other != here)
        if after and after[0] != here:
            yield before + after[0] + here + after[1:]


@pytest.mark.parametrize("kind", ["webhook", "token"])
def test_the_checksum_detects_every_typo(kind: Any) -> None:
    secret = new_secret(kind)
    ours = re.compile(r"ly[wt]_[\w-]{43}[0-9a-f]{8}")
    wrong = [typo for typo in typos(secret) if ours.fullmatch(typo)]

    assert not mistyped(secret)
    assert len(wrong) > 150
    assert [typo for typo in wrong if not mistyped(typo)] == []


def test_the_checksum_never_changes() -> None:
    """Scanners compute it as `docs/operate.md` describes: CRC-32 in hex."""
    assert not mistyped("lyw_" + "A" * 43 + "4b33965a")
    assert not mistyped("lyt_" + "-_" * 21 + "0" + "702e763d")


@pytest.mark.parametrize("secret", read_data(__file__, "OTHER_FORMS", list[str]))
def test_a_secret_of_another_form_has_no_checksum(secret: str) -> None:
    assert not mistyped(secret)


@pytest.mark.rule("C13")
@pytest.mark.parametrize("kind", ["webhook", "token"])
def test_C13_a_typo_is_refused_without_a_query(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = new_secret(kind)
    typo = secret[:20] + ("b" if secret[20] == "a" else "a") + secret[21:]
    with Service([sample_plugin()], world=WORLD) as service:
        with counted(service, monkeypatch) as cost:
            answer = service.send(webhook(1, typo) if kind == "webhook" else token(typo))
        unknown = service.send(webhook(1, UNKNOWN) if kind == "webhook" else token(UNKNOWN))

    assert cost == {"connections": 0, "statements": [], "comparisons": 0}
    assert (answer.status, answer.body) == (unknown.status, unknown.body)
    assert answer.status == 401


def test_a_secret_made_before_checksums_works() -> None:
    world = {"users": [{"id": 1}], "webhooks": [{"user": 1, "code": UNSUMMED}]}
    with Service([sample_plugin()], world=world) as service:
        answer: Answer = service.send(webhook(1, UNSUMMED))

    assert answer.error == "insufficient_scope"


def test_the_pattern_in_the_documentation_matches_our_secrets() -> None:
    page = (Path(__file__).parents[3] / "docs" / "operate.md").read_text()
    pattern = re.search(r"^\\bly\S+$", page, re.MULTILINE)
    assert pattern is not None
    made = [new_secret("webhook") for _ in range(200)] + [new_secret("token") for _ in range(200)]
    text = "".join(f"GET /rest/1/{secret}/methods 401\n" for secret in made)

    assert re.findall(pattern[0], text) == made
