"""The time of a credential's last use: recorded at the check, and written after the calls."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel import statements
from kernel.sample import Brings, sample_group, sample_plugin

from landyard import Actor, Credential, Plugin, credentials, hookimpl
from landyard.auth.credentials import note_used
from landyard.testing import Service
from landyard.web.wire import Incoming

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOOK, UNUSED, TOKEN = (f"{name}-secret-0123456789" for name in ("webhook", "unused", "token"))
WORLD = {
    "users": [{"id": 1}],
    "webhooks": [{"user": 1, "code": HOOK, "scopes": ["sample"]}, {"user": 1, "code": UNUSED}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": ["sample"]}],
}
CALLS = [
    Incoming("POST", f"/1/{HOOK}/sample.who"),
    Incoming("POST", "/sample.who", authorization=f"Bearer {TOKEN}"),
]


def used(service: Service) -> list[datetime | None]:
    """The stored times of the last use of the two webhooks and the token."""
    tables = [credentials.WEBHOOK, credentials.TOKEN]
    with service.kernel.store.session() as session:
        return [
            moment
            for table in tables
            for moment in session.execute(
                sa.select(table.c.last_used_at).order_by(table.c.id)
            ).scalars()
        ]


def writing(service: Service, noted: Mapping[str, datetime]) -> list[str]:
    """Write the recorded uses, and return the statements."""
    with statements.noted(service.kernel.store) as seen:
        note_used(service.kernel.store, noted)
    return seen


def test_a_use_is_recorded_and_written_later(make_service: MakeService) -> None:
    service = make_service([sample_plugin()], world=WORLD)
    before = datetime.now(UTC)
    assert [service.send(call).status for call in CALLS] == [200, 200]
    assert used(service) == [None, None, None]

    note_used(service.kernel.store, service.kernel.credentials.take_used())

    hook, unused, token = used(service)
    assert unused is None
    assert all(moment and abs(moment - before) < MINUTE for moment in (hook, token))


@pytest.mark.rule("C13", "C15")
def test_C15_a_refused_call_is_no_use_of_a_credential() -> None:
    with Service([sample_plugin()], world=WORLD) as service:
        refused = [
            service.send(Incoming("POST", f"/2/{HOOK}/sample.who")),
            service.send(Incoming("POST", "/1/no-such-secret-012345/sample.who")),
        ]

        assert {answer.status for answer in refused} == {401}
        assert service.kernel.credentials.take_used() == {}


@pytest.mark.parametrize(
    ("later", "written"),
    [
        (-MINUTE, NOW),
        (timedelta(), NOW),
        (MINUTE, NOW),
        (MINUTE + timedelta(seconds=1), NOW + MINUTE + timedelta(seconds=1)),
    ],
)
def test_times_of_use_only_grow_and_are_rounded_to_the_minute(
    make_service: MakeService, later: timedelta, written: datetime
) -> None:
    service = make_service([], world=WORLD)
    note_used(service.kernel.store, {"webhook:1": NOW})

    note_used(service.kernel.store, {"webhook:1": NOW + later})

    assert used(service)[0] == written


def test_uses_already_written_cost_no_write() -> None:
    with Service([], world=WORLD) as service:
        noted = {"webhook:1": NOW, "token:1": NOW}
        first, second = writing(service, noted), writing(service, noted)

    assert [text for text in first if "UPDATE" in text]
    assert not [text for text in second if "UPDATE" in text or "IMMEDIATE" in text]


class Keeper(Brings):
    """Accepts every credential that the kernel does not know, under a name of its own."""

    def __init__(self, name: str) -> None:
        super().__init__(sample_group())
        self.name = name

    @hookimpl
    def authenticate(self, credential: Credential) -> Actor:
        return Actor(7, self.name, frozenset({"sample"}))


@pytest.mark.parametrize("name", ["sso:1", "webhook", "webhook:x", "webhook:", "user:1", "1"])
def test_credentials_of_plugins_are_not_recorded(name: str) -> None:
    with Service([Plugin("keeper", Keeper(name))], world=WORLD) as service:
        assert service.send(Incoming("POST", "/1/of-the-plugin/sample.who")).status == 200
        noted = service.kernel.credentials.take_used()
        note_used(service.kernel.store, noted)

        assert list(noted) == [name]
        assert used(service) == [None, None, None]
