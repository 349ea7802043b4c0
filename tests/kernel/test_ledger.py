"""The ledger where it goes wrong: a count that fails stops nothing."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings
from msgspec import Struct
from structlog.testing import capture_logs

from landyard import Call, CallError, Credential, Kernel, MethodGroup, Plugin, Settings, hookimpl
from landyard.ledger import Bucket, Ledger
from landyard.testing import WEBHOOK, Answer, Service
from landyard.wire import Incoming

DAY = 86_400.0


class Clock:
    now = 6_000.0

    def __call__(self) -> float:
        return self.now


class Named(Struct, frozen=True):
    name: str = "changed"


def plugin() -> Plugin:
    group = MethodGroup()

    @group.method("sample.rename", writes=True)
    def rename(call: Call, params: Named) -> str:
        """Rename everybody."""
        call.connection.execute(
            sa.text("UPDATE landyard_user SET name = :name"), {"name": params.name}
        )
        return params.name

    return Plugin("sample", Brings(group))


def call(service: Service, code: str = WEBHOOK, address: str = "203.0.113.7") -> Answer:
    return service.send(Incoming("POST", f"/1/{code}/sample.rename", address=address))


@pytest.fixture
def ledger(database: dict[str, Any]) -> Iterator[Ledger]:
    kernel = Kernel(Settings(**database), [])
    ledger = Ledger(kernel.settings, kernel.store, clock=Clock())
    yield ledger
    ledger.close()
    kernel.close()


def test_a_clock_that_was_far_ahead_locks_nobody_out(ledger: Ledger) -> None:
    clock: Any = ledger._clock
    clock.now += 30 * DAY
    ledger.pour("a", Bucket(1, 0.01))
    clock.now -= 30 * DAY

    assert ledger.pour("a", Bucket(1, 0.01)) == 0
    assert ledger.pour("a", Bucket(1, 0.01)) == 100


def test_what_is_dated_far_ahead_is_forgotten(ledger: Ledger) -> None:
    clock: Any = ledger._clock
    clock.now += 30 * DAY
    ledger.pour("a", Bucket(1, 0.01))
    clock.now -= 30 * DAY
    ledger.forget()

    with ledger._store.session() as session:
        assert session.execute(sa.text("SELECT * FROM ledger_bucket")).all() == []


@pytest.mark.parametrize(("budget", "wait"), [(10.0, 480), (15.0, 300), (21.0, 0), (0.5, 480)])
def test_one_waits_until_enough_has_left_the_window(
    ledger: Ledger, budget: float, wait: int
) -> None:
    clock: Any = ledger._clock
    ledger.spend("webhook:1", "a", 6.0)
    ledger.spend("webhook:1", "a", 0.0)
    clock.now += 180.0
    ledger.spend("webhook:1", "a", 14.0)
    clock.now += 120.0

    assert ledger.wait("webhook:1", "a", budget) == wait


def test_refused_calls_leave_no_empty_minutes(ledger: Ledger) -> None:
    clock: Any = ledger._clock
    ledger.spend("webhook:1", "a", 0.0)
    clock.now += 60.0

    assert ledger.spend("webhook:1", "a", 1.0).reset_at == 6_660.0


@pytest.mark.parametrize("damage", [None, b"this is no database" * 100])
def test_a_file_that_is_gone_or_none_is_begun_anew(tmp_path: Path, damage: bytes | None) -> None:
    with Service([plugin()], data=tmp_path) as service:
        assert call(service).status == 200
        service.kernel.ledger.close()
        for file in tmp_path.glob("limits.db*"):
            file.unlink()
        if damage is not None:
            (tmp_path / "limits.db").write_bytes(damage)
        service.kernel.gate._known.clear()

        with capture_logs() as logs:
            assert call(service).status == 200
            assert call(service, "wrong-code-0123456789").status == 401

    assert [each["event"] for each in logs].count("ledger_begun_anew") == 1


def test_a_ledger_that_fails_refuses_nobody(make_service: MakeService) -> None:
    limits = {"burst": 1, "per_second": 1e-9, "operating_seconds": 100, "wrong_credentials": 1}
    service = make_service([plugin()], limits=limits)

    def fails(*_: Any) -> Any:
        raise OSError

    service.kernel.ledger._run = fails  # type: ignore[method-assign, assignment]
    with capture_logs() as logs:
        assert [call(service).status for _ in range(3)] == [200] * 3
        assert call(service, "wrong-code-0123456789").status == 401

    assert {"ledger_failed", "operating_lost"} <= {each["event"] for each in logs}


@pytest.mark.rule("C1")
def test_C1_a_count_that_fails_behind_a_commit_makes_no_failure_of_it(
    make_service: MakeService,
) -> None:
    service = make_service([plugin()], limits={"operating_seconds": 100})

    def fails(*_: Any) -> Any:
        raise OSError

    service.kernel.dispatch._limits.spend = fails  # type: ignore[assignment]
    answer = call(service)
    service.kernel.write_records()

    assert answer.status == 200
    with service.kernel.store.session() as session:
        outcomes = session.execute(sa.text("SELECT outcome FROM landyard_audit")).scalars()
        assert list(outcomes) == ["ok"]


class Refused(CallError):
    code = "REFUSED"
    status = 401
    system = True


class Refusing:
    """A plugin that lets nobody in, in words of its own."""

    @hookimpl
    def authenticate(self, credential: Credential) -> None:
        if credential.secret != WEBHOOK:
            raise Refused


def test_wrong_credentials_are_counted_whoever_refuses_them() -> None:
    guard = Plugin("a-guard", Refusing())
    with Service([plugin(), guard], limits={"wrong_credentials": 3}) as service:
        told = [call(service, f"wrong-code-0123456789-{n}").error for n in range(5)]

    assert told == ["REFUSED"] * 3 + ["QUERY_LIMIT_EXCEEDED"] * 2


@pytest.mark.postgres
def test_the_service_needs_no_right_to_change_the_schema(tmp_path: Path, postgres_url: str) -> None:
    """What `db upgrade` may do and the service need not: CREATE."""
    role = f"landyard_{uuid.uuid4().hex[:12]}"
    owner = sa.create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with owner.connect() as connection:
        for grant in (
            f"CREATE ROLE {role} LOGIN",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
        ):
            connection.execute(sa.text(grant))
        try:
            url = sa.make_url(postgres_url).set(username=role)
            shown = url.render_as_string(hide_password=False)
            limits = {"burst": 100, "operating_seconds": 100}
            with Service([plugin()], data=tmp_path, database_url=shown, limits=limits) as service:
                assert call(service).status == 200
                assert call(service, "wrong-code-0123456789").status == 401
        finally:
            connection.execute(sa.text(f"DROP OWNED BY {role}"))
            connection.execute(sa.text(f"DROP ROLE {role}"))
    owner.dispose()
