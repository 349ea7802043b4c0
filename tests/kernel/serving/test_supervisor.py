"""The supervisor replaces every worker that ends, hangs or is killed, and the log says why."""

import os
import signal
import time
from pathlib import Path

import pytest
from kernel.supervised import kill, runs, supervised, until


@pytest.mark.parametrize("status", [0, 1, 3, 4, 77, 255])
def test_a_worker_that_ends_is_replaced(tmp_path: Path, status: int) -> None:
    ends = f"""
def work(left_out, first, link, scoreboard):
    if times("started") == 1:
        scoreboard.begin(scoreboard.take_slot(), "a.b", "id-1")
        threading.Timer(0.1, leave, [{status}]).start()
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, ends) as run:
        run.until("worker_ready", 2)
        died = run.until("worker_died", status=status)
        assert run.stop() == 0

    assert died[0]["calls"] == ["a.b id-1"]
    assert len(run.named("worker_died")) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_killed_worker_is_replaced(tmp_path: Path, number: int) -> None:
    with supervised(tmp_path, "count = 2") as run:
        first = run.until("worker_ready", 2)[0]["pid"]
        began = time.monotonic()

        os.kill(first, number)
        run.until("worker_ready", 3)
        assert time.monotonic() - began < 10
        assert run.stop() == 0

    assert [each["pid"] for each in run.named("worker_died", status=-number)] == [first]


def test_the_forking_process_runs_no_thread(tmp_path: Path) -> None:
    with supervised(tmp_path, "count = 2") as run:
        run.until("worker_ready", 2)

        assert len(list(Path(f"/proc/{run.process.pid}/task").iterdir())) == 1


def test_a_worker_with_a_blocked_loop_is_killed_and_its_calls_are_named(tmp_path: Path) -> None:
    blocked = """
def work(left_out, first, link, scoreboard):
    if times("started") > 1:
        serve(left_out, first, link, scoreboard)
    scoreboard.begin(scoreboard.take_slot(), "a.blocks", "id-2")
    link.send("ready")
    time.sleep(60)
"""
    with supervised(tmp_path, blocked) as run:
        run.until("worker_ready", 2)
        run.until("worker_died", status=-9)

    assert run.named("worker_replaced", reason="loop_blocked")[0]["calls"] == ["a.blocks id-2"]


HEALTHS = {
    "call_over_limit": "over_limit_since=time.monotonic(), over_limit='a.slow'",
    "write_lock_held": (
        "lock=dict(holder='a.slow', held_since=time.monotonic(), waiting_since=time.monotonic())"
    ),
}


@pytest.mark.parametrize("reason", HEALTHS)
def test_a_worker_with_a_hanging_call_stops_when_another_is_ready(
    tmp_path: Path, reason: str
) -> None:
    hangs = f"""
def work(left_out, first, link, scoreboard):
    health = dict({HEALTHS[reason]}) if times("started") == 1 else {{}}
    obey = lambda message: print(message.word, flush=True)
    serve(left_out, first, link, scoreboard, obey, health)
"""
    with supervised(tmp_path, hangs) as run:
        run.until("worker_ready", 2)
        until(lambda: "stop" in (tmp_path / "out").read_text())
        first, second = (each["pid"] for each in run.named("worker_ready"))
        until(lambda: not runs(first))
        assert runs(second)

    replaced = run.named("worker_replaced")
    assert [(each["reason"], each["method"]) for each in replaced] == [(reason, "a.slow")]
    assert not run.named("worker_died")


def test_a_write_lock_that_nobody_waits_for_is_left_alone(tmp_path: Path) -> None:
    holds = """
def work(left_out, first, link, scoreboard):
    health = dict(lock=dict(holder="a.slow", held_since=time.monotonic()))
    serve(left_out, first, link, scoreboard, health=health)
"""
    with supervised(tmp_path, holds) as run:
        run.until("worker_ready")
        time.sleep(0.6)

    assert not run.named("worker_replaced")


def test_a_worker_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    stays = """
grace = 0.1
def work(left_out, first, link, scoreboard):
    link.send("ready")
    threading.Thread(target=tell, args=(link, {}), daemon=True).start()
    time.sleep(60)
"""
    with supervised(tmp_path, stays) as run:
        run.until("worker_ready")

        assert run.stop() == 0


def test_a_worker_may_ask_to_be_replaced(tmp_path: Path) -> None:
    asks = """
def work(left_out, first, link, scoreboard):
    if times("started") == 1:
        link.send("ready")
        link.send("replace", "memory")
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, asks) as run:
        run.until("worker_replaced", reason="memory")
        run.until("worker_ready", 3)

    assert not run.named("worker_died")


