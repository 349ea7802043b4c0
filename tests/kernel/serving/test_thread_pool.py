"""The thread pool: work is answered at its limit, and stuck work leaves threads to other work."""

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from types import FrameType
from typing import Any

import pytest

from landyard.core.errors import OverloadLimit, Postponed
from landyard.core.timing import Deadline
from landyard.serving import thread_pool
from landyard.serving.scoreboard import Scoreboard
from landyard.serving.thread_pool import MOST_WAITING, ThreadPool, TimeIsUp

PATIENCE = 30.0
THREADS = 2
SOON = 0.3  # seconds, the limit


def test_without_memory_for_a_thread_work_is_refused_and_accepted_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_thread(_thread: object) -> None:
        raise RuntimeError("can't start new thread")

    pool = ThreadPool(THREADS, Scoreboard(), lambda *_: "")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(OverloadLimit):
            asyncio.run(pool.run(lambda _: 1))

    assert asyncio.run(pool.run(lambda _: 1)) == 1
    pool.close(PATIENCE)


def test_work_may_be_postponed_repeatedly() -> None:
    left = [Postponed(0.0)] * 1_500

    def work(_deadline: Deadline) -> str:
        if left:
            raise left.pop()
        return "done"

    pool = ThreadPool(THREADS, Scoreboard(), lambda *_: "")

    assert asyncio.run(pool.run(work)) == "done"
    pool.close(PATIENCE)


