"""Server processes with workers that fail: the effect on callers, and the log."""

import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest
from faulty.kit import Fault, install
from faulty.starting import BEGINNING
from kernel.processes import PATIENCE, Server, command, environment, free_port, landyard, serving
from kernel.supervised import kill, runs, until

RUNNER = """
from landyard.cli import serving
from landyard.cli.main import main
from landyard.serving.supervisor import Rules

serving.RULES = Rules(blocked=3.0, loading=8.0)
main(["serve", *__import__("sys").argv[1:]])
"""
PLUGIN = Fault(
    "misbehaving",
    '''
import ctypes, os, signal, time
from msgspec import Struct
from landyard import Call, MethodGroup, hookimpl

group = MethodGroup(scope="landing")
kept = []


class Params(Struct, frozen=True):
    number: int = 0


@group.method("misbehaving.exit")
def end(call: Call, params: Params) -> bool:
    """End the process."""
    os._exit(params.number)


@group.method("misbehaving.block")
def block(call: Call, params: Params) -> bool:
    """Keep the interpreter's lock."""
    ctypes.PyDLL(None).sleep(params.number)
    return True


@group.method("misbehaving.wait")
def wait(call: Call, params: Params) -> int:
    """Take a second."""
    time.sleep(1)
    return os.getpid()


@group.method("misbehaving.grow")
def grow(call: Call, params: Params) -> int:
    """Keep as many megabytes."""
    kept.extend(b"x" * (1 << 20) for _ in range(params.number))  # the loop goes on beside
    return os.getpid()


@hookimpl
def register_methods():
    return group
''',
    "",
    "enabled",
)


@contextmanager
def served(folder: Path, *flags: str, plugin: Fault = PLUGIN, **more: str) -> Iterator[Server]:
    install(folder / "installed", plugin)
    (folder / "runner.py").write_text(RUNNER)
    variables = {
        "PYTHONPATH": str(folder / "installed"),
        "LANDYARD_LOG_FORMAT": "json",
        **more,
    }
    program = [sys.executable, "runner.py"]
    with serving(folder, "--demo", *flags, program=program, **variables) as server:
        yield server


def logged(server: Server, event: str) -> list[dict[str, Any]]:
    # Two processes that log at once may share a line.
    lines = [line for line in server.err.replace("}{", "}\n{").splitlines() if line.startswith("{")]
    return [each for each in map(msgspec.json.decode, lines) if each["event"] == event]


def call(server: Server, method: str, number: int = 0) -> tuple[int, Any]:
    status, _, body = server.ask("POST", f"{server.webhook}{method}", {"number": number})
    return status, msgspec.json.decode(body)


def broken(server: Server, method: str, number: int) -> None:
    with pytest.raises((OSError, http.client.HTTPException)):
        call(server, method, number)


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


class Load:
    """Calls without a pause over persistent connections; records answers other than 200."""

    def __init__(self, server: Server, callers: int = 4) -> None:
        self.wrong: list[object] = []
        self.count = 0
        self._server = server
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(callers)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _ask(self) -> None:
        path = f"{self._server.webhook}landing.block.getlist?lid=10"
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=PATIENCE)
        while not self._stop.is_set():
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    self.wrong.append(answer.status)
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(repr(error))
                connection.close()
            self.count += 1
        connection.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.mark.parametrize("status", [0, 3])  # a third death in a row would open the breaker
def test_a_call_that_ends_the_process_ends_only_its_worker(server: Server, status: int) -> None:
    before = len(logged(server, "worker_died"))

    broken(server, "misbehaving.exit", status)
    began = time.monotonic()
    assert call(server, "landing.block.getlist?lid=10")[0] == 200
    assert time.monotonic() - began < 20  # about a second on an idle machine

    (died,) = logged(server, "worker_died")[before:]
    assert died["status"] == status
    # An answered call may still be listed, if its thread has not noted its end yet.
    assert any(each.startswith("misbehaving.exit ") for each in died["calls"])


def test_the_only_worker_is_replaced_soon_after_it_was_killed(server: Server) -> None:
    pid = logged(server, "worker_ready")[-1]["pid"]

    kill(pid)
    until(lambda: not runs(pid))

    assert server.ask("GET", "/healthz")[0] == 200


def test_C_code_that_keeps_the_interpreter_is_a_blocked_loop(server: Server) -> None:
    broken(server, "misbehaving.block", 600)

    assert server.ask("GET", "/healthz")[0] == 200
    blocked = logged(server, "worker_replaced")[-1]["calls"]
    assert any(each.startswith("misbehaving.block ") for each in blocked)


