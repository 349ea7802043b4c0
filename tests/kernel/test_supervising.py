"""The supervisor: a worker that dies while it is asked whether it lives is missed at once."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from kernel.processes import PATIENCE
from uvicorn.supervisors import multiprocess

from landyard.cli.supervising import Supervisor


async def app(scope: object, receive: object, send: object) -> None:
    """Answer nobody."""


@pytest.fixture
def supervisor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    monkeypatch.setattr(multiprocess, "SIGNALS", {})  # this process keeps its own
    config = uvicorn.Config(f"{__name__}:app", workers=1, lifespan="off", log_config=None)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        supervisor = Supervisor(config, sockets=[bound])
        supervisor.init_processes()
        try:
            yield supervisor
        finally:
            for process in supervisor.processes:
                process.kill()
                process.join()


def silent_then_dead(supervisor: Supervisor) -> float:
    """Kill a worker that is asked, and answer how long it takes to be missed."""
    (process,) = supervisor.processes
    assert process.ping(PATIENCE)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    killing = threading.Timer(0.5, os.kill, (process.pid, signal.SIGKILL))
    killing.start()
    began = time.monotonic()
    lives = process.ping(PATIENCE)
    killing.join()
    assert not lives
    return time.monotonic() - began


def test_one_that_dies_while_it_is_asked_is_missed_at_once(supervisor: Supervisor) -> None:
    assert silent_then_dead(supervisor) < PATIENCE / 2


def test_so_is_one_that_was_started_again(supervisor: Supervisor) -> None:
    (process,) = supervisor.processes
    process.kill()
    process.join()
    supervisor.keep_subprocess_alive()
    assert supervisor.processes != [process]

    assert silent_then_dead(supervisor) < PATIENCE / 2
