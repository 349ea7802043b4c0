"""Rotation: the new secret works beside the old one until that ends, in every process within a
second.
"""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import MakeService
from kernel.processes import PATIENCE, Server, serving
from kernel.sample import sample_plugin

from landyard import Kernel, Settings
from landyard.auth.credentials import TOKEN, USER, WEBHOOK, Refused, Token, Webhook
from landyard.testing import Service
from landyard.web.wire import Incoming
from landyard_accounts.creation import Issued, issue
from landyard_accounts.rotation import Successor, rotate
from landyard_accounts.rows import revoke

NOW = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SECRET = "the-old-secret-0123456789"
KINDS = {"webhook": WEBHOOK, "token": TOKEN}
CLASSES: Mapping[str, type[Webhook] | type[Token]] = {"webhook": Webhook, "token": Token}


def a_world(kind: str, **more: Any) -> dict[str, Any]:
    name = {"webhook": "code", "token": "token"}[kind]
    row = {"user": 5, name: SECRET, "scopes": ["sample"], "title": "shop", **more}
    return {"users": [{"id": 5, "name": "Ann"}], f"{kind}s": [row]}


def rotated(service: Service, kind: str, overlap: timedelta, row_id: int = 1) -> Successor | None:
    with service.kernel.store.unit(writes=True) as unit:
        now = service.kernel.now()
        return rotate(unit.session, CLASSES[kind], row_id, now=now, overlap=overlap)


def stored(service: Service, kind: str) -> list[Any]:
    """All rows of a kind, by id."""
    with service.kernel.store.unit(writes=False) as unit:
        return [*unit.connection.execute(KINDS[kind].select().order_by(KINDS[kind].c.id))]


def made(service: Service, kind: str, overlap: timedelta) -> Successor:
    issued = rotated(service, kind, overlap)
    assert issued is not None
    return issued


def ask(service: Service, kind: str, secret: str) -> str:
    """The id of the user who is let in, or the error code."""
    if kind == "webhook":
        answer = service.send(Incoming("POST", f"/5/{secret}/sample.who"))
    else:
        answer = service.send(Incoming("POST", "/sample.who", authorization=f"Bearer {secret}"))
    return answer.error or str(answer.result)


@pytest.mark.parametrize("kind", KINDS)
def test_both_secrets_work_until_the_overlap_is_over(make_service: MakeService, kind: str) -> None:
    service = make_service([sample_plugin()], world=a_world(kind), now=NOW)
    new = made(service, kind, DAY)

    assert ask(service, kind, SECRET) == f"5 {kind}:1 Ann"
    assert ask(service, kind, new.secret) == f"5 {kind}:2 Ann"
    service.now = NOW + DAY - timedelta(microseconds=1)
    assert ask(service, kind, SECRET) == f"5 {kind}:1 Ann"
    service.now = NOW + DAY
    assert ask(service, kind, SECRET) in {"INVALID_CREDENTIALS", "expired_token"}
    assert ask(service, kind, new.secret) == f"5 {kind}:2 Ann"
    assert (new.replaces, new.replaced_until) == (1, NOW + DAY)


@pytest.mark.parametrize("kind", KINDS)
def test_the_new_credential_has_all_properties_of_the_old_one(kind: str) -> None:
    ends = NOW + 3 * DAY
    with Service([sample_plugin()], world=a_world(kind, expires_at=ends), now=NOW) as service:
        new = made(service, kind, DAY)
        old_row, new_row = stored(service, kind)

    kept = ("user_id", "scopes", "title", "active")
    assert [getattr(new_row, name) for name in kept] == [5, "sample", "shop", True]
    assert [getattr(old_row, name) for name in kept] == [5, "sample", "shop", True]
    assert new_row.expires_at == new.expires_at == ends
    assert new_row.digest != old_row.digest


def test_without_an_overlap_the_old_secret_ends_at_once() -> None:
    with Service([sample_plugin()], world=a_world("token"), now=NOW) as service:
        new = made(service, "token", timedelta())
        # A host whose clock is behind would otherwise still accept it.
        service.now = NOW - timedelta(seconds=5)

        assert ask(service, "token", SECRET) == "invalid_token"
        assert ask(service, "token", new.secret) == "5 token:2 Ann"


def test_no_overlap_goes_beyond_the_end_of_the_old_one() -> None:
    ends = NOW + timedelta(hours=1)
    with Service([], world=a_world("webhook", expires_at=ends), now=NOW) as service:
        new = made(service, "webhook", DAY)

    assert new.replaced_until == ends


