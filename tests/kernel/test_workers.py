"""The worker threads: whatever work raises reaches who awaits it, and nothing stays behind."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from landyard import Kernel
from landyard.errors import OverloadLimit
from landyard.testing import Service
from landyard.workers import MOST_WAITING, Workers


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(1)
    yield workers
    workers.close(grace=5)


def stop_iteration() -> Any:
    return next(iter(()))


def system_exit() -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("work", "raised"),
    [
        (stop_iteration, RuntimeError),
        (system_exit, RuntimeError),
        (lambda: 1 / 0, ZeroDivisionError),
    ],
)
def test_what_work_raises_reaches_who_awaits_it(
    workers: Workers, work: Callable[[], Any], raised: type[Exception]
) -> None:
    async def several() -> list[Any]:
        runs = [workers.run(each) for each in (work, lambda: 1, work, lambda: 2)]
        return await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), 10)

    told = asyncio.run(several())

    assert [type(told[0]), told[1], type(told[2]), told[3]] == [raised, 1, raised, 2]


def test_an_idle_thread_keeps_nothing_alive(workers: Workers) -> None:
    class Body:
        pass

    body = Body()
    alive = weakref.ref(body)
    asyncio.run(workers.run(lambda _: None, body))
    del body

    for _ in range(100):
        gc.collect()
        if alive() is None:
            break
        asyncio.run(workers.run(lambda: None))
    assert alive() is None


@pytest.mark.rule("C13")
def test_C13_too_much_waiting_is_an_overload(workers: Workers) -> None:
    done = threading.Event()

    async def flood() -> list[Any]:
        runs = [asyncio.ensure_future(workers.run(done.wait, 10)) for _ in range(MOST_WAITING + 10)]
        while not any(run.done() for run in runs):  # noqa: ASYNC110 - the loop has its turn, no more
            await asyncio.sleep(0)
        done.set()
        return await asyncio.gather(*runs, return_exceptions=True)

    told = asyncio.run(flood())

    refused = [each for each in told if isinstance(each, OverloadLimit)]
    assert 1 <= len(refused) <= 10
    assert told.count(True) == len(told) - len(refused)


def test_those_who_read_do_not_wait_behind_those_who_write() -> None:
    done = threading.Event()

    async def both(kernel: Kernel) -> str:
        writing = [
            asyncio.ensure_future(
                kernel.call_in_worker(
                    kernel.methods.find("landing.block.updatenodes"), done.wait, 10
                )
            )
            for _ in range(2 * kernel.settings.threads)
        ]
        await asyncio.sleep(0)
        read = await asyncio.wait_for(kernel.in_worker(lambda: "read"), 5)
        done.set()
        await asyncio.gather(*writing)
        return read

    with Service() as service:
        assert asyncio.run(both(service.kernel)) == "read"