DEADLY = """
def work(left_out, first, link, scoreboard):
    number = times("started")
    finishes = {finishes}
    def obey(message):
        if message.word == "suspect" and number in finishes:
            link.send("finished", message.about)
        if message.word == "open":
            print(number, message.about, message.detail, flush=True)
    if number in {dies}:
        scoreboard.begin(scoreboard.take_slot(), "a.deadly", "id")
        threading.Timer(0.2, leave, [1]).start()
    serve(left_out, first, link, scoreboard, obey)
"""


def test_three_deaths_in_a_row_open_the_breaker_of_the_method(tmp_path: Path) -> None:
    with supervised(tmp_path, DEADLY.format(finishes=(), dies=(1, 2, 3, 4))) as run:
        run.until("worker_ready", 5)
        until(lambda: (tmp_path / "out").read_text().count("\n") == 2)

    assert [each["deaths"] for each in run.named("breaker_opened")] == [3, 4]
    # Later workers know of the open breaker.
    assert (tmp_path / "out").read_text().split("\n")[:2] == ["4 a.deadly 3", "5 a.deadly 4"]


def test_a_worker_started_after_a_reload_opens_no_breaker_again(tmp_path: Path) -> None:
    with supervised(tmp_path, DEADLY.format(finishes=(), dies=(1, 2, 3))) as run:
        run.until("worker_ready", 4)
        run.send(signal.SIGHUP)
        run.until("worker_ready", 5)
        run.stop()

    assert (tmp_path / "out").read_text().splitlines()[:-1] == ["4 a.deadly 3"]


def test_a_call_that_finishes_in_between_is_not_suspected(tmp_path: Path) -> None:
    with supervised(tmp_path, DEADLY.format(finishes=(2, 4), dies=(1, 2, 3, 4))) as run:
        run.until("worker_ready", 5)

    assert not run.named("breaker_opened")


CALLED = """
def work(left_out, first, link, scoreboard):
    number = times("started")
    def obey(message):
        if message.word == "suspect" and message.detail == "webhook:9":
            link.send("finished", message.about, detail="webhook:9")
        if message.word in ("open", "refuse"):
            print(number, message.word, message.about, message.detail, flush=True)
    if number <= 3:
        for caller in {callers}[number - 1]:
            slot = scoreboard.take_slot()
            scoreboard.begin(slot, "a.deadly", "id")
            scoreboard.note_caller(slot, caller)
        threading.Timer(0.2, leave, [1]).start()
    serve(left_out, first, link, scoreboard, obey)
"""
ONE = [["webhook:1"], ["webhook:1", "webhook:2"], ["webhook:1"]]
WHO = [
    (ONE, {"webhook:1"}),
    ([["webhook:1"]] * 3, {"webhook:1"}),
    ([["webhook:1", "webhook:9"]] * 3, {"webhook:1"}),  # calls of the other caller are answered
    ([["webhook:1"], ["webhook:2"], ["webhook:1"]], None),
    ([["webhook:1", ""]] * 3, None),
]


@pytest.mark.parametrize(("callers", "refused"), WHO)
def test_deaths_with_calls_of_one_caller_refuse_the_method_only_to_that_caller(
    tmp_path: Path, callers: list[list[str]], refused: set[str] | None
) -> None:
    with supervised(tmp_path, CALLED.replace("{callers}", repr(callers))) as run:
        run.until("worker_ready", 4)
        until(lambda: (tmp_path / "out").read_text().count("\n") > 0)
        run.stop()

    lines = (tmp_path / "out").read_text().splitlines()[0]
    (opened,) = run.named("breaker_opened")
    if refused is None:
        assert (lines, "callers" in opened) == ("4 open a.deadly 3", False)
    else:
        (only,) = refused
        assert lines.startswith(f"4 refuse a.deadly ['{only}', ")
        assert opened["callers"] == [only]


def test_a_lock_held_by_no_known_call_reloads_the_workers_and_names_the_one_that_freed_it(
    tmp_path: Path,
) -> None:
    locked = """
count = 2
def work(left_out, first, link, scoreboard):
    number = times("started")
    health = {"lock": {"busy_since": time.monotonic() if number < 3 else None}}
    def free():
        while not (here / "freed").exists():
            time.sleep(0.01)
        health["lock"] = {}
    threading.Thread(target=free, daemon=True).start()
    def obey(message):
        if message.word == 'stop' and number == 1:
            (here / "freed").touch()
    serve(left_out, first, link, scoreboard, obey, health)
"""
    with supervised(tmp_path, locked) as run:
        first = run.until("worker_ready", 2)[0]["pid"]
        freed = run.until("lock_freed")
        time.sleep(0.5)

    assert [each["pid"] for each in freed] == [first]
    assert len(run.named("worker_ready")) == 3  # the other worker did not have to go


def test_SIGHUP_replaces_every_worker_one_by_one(tmp_path: Path) -> None:
    with supervised(tmp_path, "count = 2") as run:
        before = {each["pid"] for each in run.until("worker_ready", 2)}
        run.send(signal.SIGHUP)
        run.until("worker_ready", 4)
        until(lambda: not any(map(runs, before)))
        assert run.process.poll() is None

    assert not run.named("worker_died")


