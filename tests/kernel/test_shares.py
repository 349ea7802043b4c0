"""Shares of the threads: a plugin that hangs takes no thread from another."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from landyard.errors import OverloadLimit
from landyard.seats import here
from landyard.workers import Workers

THREADS = 2


class Gate:
    """Work that hangs in a plugin's code until the gate is opened."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._counting = threading.Lock()
        self.inside = 0
        self.most = 0

    def work(self, owner: str) -> str:
        return here().run(owner, self._hang)

    def _hang(self) -> str:
        with self._counting:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self._open.wait(30)
        with self._counting:
            self.inside -= 1
        return "done"

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


@asynccontextmanager
async def running(workers: Workers, gate: Gate, calls: int) -> AsyncIterator[list[Any]]:
    """Surround `calls` of the plugin `hung`, of which as many run as there are threads."""
    tasks = [
        asyncio.ensure_future(workers.run(gate.work, "hung", owner="hung")) for _ in range(calls)
    ]
    await until(lambda: gate.inside == min(calls, THREADS))
    yield tasks
    gate.open()
    await asyncio.wait(tasks, timeout=30)
    workers.close(grace=5)


async def until(true: Any) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, "it never came"
        await asyncio.sleep(0.01)


async def quick(workers: Workers, owner: str) -> str:
    return await asyncio.wait_for(workers.run(lambda: owner, owner=owner), 20)


def test_others_go_on_while_one_hangs_in_every_thread(gate: Gate) -> None:
    async def scene() -> float:
        workers = Workers(THREADS)
        async with running(workers, gate, 20):
            assert await quick(workers, "other") == "other"  # comes when a thread was added
            began = time.monotonic()
            for _ in range(50):
                assert await quick(workers, "other") == "other"
                assert await quick(workers, "") == ""
            return (time.monotonic() - began) / 100

    assert asyncio.run(scene()) < 0.05
    assert gate.most == THREADS  # the rest of its calls wait


@pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="threads have no clocks on this system"
)
def test_threads_that_compute_give_way_sooner_and_those_that_wait_change_nothing(
    gate: Gate,
) -> None:
    usual = sys.getswitchinterval()
    stop = threading.Event()

    def computes() -> None:
        while not stop.is_set():
            pass

    async def scene() -> None:
        workers = Workers(THREADS)
        async with running(workers, gate, 1):
            await until(lambda: len(workers._threads) > THREADS)
            assert sys.getswitchinterval() == usual
            call = asyncio.ensure_future(workers.run(lambda: here().run("slow", computes)))
            await until(lambda: sys.getswitchinterval() < usual)
            stop.set()
            await call
            await until(lambda: sys.getswitchinterval() == usual)

    asyncio.run(scene())


def test_one_that_hangs_for_long_is_refused_more(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard.workers.STUCK", 5)

    async def scene() -> list[Any]:
        workers = Workers(THREADS)
        async with running(workers, gate, 10) as calls:
            await until(lambda: sum(call.done() for call in calls) == 10 - THREADS)
            with pytest.raises(OverloadLimit) as refused:
                await quick(workers, "hung")
            assert refused.value.retry_after == 1
            assert await quick(workers, "other") == "other"
        # Once it is back, it is served again.
        again = Workers(THREADS)
        assert await quick(again, "hung") == "hung"
        again.close(grace=5)
        return [call.exception() or call.result() for call in calls]

    told = asyncio.run(scene())

    assert [type(each) for each in told] == [str] * THREADS + [OverloadLimit] * (10 - THREADS)


def test_one_that_comes_back_is_served_again(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landyard.workers.STUCK", 5)

    async def scene() -> None:
        workers = Workers(THREADS)
        async with running(workers, gate, THREADS) as calls:
            await until(lambda: "hung" in workers._full)
            gate.open()
            await asyncio.wait(calls, timeout=20)
            await until(lambda: "hung" not in workers._full)
            assert await quick(workers, "hung") == "hung"

    asyncio.run(scene())


def test_where_work_takes_long_by_its_nature_the_rest_waits(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard.workers.STUCK", 2)

    async def scene() -> list[Any]:
        workers = Workers(THREADS, patient=True)
        async with running(workers, gate, 10) as calls:
            await asyncio.sleep(0.6)
            assert await quick(workers, "other") == "other"
            assert gate.most == THREADS
        return [call.result() for call in calls]

    assert asyncio.run(scene()) == ["done"] * 10
    assert gate.most == THREADS


def test_of_patient_ones_that_are_over_their_limit_no_more_is_begun(gate: Gate) -> None:
    async def scene() -> None:
        workers = Workers(THREADS, patient=True)
        calls = [workers.run(gate.work, "hung", owner="hung", seconds=0.2) for _ in range(10)]
        told = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 30)
        names = [type(each).__name__ for each in told]
        assert names == ["TimeIsUp"] * THREADS + ["OverloadLimit"] * (10 - THREADS)
        gate.open()
        workers.close(grace=5)

    asyncio.run(scene())


def test_waiting_in_the_kernel_is_no_share_of_the_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers who queue for the database are in the kernel: all of them wait, none is refused."""
    monkeypatch.setattr("landyard.workers.STUCK", 2)
    free = threading.Event()

    def waits() -> str:
        return here().run("writes", lambda: here().aside(lambda: str(free.wait(30))))

    async def scene() -> list[str]:
        workers = Workers(THREADS)
        calls = [asyncio.ensure_future(workers.run(waits, owner="writes")) for _ in range(10)]
        await asyncio.sleep(0.8)
        assert not any(call.done() for call in calls)
        assert len(workers._threads) == THREADS
        free.set()
        told = await asyncio.wait_for(asyncio.gather(*calls), 20)
        workers.close(grace=5)
        return told

    assert asyncio.run(scene()) == ["True"] * 10


def test_further_threads_end_when_all_is_well(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landyard.workers.LINGER", 0.3)

    async def scene() -> None:
        workers = Workers(THREADS)
        async with running(workers, gate, THREADS):
            await until(lambda: len(workers._threads) == 2 * THREADS)
            gate.open()
            await until(lambda: len(workers._threads) == THREADS)
            assert await quick(workers, "other") == "other"

    asyncio.run(scene())


def test_the_watch_sleeps_while_nothing_runs_and_wakes_for_what_does(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard.workers.LINGER", 0.2)

    async def scene() -> None:
        workers = Workers(THREADS)
        assert await quick(workers, "other") == "other"
        await until(lambda: workers._asleep)
        await asyncio.sleep(0.3)
        async with running(workers, gate, THREADS):
            assert await quick(workers, "other") == "other"

    asyncio.run(scene())
