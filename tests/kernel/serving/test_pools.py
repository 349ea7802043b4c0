"""The thread pools: readers, writers and slow calls do not wait for each other."""

import asyncio
import os
import sys
import threading
from collections.abc import Iterator

import pytest

from landyard.serving.pools import Pools
from landyard.serving.scoreboard import Scoreboard
from landyard.serving.thread_pool import TimeIsUp

THREADS = 2
KINDS = {"reading", "writing", "slow"}


@pytest.fixture
def pools() -> Iterator[Pools]:
    pools = Pools(THREADS, 2 * THREADS, Scoreboard(), lambda _label, _seconds, _frame: "")
    yield pools
    pools.close(grace=5)


@pytest.mark.parametrize("full", sorted(KINDS))
def test_a_full_pool_delays_no_other(pools: Pools, full: str) -> None:
    go = threading.Event()

    async def both() -> list[str]:
        busy = getattr(pools, full)
        holding = [asyncio.ensure_future(busy.run(lambda _: go.wait(10))) for _ in range(9)]
        await asyncio.sleep(0)
        free = [getattr(pools, each).run(lambda _: "free") for each in KINDS - {full}]
        answers = await asyncio.wait_for(asyncio.gather(*free), 5)
        go.set()
        await asyncio.gather(*holding)
        return answers

    assert asyncio.run(both()) == ["free", "free"]


def test_the_call_longest_over_its_limit_is_reported(pools: Pools) -> None:
    go = threading.Event()

    async def late() -> tuple[float, str]:
        with pytest.raises(TimeIsUp):
            await pools.reading.run(lambda _: go.wait(10), label="page /slow", seconds=0.2)
        late = pools.over_limit()
        go.set()
        return late

    assert pools.over_limit() == (0.0, "")
    assert asyncio.run(late())[1] == "page /slow"


def test_writers_and_slow_calls_have_a_lower_priority_than_the_loop_and_readers(
    pools: Pools,
) -> None:
    async def niceness() -> list[int]:
        return [await getattr(pools, each).run(lambda _: os.nice(0)) for each in sorted(KINDS)]

    own = os.nice(0)
    reading, *others = asyncio.run(niceness())

    assert reading == own
    # on other systems threads have no priority
    assert (min(others) > own) is (sys.platform == "linux")