def test_SIGHUP_loses_no_call_with_one_worker(server: Server) -> None:
    waited: list[Any] = []
    with Load(server) as load:
        old = logged(server, "worker_ready")[-1]["pid"]
        calling = threading.Thread(target=lambda: waited.append(call(server, "misbehaving.wait")))
        calling.start()
        time.sleep(0.2)
        for _ in range(3):
            ready = len(logged(server, "worker_ready"))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: len(logged(server, "worker_ready")) > ready)  # noqa: B023
        until(lambda: not runs(old))
        calling.join(PATIENCE)

    assert load.wrong == []
    assert load.count > 100
    assert waited[0][0] == 200
    assert waited[0][1]["result"] == old


def test_the_end_of_the_supervisor_frees_the_port(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", "2") as server:
        until(lambda: len(logged(server, "worker_ready")) == 2)
        workers = [each["pid"] for each in logged(server, "worker_ready")]
        kill(server.process.pid)
        server.process.wait()
        began = time.monotonic()
        until(lambda: not any(map(runs, workers)) and is_free(server.port))
        assert time.monotonic() - began < 10


def test_a_worker_that_has_grown_is_replaced_without_a_lost_call(tmp_path: Path) -> None:
    with served(tmp_path, LANDYARD_WORKER_MEGABYTES="300") as server, Load(server) as load:
        answer = call(server, "misbehaving.grow", 400)
        print(answer)
        first = answer[1]["result"]
        until(lambda: not runs(first))

    assert load.wrong == []
    assert logged(server, "memory_exceeded")[0]["megabytes"] > 300
    assert [each["reason"] for each in logged(server, "worker_replaced")] == ["memory"]
    assert not logged(server, "worker_died")


LOADING = {
    "ends": ("import os; os._exit(0)", "ended the process with status 0"),
    "hangs": ("import ctypes; ctypes.PyDLL(None).sleep(600)", "hangs: not ready after 4 s"),
}
# The table of containment covers both with short times.
REALLY = [pytest.param(fault, marks=pytest.mark.soak) for fault in LOADING]


def failed_plugins(folder: Path) -> dict[str, Any]:
    listed = landyard(folder, "plugins", "list", "--json", PYTHONPATH="installed")
    rows = msgspec.json.decode(listed.out)
    return {row["name"]: row for row in rows if row["state"] == "failed"}


@pytest.mark.parametrize("fault", REALLY)
def test_a_plugin_that_cannot_be_loaded_is_left_out_and_named(tmp_path: Path, fault: str) -> None:
    body, reason = LOADING[fault]

    with served(tmp_path, plugin=Fault(f"while_{fault}", body, "")) as server:
        assert call(server, "landing.block.getlist?lid=10")[0] == 200
        rows = until(lambda: failed_plugins(tmp_path))

    assert rows.keys() == {f"faulty_while_{fault}"}
    assert reason in rows[f"faulty_while_{fault}"]["reason"]


@pytest.mark.parametrize("fault", BEGINNING, ids=lambda fault: fault.name)
def test_a_plugin_that_is_wrong_when_a_worker_starts_keeps_none_from_serving(
    tmp_path: Path, fault: Fault
) -> None:
    with served(tmp_path, plugin=fault) as server:
        assert server.ask("GET", "/demo/")[0] == 200
        if fault.state == "failed":
            rows = until(lambda: failed_plugins(tmp_path))
            assert fault.reason in rows[fault.plugin]["reason"]
        elif fault.name == "serve_raises":
            until(lambda: logged(server, "action_failed"))

    assert {each["plugin"] for each in logged(server, "start_failed")} <= {fault.plugin}


@pytest.mark.parametrize("pause", [0.0, 0.1, 0.5])
def test_SIGTERM_stops_the_service_at_any_moment_of_its_start(tmp_path: Path, pause: float) -> None:
    words = [*command(), "serve", "--port", str(free_port()), "--workers", "2"]
    log = tmp_path / "log"
    with (
        log.open("wb") as err,
        subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path), stderr=err) as process,
    ):
        until(lambda: "service_started" in log.read_text())
        time.sleep(pause)
        process.terminate()

        assert process.wait(10) == 0
    assert "Traceback" not in log.read_text()


def test_a_setting_that_keeps_the_worker_from_starting_is_reported_and_exits_1(
    tmp_path: Path,
) -> None:
    (tmp_path / "landyard.toml").write_text("[uploads]\nnobody = 1\n")
    run = landyard(tmp_path, "serve", "--port", "8099")

    assert run.status == 1
    assert "nobody" in run.err.splitlines()[-1]
    assert "Traceback" not in run.err
