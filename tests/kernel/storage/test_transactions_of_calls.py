"""Slow methods make transactions of their own around their long work, on threads of their own."""

import asyncio
import threading
import time
from typing import Any

import pytest
from conftest import MakeService
from kernel.sample import Brings, Nothing
from sqlmodel import select

from landyard import Call, MethodGroup, Plugin, hookimpl
from landyard.auth.credentials import User
from landyard.testing import Service


def serving(make_service: MakeService, work: Any, **options: Any) -> Service:
    """A service whose only method `sample.work` runs this function of a call."""
    group = MethodGroup(scope="sample")

    @group.method("sample.work", writes=True, slow=True)
    def method(call: Call, params: Nothing) -> Any:
        """Work."""
        return work(call)

    return make_service([Plugin("sample", Brings(group))], **options)


def add(name: str) -> Any:
    def work(call: Call) -> int:
        call.session.add(User(name=name))
        call.session.flush()
        return call.actor.user_id

    return work


def names(service: Service) -> set[str]:
    with service.kernel.store.session() as session:
        return {row.name for row in session.exec(select(User))}


def test_the_writes_of_a_transaction_are_kept(make_service: MakeService) -> None:
    service = serving(make_service, lambda call: call.transaction(add("Bea"), writes=True))

    assert service.result("sample.work") == 1
    assert "Bea" in names(service)


def test_a_failed_transaction_is_rolled_back_alone(make_service: MakeService) -> None:
    undone: list[str] = []

    def fails(call: Call) -> None:
        add("Cleo")(call)
        call.on_rollback(lambda: undone.append("file"))
        raise KeyError

    def work(call: Call) -> None:
        call.transaction(add("Bea"), writes=True)
        call.transaction(fails, writes=True)

    service = serving(make_service, work, raise_crashes=False)

    assert service.call("sample.work").error == "INTERNAL_SERVER_ERROR"
    assert names(service) & {"Bea", "Cleo"} == {"Bea"}
    assert undone == ["file"]


def test_no_writer_waits_between_two_transactions(make_service: MakeService) -> None:
    def work(call: Call) -> bool:
        call.transaction(lambda inner: inner.connection.exec_driver_sql("SELECT 1").all())
        other = threading.Thread(target=write)
        other.start()
        other.join(10)
        return not other.is_alive()

    def write() -> None:
        with service.kernel.store.session(writes=True) as session:
            session.add(User(name="Bea"))

    service = serving(make_service, work)

    assert service.result("sample.work") is True
    assert "Bea" in names(service)


def test_a_transaction_inside_the_calls_own_is_refused(make_service: MakeService) -> None:
    def work(call: Call) -> None:
        call.connection.exec_driver_sql("SELECT 1").all()
        call.transaction(add("Bea"), writes=True)

    service = serving(make_service, work)
    started = time.monotonic()

    with pytest.raises(RuntimeError, match="transaction"):
        service.call("sample.work")
    assert time.monotonic() - started < 8


def test_no_call_waits_for_slow_calls(make_service: MakeService) -> None:
    service = serving(make_service, lambda call: None, threads=1)
    done = threading.Event()

    async def crowd() -> str:
        pools = service.kernel.process.pools
        slow = asyncio.ensure_future(pools.slow.run(lambda _deadline: done.wait(10)))
        read = await asyncio.wait_for(pools.reading.run(lambda _: "read"), 5)
        done.set()
        await slow
        return read

    assert asyncio.run(crowd()) == "read"


class Refusing:
    """A plugin whose write beside a call fails."""

    @hookimpl
    def before_commit(self) -> None:
        raise OSError


def test_no_change_is_kept_without_the_row_written_beside_it(make_service: MakeService) -> None:
    group = MethodGroup(scope="sample")

    @group.method("sample.work", writes=True)
    def work(call: Call, params: Nothing) -> None:
        """Work."""
        call.transaction(add("Bea"), writes=True)

    service = make_service([Plugin("sample", Brings(group)), Plugin("refusing", Refusing())])

    assert service.call("sample.work").error == "OVERLOAD_LIMIT"
    assert "Bea" not in names(service)