@pytest.mark.parametrize(
    ("more", "row_id"), [({}, 2), ({"active": False}, 1), ({"expires_at": NOW}, 1)]
)
def test_only_a_valid_credential_is_rotated(more: dict[str, Any], row_id: int) -> None:
    with Service([], world=a_world("webhook", **more), now=NOW) as service:
        assert rotated(service, "webhook", DAY, row_id) is None
        assert [row.id for row in stored(service, "webhook")] == [1]


@pytest.mark.parametrize("overlap", [DAY, timedelta()])
@pytest.mark.parametrize("kind", KINDS)
def test_a_rotated_credential_is_not_rotated_again(kind: str, overlap: timedelta) -> None:
    with Service([], world=a_world(kind), now=NOW) as service:
        made(service, kind, overlap)
        with pytest.raises(Refused, match=f"^{kind} 1 is replaced by {kind} 2: "):
            rotated(service, kind, 2 * DAY)
        third = rotated(service, kind, DAY, 2)

        rows = stored(service, kind)
        assert third is not None
        assert [row.id for row in rows] == [1, 2, 3]
        assert [row.replaced_by for row in rows] == [2, 3, None]
        assert [row.expires_at for row in rows] == [NOW + overlap, NOW + DAY, None]


# ------------------------------------------------------ several processes

SOON = timedelta(seconds=0.7)  # longer than a process remembers a credential


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """This process, which changes the credentials that the servers accept."""
    kernel = Kernel(Settings(data=tmp_path_factory.mktemp("rotation") / "data"))
    kernel.schema.prepare(kernel.store)
    with kernel.store.unit(writes=True) as unit:
        unit.connection.execute(USER.insert().values(id=1))
    yield kernel
    kernel.close()


@pytest.fixture(scope="module")
def servers(operator: Kernel) -> Iterator[tuple[Server, Server]]:
    """Two services on one database."""
    folder = operator.settings.data.parent
    with serving(folder) as one, serving(folder) as other:
        yield one, other


def issued(operator: Kernel, expires_at: datetime | None = None) -> Issued:
    with operator.store.unit(writes=True) as unit:
        return issue(unit.session, Webhook, 1, expires_at=expires_at)


def statuses(servers: tuple[Server, Server], webhook: Issued) -> list[int]:
    return [status(server, webhook) for server in servers]


def status(server: Server, webhook: Issued) -> int:
    return server.ask("POST", f"/rest/1/{webhook.secret}/methods", {})[0]


def asked_until_refused(server: Server, webhook: Issued) -> tuple[float, float]:
    """The times of the last call that was answered and of the first refused one."""
    last, give_up = 0.0, time.time() + PATIENCE
    while (sent := time.time()) < give_up:
        if status(server, webhook) == 401:
            return last, time.time()
        last = sent
        time.sleep(0.02)  # a bounded wait for the end
    raise AssertionError(f"webhook {webhook.row_id} is never refused")


@pytest.mark.rule("C13", "C15")
def test_C15_a_rotated_webhook_ends_on_every_process_within_a_second(
    operator: Kernel, servers: tuple[Server, Server]
) -> None:
    old = issued(operator)
    assert statuses(servers, old) == [200, 200]
    with operator.store.unit(writes=True) as unit:
        new = rotate(unit.session, Webhook, old.row_id, now=operator.now(), overlap=SOON)
    assert new is not None
    assert new.replaced_until is not None
    ends = new.replaced_until.timestamp()
    calls = [asked_until_refused(server, old) for server in servers]

    assert statuses(servers, new) == [200, 200]
    assert [refused >= ends for _, refused in calls] == [True, True]
    assert [last < ends + 1 for last, _ in calls] == [True, True]


@pytest.mark.rule("C13", "C15")
def test_C15_a_revoked_webhook_is_off_on_every_process_within_a_second(
    operator: Kernel, servers: tuple[Server, Server]
) -> None:
    old = issued(operator)
    assert statuses(servers, old) == [200, 200]
    with operator.store.unit(writes=True) as unit:
        revoke(unit.session, Webhook, old.row_id)
    done = time.time()
    calls = [asked_until_refused(server, old) for server in servers]

    assert [last < done + 1 for last, _ in calls] == [True, True]


@pytest.mark.rule("C13")
def test_C13_an_expired_webhook_ends_on_every_process_within_a_second(
    operator: Kernel, servers: tuple[Server, Server]
) -> None:
    ends = operator.now() + SOON
    webhook = issued(operator, ends)
    calls = [asked_until_refused(server, webhook) for server in servers]

    assert [refused >= ends.timestamp() for _, refused in calls] == [True, True]
    assert [last < ends.timestamp() + 1 for last, _ in calls] == [True, True]