def test_SIGHUP_replaces_a_starting_worker_too(tmp_path: Path) -> None:
    slow = """
def work(left_out, first, link, scoreboard):
    if times("started") == 1:
        time.sleep(1)
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, slow) as run:
        until((tmp_path / "started").exists, run)
        run.send(signal.SIGHUP)
        first, second = run.until("worker_ready", 2)
        until(lambda: not runs(first["pid"]))
        assert runs(second["pid"])

    assert len(run.named("worker_replaced", reason="reload")) == 1


def test_no_worker_is_started_after_SIGTERM(tmp_path: Path) -> None:
    many = """
count = 500
def work(left_out, first, link, scoreboard):
    times("started")
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, many) as run:
        run.until("worker_ready", 3)
        run.send(signal.SIGTERM)
        assert run.process.wait(30) == 0

    assert len((tmp_path / "started").read_text()) < 400


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle_of_the_start_stops_it(tmp_path: Path, number: int) -> None:
    slow = """
def work(left_out, first, link, scoreboard):
    link.send("loading", "slow")
    (here / "loading").touch()
    time.sleep(60)
rules["loading"] = 60
"""
    with supervised(tmp_path, slow) as run:
        until((tmp_path / "loading").exists, run)
        run.send(number)

        assert run.process.wait(5) == 0


def test_the_end_of_the_supervisor_is_the_end_of_its_workers(tmp_path: Path) -> None:
    with supervised(tmp_path, "count = 3") as run:
        workers = [each["pid"] for each in run.until("worker_ready", 3)]
        kill(run.process.pid)
        run.process.wait()
        began = time.monotonic()
        until(lambda: not any(map(runs, workers)))

    assert time.monotonic() - began < 10


def test_a_plugin_that_keeps_workers_from_starting_is_found_and_left_out(tmp_path: Path) -> None:
    deadly = """
def work(left_out, first, link, scoreboard):
    link.send("loading", "deadly")
    if "deadly" not in left_out:
        leave(3)
    serve(left_out, first, link, scoreboard)
try_plugins = lambda suspect, seconds: {"deadly": "it ends"}
"""
    with supervised(tmp_path, deadly) as run:
        run.until("worker_ready")

    assert len(run.named("start_failed", plugin="deadly")) == 1
    assert run.named("plugin_left_out", plugin="deadly", reason="it ends")


def test_a_plugin_that_fails_only_beside_others_is_left_out_too(tmp_path: Path) -> None:
    odd = """
def work(left_out, first, link, scoreboard):
    link.send("loading", "odd")
    if not left_out:
        time.sleep(60)
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, odd) as run:
        run.until("worker_ready")

    assert len(run.named("start_failed", plugin="odd")) == 2
    assert run.named("plugin_left_out", plugin="odd")


def test_a_loaded_plugin_is_not_left_out_for_being_slow_in_a_trial(
    tmp_path: Path,
) -> None:
    scenario = """
def work(left_out, first, link, scoreboard):
    link.send("loading", "sound")
    link.send("loading", "deadly")
    if "deadly" not in left_out:
        leave(3)
    serve(left_out, first, link, scoreboard)
try_plugins = lambda suspect, seconds: {"sound": "it hangs", "deadly": "it ends"}
"""
    with supervised(tmp_path, scenario) as run:
        run.until("worker_ready")

    assert [each["plugin"] for each in run.named("plugin_left_out")] == ["deadly"]


def test_a_plugin_that_waits_for_the_database_is_waited_for(tmp_path: Path) -> None:
    waits = """
def work(left_out, first, link, scoreboard):
    link.send("loading")
    time.sleep(1.5)
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, waits) as run:
        run.until("worker_ready")

    assert run.named("worker_slow")
    assert not run.named("worker_died")


def test_a_fault_that_keeps_the_first_worker_from_starting_ends_the_service(tmp_path: Path) -> None:
    refuses = """
count = 3
def work(left_out, first, link, scoreboard):
    link.send("failed", "a setting is wrong")
    leave(1)
"""
    with supervised(tmp_path, refuses) as run:
        assert run.process.wait(10) == 0

    assert (tmp_path / "out").read_text() == "a setting is wrong\n"
    assert len(run.named("worker_died")) == 1


def test_a_fault_that_keeps_a_later_worker_from_starting_is_retried(tmp_path: Path) -> None:
    refuses = """
def work(left_out, first, link, scoreboard):
    number = times("started")
    if number in (2, 3):
        link.send("failed", "no such table")
        leave(1)
    serve(left_out, first, link, scoreboard)
"""
    with supervised(tmp_path, refuses) as run:
        kill(run.until("worker_ready")[0]["pid"])
        run.until("worker_ready", 2)

    assert len(run.named("start_failed", reason="no such table")) == 2