class Stuck:
    """Work that hangs until the test releases it."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._counting = threading.Lock()
        self.inside = 0

    def __call__(self, _deadline: object = None) -> str:
        with self._counting:
            self.inside += 1
        self._free.wait(PATIENCE)
        with self._counting:
            self.inside -= 1
        return "done"

    def free(self) -> None:
        self._free.set()


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    stuck = Stuck()
    yield stuck
    stuck.free()


class Pool:
    """A pool, and the overruns that it reported."""

    def __init__(self, threads: int = THREADS, **options: Any) -> None:
        self.overruns: list[tuple[str, float]] = []
        self.pool = ThreadPool(threads, Scoreboard(), self._overran, **options)

    def _overran(self, label: str, seconds: float, frame: FrameType | None) -> str:
        names = []
        while frame is not None:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        assert "_work" in names  # the function that the work's thread is in
        self.overruns.append((label, seconds))
        return "greeting"

    def task(self, work: Callable[[Any], Any], label: str = "", **more: Any) -> "asyncio.Task[Any]":
        return asyncio.ensure_future(self.pool.run(work, label=label, **more))

    async def now(self, work: Callable[[Any], Any] = lambda _: "now", label: str = "") -> Any:
        return await asyncio.wait_for(self.pool.run(work, label=label), 10)


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool()
    yield pool
    pool.pool.close(grace=5)


async def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "the condition never became true"
        await asyncio.sleep(0.01)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


async def all_of(*works: Awaitable[Any]) -> list[Any]:
    return await asyncio.wait_for(asyncio.gather(*works, return_exceptions=True), PATIENCE)


# ------------------------------------------------------------------------- answers


def stop_iteration(_deadline: object) -> Any:
    return next(iter(()))


def leave(_deadline: object) -> Any:
    raise SystemExit(3)


def fail(_deadline: object) -> Any:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("work", "raised"),
    [(stop_iteration, RuntimeError), (leave, RuntimeError), (fail, ZeroDivisionError)],
)
def test_an_exception_of_work_reaches_its_awaiter(
    pool: Pool, work: Callable[[Any], Any], raised: type[Exception]
) -> None:
    async def several() -> list[Any]:
        return await all_of(*(pool.task(each) for each in (work, lambda _: 1, work, lambda _: 2)))

    output = run(several())

    assert [type(output[0]), output[1], type(output[2]), output[3]] == [raised, 1, raised, 2]


def test_an_idle_thread_keeps_no_object_alive(pool: Pool) -> None:
    class Body:
        pass

    body = Body()
    alive = weakref.ref(body)
    run(pool.now(lambda _, body=body: None))  # type: ignore[misc]
    del body

    for _ in range(100):
        gc.collect()
        if alive() is None:
            break
        run(pool.now())
    assert alive() is None


@pytest.mark.rule("C13")
def test_C13_too_much_waiting_is_an_overload(pool: Pool, stuck: Stuck) -> None:
    async def flood() -> list[Any]:
        tasks = [pool.task(stuck) for _ in range(MOST_WAITING + 10)]
        await until(lambda: any(task.done() for task in tasks))
        stuck.free()
        return await all_of(*tasks)

    output = run(flood())

    refused = [each for each in output if isinstance(each, OverloadLimit)]
    assert 1 <= len(refused) <= 10
    assert output.count("done") == len(output) - len(refused)


def test_a_closing_pool_finishes_waiting_work(pool: Pool) -> None:
    async def three() -> list[Any]:
        tasks = [pool.task(lambda _: time.sleep(0.05)) for _ in range(3)]
        await asyncio.sleep(0)
        await asyncio.to_thread(pool.pool.close, PATIENCE)
        return await all_of(*tasks)

    assert run(three()) == [None] * 3
    assert pool.pool._threads == {}


# ----------------------------------------------------------------------- the limit


@pytest.mark.parametrize("how", ["sleeps", "spins", "waits"])
def test_work_is_answered_at_its_limit_and_its_result_comes_too_late(pool: Pool, how: str) -> None:
    over = threading.Event()
    late: list[bool] = []

    def work(deadline: Deadline) -> str:
        end = time.monotonic() + 2.5
        match how:
            case "sleeps":
                time.sleep(2.5)
            case "waits":
                threading.Event().wait(2.5)
            case _:
                while time.monotonic() < end:
                    pass
        late.append(deadline.expired)
        over.set()
        return "too late"

    async def answer() -> float:
        began = time.monotonic()
        with pytest.raises(TimeIsUp) as told:
            await pool.task(work, "greeting.hello", seconds=SOON)
        assert (told.value.plugin, told.value.seconds) == ("greeting", SOON)
        return time.monotonic() - began

    assert SOON <= run(answer()) < 2.4
    assert over.wait(PATIENCE)
    assert late == [True]
    assert pool.overruns == [("greeting.hello", SOON)]


def test_work_whose_answer_stands_is_waited_for(pool: Pool) -> None:
    def settles(deadline: Deadline) -> str:
        deadline.settle()
        time.sleep(3 * SOON)
        return "kept"

    async def answer() -> Any:
        return await pool.task(settles, seconds=SOON)

    assert run(answer()) == "kept"
    assert pool.overruns == []


def test_waiting_for_a_thread_does_not_count_towards_the_limit(pool: Pool) -> None:
    async def four() -> list[Any]:
        tasks = [pool.task(lambda _: time.sleep(0.2), seconds=1.5) for _ in range(9 * THREADS)]
        return await all_of(*tasks)

    assert run(four()) == [None] * 9 * THREADS


def test_an_overrun_is_reported_with_its_start_and_its_work(pool: Pool, stuck: Stuck) -> None:
    async def look() -> tuple[Any, Any, Any]:
        before = pool.pool.over_limit()
        began = time.monotonic()
        first = pool.task(stuck, "first", seconds=0.1)
        second = pool.task(stuck, "second", seconds=0.2)
        await all_of(first, second)
        late = pool.pool.over_limit()
        assert late is not None
        stuck.free()
        await until(lambda: pool.pool.over_limit() is None)
        return before, late[1], late[0] - began

    before, label, since = run(look())

    assert (before, label) == (None, "first")
    assert since == pytest.approx(0.1, abs=1)


def test_a_failing_report_of_an_overrun_delays_no_caller(stuck: Stuck) -> None:
    def broken(_label: str, _seconds: float, _frame: FrameType | None) -> str:
        raise ZeroDivisionError

    pool = ThreadPool(1, Scoreboard(), broken)

    async def answer() -> None:
        with pytest.raises(TimeIsUp):
            await pool.run(stuck, seconds=0.1)

    run(answer())
    stuck.free()
    pool.close(grace=5)


# ---------------------------------------------------------------------- stuck work


def test_other_work_goes_on_while_every_thread_is_stuck(pool: Pool, stuck: Stuck) -> None:
    async def answer() -> Any:
        hung = [pool.task(stuck, "hung") for _ in range(THREADS)]
        await until(lambda: stuck.inside == THREADS)
        answer = await pool.now(label="other")
        stuck.free()
        assert await all_of(*hung) == ["done"] * THREADS
        return answer

    assert run(answer()) == "now"


def test_a_stuck_label_starts_no_more_work_until_it_returns(
    pool: Pool, stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_pool, "STUCK", 4)

    async def answer() -> tuple[Any, ...]:
        hung = [pool.task(stuck, "hung") for _ in range(4 * THREADS)]
        await until(lambda: pool.pool._full)
        refused = await all_of(pool.task(stuck, "hung"))
        other = await pool.now(label="other")
        inside = stuck.inside
        stuck.free()
        told = await all_of(*hung)
        await until(lambda: not pool.pool._full)
        return refused[0], other, inside, told, await pool.now(label="hung")

    refused, other, inside, told, again = run(answer())

    assert isinstance(refused, OverloadLimit)
    assert (other, again) == ("now", "now")
    assert inside <= 3 * THREADS
    begun = [each for each in told if each == "done"]
    assert 2 * THREADS <= len(begun) <= 3 * THREADS
    assert all(isinstance(each, OverloadLimit) for each in told if each != "done")


def test_work_without_a_label_is_never_refused(
    pool: Pool, stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_pool, "STUCK", 2)

    async def answer() -> Any:
        hung = [pool.task(stuck) for _ in range(4 * THREADS)]
        await until(lambda: stuck.inside == 4 * THREADS)
        answer = await pool.now()
        stuck.free()
        await all_of(*hung)
        return answer

    assert run(answer()) == "now"


def test_in_a_patient_pool_only_work_over_its_limit_is_stuck(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_pool, "STUCK", 2)
    pool = Pool(patient=True)

    async def answer() -> tuple[int, Any]:
        calm = [pool.task(stuck, "download") for _ in range(2 * THREADS)]
        await asyncio.sleep(0.8)
        inside = stuck.inside
        late = [pool.task(stuck, "late", seconds=0.1) for _ in range(2 * THREADS)]
        stuck.free()
        return inside, await all_of(*calm, *late)

    assert run(answer()) == (THREADS, ["done"] * 4 * THREADS)
    pool.pool.close(grace=5)


def test_additional_threads_end_when_no_work_is_stuck(pool: Pool, stuck: Stuck) -> None:
    async def answer() -> int:
        hung = [pool.task(stuck, "hung") for _ in range(2 * THREADS)]
        await until(lambda: stuck.inside == 2 * THREADS)
        most = len(pool.pool._threads)
        stuck.free()
        await all_of(*hung)
        await until(lambda: pool.pool._wanted == THREADS)
        await all_of(*(pool.task(lambda _: "now") for _ in range(most)))
        await until(lambda: len(pool.pool._threads) == THREADS)
        return most

    assert run(answer()) > THREADS
    assert [run(pool.now()) for _ in range(4)] == ["now"] * 4


# ---------------------------------------------------------------------------- slots


def test_a_thread_records_its_current_work(stuck: Stuck) -> None:
    scoreboard = Scoreboard()
    pool = ThreadPool(1, scoreboard, lambda *_: "")

    async def noted() -> Any:
        task = asyncio.ensure_future(pool.run(stuck, label="a", request_id="r1"))
        await until(lambda: stuck.inside)
        calls = scoreboard.calls()
        stuck.free()
        await task
        return calls

    assert run(noted()) == [("a", "r1")]
    pool.close(grace=5)
    assert scoreboard.calls() == []
