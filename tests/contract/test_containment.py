"""The containment table: what a faulty plugin does to other callers, and whom the log names.

Each row provokes one fault in a service under load. `make test` does so once, with short times and
two workers. `make soak` does so repeatedly with real times, with one worker and with two.
"""

import re
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from contract.containment.scene import REAL, SHORT, Scene, served, within
from faulty.kit import install
from faulty.load import Answer
from faulty.plugins.raising import KINDS, MORE
from faulty.starting import LOADING
from kernel.supervised import kill, runs, until

TWO = [
    pytest.param((SHORT, 2), id="2"),
    pytest.param((REAL, 1), id="real-1", marks=pytest.mark.soak),
    pytest.param((REAL, 2), id="real-2", marks=pytest.mark.soak),
]


@pytest.fixture(scope="module", params=TWO)
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """The service that all rows share."""
    times, workers = request.param
    folder = tmp_path_factory.mktemp("contained")
    with served(folder, times, workers, LANDYARD_WORKER_MEGABYTES="400") as scene:
        yield scene


def together(asks: Sequence[Any]) -> list[Answer]:
    """Run all functions at once."""
    answers: list[Answer] = []
    threads = [threading.Thread(target=lambda ask=ask: answers.append(ask())) for ask in asks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


# ------------------------------------------------------------------ failures


def test_raises_in_a_handler(scene: Scene) -> None:
    with scene.row("raises in a handler"):
        for kind in [*KINDS, *MORE] * scene.times.rounds:
            reads = scene.call_again("faulty.raising", kind=kind)
            writes = scene.call_again("faulty.raising_writing", kind=kind)
            assert (reads.status, reads.error) == (500, "INTERNAL_SERVER_ERROR"), kind
            assert writes.error == "SYSTEM_ERROR", kind
    assert not scene.changed()
    scene.named(
        "call_crashed",
        method="faulty.raising_writing",
        plugin="faulty_raising",
        request_id=writes.request_id,
    )


def test_raises_in_a_page(scene: Scene) -> None:
    with scene.row("raises in a page"):
        for kind in sorted({*KINDS} - {"undeclared"}) * scene.times.rounds:
            answer = scene.ask(f"/faulty/raising/{kind}", verb="GET")
            assert answer.status == 500, (kind, answer)
    scene.named("page_crashed", plugin="faulty_raising", request_id=answer.request_id)


def test_raises_in_a_job(scene: Scene) -> None:
    with scene.row("raises in a job"):
        for job in ("division", "exit", "odd"):
            scene.named("job_failed", job=f"faulty.{job}", plugin="faulty_raising")


def test_fails_again_and_again(scene: Scene) -> None:
    with scene.row("fails again and again"):
        for _ in range(20 * scene.times.rounds):
            assert scene.call_again("faulty.raising").status == 500
            assert scene.ask("/faulty/raising/division", verb="GET").status == 500

    def told() -> Any:
        row = scene.plugins("show", "faulty_raising")["faulty_raising"]
        return row if row["errors"] >= 20 else None

    row = until(told)
    print("\n   ", {name: row[name] for name in ("errors", "last_error")}, end="")
    assert not scene.events("breaker_opened", plugin="faulty_raising")


DECIDING = (
    *("before_call", "begin_call", "before_commit"),
    *("authenticate", "guard_authentication"),
)


def provoke(scene: Scene, hook: str, how: str) -> Answer:
    """Make a call in which a hook raises, exits or hangs."""
    match hook:
        case "authenticate":
            return scene.call("methods", f"faulty-webhook-{how}")
        case "guard_authentication":
            last = 1 + ["raise", "exit", "hang"].index(how)
            path = f"/rest/1/nobody-knows-{time.monotonic_ns()}/methods"
            return scene.ask(path, {}, **{"X-Forwarded-For": f"10.6.6.{last}"})
    key = uuid.uuid4().hex  # a key makes dispatch run `begin_call`
    return scene.call("faulty.target", hook=hook, how=how, idempotency_key=key)


def test_raises_in_a_hook(scene: Scene) -> None:
    with scene.row("a hook raises"):
        for how in ["raise", "exit"] * scene.times.rounds:
            for hook in DECIDING:
                assert provoke(scene, hook, how).refused, hook
            assert provoke(scene, "call_finished", how).status == 200
            assert provoke(scene, "map_error", how).status == 500
    for hook in (*DECIDING, "call_finished", "map_error"):
        scene.named("hook_failed", hook=hook, plugin="faulty_hooks")


def test_hangs_in_a_hook(scene: Scene) -> None:
    """The last hook hangs while it holds the write lock, so its worker is replaced."""
    limit = scene.times.limit
    with scene.row("a hook hangs", refused=True):
        for _ in range(3):
            assert provoke(scene, "call_finished", "hang").status == 200
        for hook in ("before_call", "authenticate", "guard_authentication", "before_commit"):
            answer = provoke(scene, hook, "hang")
            assert answer.refused, hook
            assert limit <= answer.seconds < limit + scene.times.slack
        for replaced in scene.named("worker_replaced"):
            until(lambda: not runs(replaced["pid"]))  # noqa: B023
        until(lambda: provoke(scene, "", "").status == 200)
    scene.named("call_overran", plugin="faulty_hooks", label="faulty.target")


# ------------------------------------------------------------------ time


@pytest.mark.parametrize("how", ["sleep", "loop", "c"])
def test_over_the_time_limit(scene: Scene, how: str) -> None:
    """The call runs a second past its limit and then tries to write."""
    limit = scene.times.limit
    for _ in range(scene.times.rounds):
        with scene.row(f"over its time limit: {how}"):
            late = scene.call_again(f"faulty.slow_{how}", how=how, seconds=limit + 0.6)
            time.sleep(1.0)
            assert (late.status, late.error) == (500, "INTERNAL_SERVER_ERROR"), late
            assert limit <= late.seconds < limit + scene.times.slack
            assert not scene.changed()
        time.sleep(scene.times.rounds - 1)
    scene.named("call_overran", label=f"faulty.slow_{how}", plugin="faulty_slow")


def test_over_the_time_limit_within_a_group_commit(scene: Scene) -> None:
    """The call holds the write lock past its limit. The calls of its group wait and run again."""
    limit = scene.times.limit
    for _ in range(scene.times.rounds):
        with scene.row("over its time limit, grouped with others", refused=True):
            late = scene.call_again("faulty.slow_writing", seconds=limit + 0.3, write=True)
            assert late.status == 500
            time.sleep(0.5)
            assert not scene.changed()
        time.sleep(scene.times.rounds - 1)
    scene.named("call_overran", label="faulty.slow_writing", plugin="faulty_slow")


def test_its_thread_runs_on(scene: Scene) -> None:
    for turn in range(1, min(scene.times.rounds, 2) + 1):
        with scene.row("its thread runs on 10 s after the limit", refused=True) as load:
            assert scene.call_again("faulty.slow_stuck", seconds=3600).status == 500
            fields: dict[str, Any] = {"reason": "call_over_limit", "method": "faulty.slow_stuck"}
            replaced = scene.named("worker_replaced", turn, **fields)[-1]
            until(lambda: not runs(replaced["pid"]))  # noqa: B023
        assert load.down < scene.times.slack  # the writes that waited when the worker stopped
        assert any(call.startswith("faulty.slow_stuck") for call in replaced["calls"])
    assert not scene.changed()


def test_keeps_the_write_lock(scene: Scene) -> None:
    with scene.row("keeps the lock to write while others wait", refused=True):
        assert scene.call_again("faulty.slow_lock", seconds=3600, write=True).status == 500
        fields: dict[str, Any] = {"reason": "write_lock_held", "method": "faulty.slow_lock"}
        replaced = scene.named("worker_replaced", **fields)[-1]
        until(lambda: not runs(replaced["pid"]))
    assert not scene.changed()


def test_keeps_the_interpreter(scene: Scene) -> None:
    with scene.row("C code keeps the interpreter's lock", broken=True) as load:
        assert scene.call("faulty.keep_interpreter").status == 0
        replaced = scene.named("worker_replaced", reason="loop_blocked")[-1]
        assert any(call.startswith("faulty.keep_interpreter ") for call in replaced["calls"])
        time.sleep(1)
    assert load.down < scene.times.blocked + scene.times.back + scene.times.slack


def test_a_route_that_blocks(scene: Scene) -> None:
    limit = scene.times.limit
    asks = [lambda: scene.ask(f"/faulty/slow/{limit + 0.5}", verb="GET")] * 12
    with scene.row("a page blocks"):
        for _ in range(scene.times.rounds):
            late = together(asks)
            assert {answer.status for answer in late} <= {500, 503}
            assert max(answer.seconds for answer in late) < 2 * limit + scene.times.slack
    scene.named("page_overran", plugin="faulty_slow", page="/faulty/slow/{seconds:float}")


# ------------------------------------------------------------------ processes


ENDS: list[tuple[str, int, int]] = [
    *((f"faulty.exit_{status}", status, status) for status in (0, 3, 4, 77)),
    ("faulty.segfault", 0, -11),
    ("faulty.kill", 0, -9),
]


def test_ends_its_process(scene: Scene) -> None:
    for method, number, status in ENDS * min(scene.times.rounds, 2):
        deaths = len(scene.events("worker_died"))
        with scene.row(method, broken=True) as load:
            assert scene.call(method, number=number).status == 0
            back = within(scene.times.back, lambda: scene.call("methods").status == 200)
            died = scene.named("worker_died", deaths + 1)[-1]
            print(f"\n    back after {back:.2f} s", end="")
        assert died["status"] == status
        assert any(call.startswith(f"{method} ") for call in died["calls"])
        assert load.down < scene.times.back + scene.times.slack


def test_is_killed_from_outside(scene: Scene) -> None:
    for _ in range(scene.times.rounds):
        with scene.row("killed from outside", broken=True) as load:
            pid = next(pid for pid in scene.ready() if runs(pid))
            kill(pid)
            within(scene.times.back, lambda: scene.call("methods").status == 200)
            scene.named("worker_died", pid=pid, status=-9)
        assert load.down < scene.times.back + scene.times.slack


def test_three_deaths_in_a_row(scene: Scene) -> None:
    with scene.row("in three worker deaths in a row", broken=True):
        for deaths in (1, 2, 3):
            until(lambda: scene.call("methods").status == 200)
            assert scene.call("faulty.exit_9", number=9).status == 0
            scene.named("worker_died", deaths)
        until(lambda: scene.call("faulty.exit_9", number=9).refused)
        scene.named("breaker_opened", method="faulty.exit_9")
        assert (
            scene.call_again("faulty.raising").status == 500
        )  # the plugin's other methods, and methods of other plugins


def test_grows_without_end(scene: Scene) -> None:
    for _ in range(scene.times.rounds):
        deaths = len(scene.events("worker_died"))
        with scene.row("grows without end", refused=True) as load:
            before = len(scene.events("memory_exceeded"))
            scene.call("faulty.grow", number=450)
            grown = scene.named("memory_exceeded", before + 1)[-1]
            pid = grown["pid"]
            scene.named("worker_replaced", pid=pid, reason="memory")
            until(lambda: not runs(pid))  # noqa: B023
        assert "faulty.grow" in [each.split(":")[0] for each in grown["growing"]]
        assert load.down < scene.times.slack
        assert len(scene.events("worker_died")) == deaths


# ------------------------------------------------------------------ database


def test_writes_without_saying_so(scene: Scene) -> None:
    with scene.row("writes without writes=True"):
        for _ in range(5 * scene.times.rounds):
            answer = scene.call_again("faulty.write_unannounced")
            assert (answer.status, answer.error) == (500, "INTERNAL_SERVER_ERROR")
    assert not scene.changed()
    scene.named("call_crashed", method="faulty.write_unannounced", request_id=answer.request_id)


def test_leaves_a_lock_on_the_database(scene: Scene) -> None:
    times = scene.times
    before = len(scene.events("worker_replaced", reason="database_locked"))
    with scene.row("leaves a lock on the database", refused=True) as load:
        pid = scene.call("faulty.lock").told["result"]
        time.sleep(0.1)
        answer = scene.call("faulty.slow_one")
        assert answer.refused
        assert answer.seconds < times.patience + times.slack
        scene.named("lock_freed", pid=pid)
        until(lambda: scene.call("faulty.slow_one").status == 200)
        time.sleep(0.5)
    replaced = scene.events("worker_replaced", reason="database_locked")
    assert len(replaced) - before <= scene.workers
    assert load.down < times.busy + times.patience + 3 * times.back


# ------------------------------------------------------------------ what stays


def test_hangs_again_and_again(scene: Scene) -> None:
    limit = scene.times.limit
    with scene.row("a method hangs again and again"):
        hang = {"seconds": limit + 0.2}
        late = together([lambda: scene.call("faulty.slow_hang", **hang)] * 6)
        # the row before may have opened it
        assert 500 in {answer.status for answer in late} <= {500, 503}
        refused = until(lambda: (it := scene.call("faulty.slow_hang")).refused and it)
        assert int(refused.retry_after or 0) > 0
        assert scene.call("faulty.slow_one").status == 200
        (opened, *_) = scene.named("breaker_opened", method="faulty.slow_hang")
        assert opened["plugin"] == "faulty_slow"
        assert "ran longer than" in opened["reason"]
    with scene.row("several methods of a plugin hang again and again"):
        for name in ("two", "three"):
            together([lambda name=name: scene.call(f"faulty.slow_{name}", **hang)] * 6)
            scene.named("breaker_opened", method=f"faulty.slow_{name}")
        until(lambda: all(scene.call("faulty.slow_four").refused for _ in range(8)))
        assert scene.call_again("faulty.raising").status == 500


def test_a_plugin_that_cannot_be_loaded(scene: Scene) -> None:
    """The plugin is installed while the service runs, then the service reloads its plugins.

    This row comes last, because the plugins stay installed.
    """
    for _ in range(scene.times.rounds):
        ready = len(scene.ready())
        with scene.row("raises, ends, hangs while loading; wrong requirement", refused=True):
            install(scene.folder / "installed", *LOADING)
            scene.server.process.send_signal(1)  # the signal to reload: SIGHUP
            until(lambda: len(scene.ready()) >= ready + scene.workers, scene.events()[-9:])  # noqa: B023
            # A starting worker writes nothing. The failure is stored once the worker serves.
            until(lambda: scene.state_of("faulty_dies") == "failed")
            rows = scene.plugins()
    wrong = {
        fault.name: (row["state"], row["reason"])
        for fault in LOADING
        if (row := rows[fault.plugin])["state"] != "failed"
        or not re.search(fault.reason, row["reason"])
    }
    assert wrong == {}
    assert {rows[name]["state"] for name in ("blocks", "landing", "faulty_slow")} == {"enabled"}
