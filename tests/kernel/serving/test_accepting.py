"""A worker accepts one connection at a time, so that simultaneous ones are shared between
workers.
"""

import asyncio
import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
import structlog
import uvicorn

from landyard.serving import worker
from landyard.serving.worker import Server

CLIENTS = 6


class Listener(socket.socket):
    """A listening socket of a process that may have run out of descriptors."""

    fails = 0  # the number of the error

    def accept(self) -> tuple[socket.socket, Any]:
        if self.fails:
            raise OSError(self.fails, os.strerror(self.fails))
        return super().accept()


async def application(_scope: Any, _receive: Any, _send: Any) -> None:
    """Answer nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(CLIENTS)
        yield listening


def server() -> Server:
    config = uvicorn.Config(application, lifespan="off", log_config=None)
    config.load()
    made = Server(config, lambda: None)
    made.lifespan = config.lifespan_class(config)
    return made


def connect(stack: ExitStack, listening: Listener) -> None:
    for _ in range(CLIENTS):
        stack.enter_context(closing(socket.create_connection(listening.getsockname())))


async def all_taken(*servers: Server) -> list[int]:
    for _ in range(10_000):
        counts = [len(each.server_state.connections) for each in servers]
        if sum(counts) == CLIENTS:
            break
        await asyncio.sleep(0.001)
    return counts


def accepted_behind(listener: Listener, fails: float, within: float) -> Any:
    """Make accepting fail for some seconds; then all clients must be accepted in time. Return the
    log.
    """

    async def run() -> list[int]:
        one = server()
        await one.startup([listener])
        await asyncio.sleep(fails)
        listener.fails = 0
        counts = await asyncio.wait_for(all_taken(one), within)
        one.should_exit = True
        await one.shutdown([listener])
        return counts

    with ExitStack() as stack, structlog.testing.capture_logs() as logged:
        connect(stack, listener)
        assert asyncio.run(run()) == [CLIENTS]
    return logged


def test_simultaneous_connections_are_shared(listener: Listener) -> None:
    async def run() -> list[int]:
        one, two = server(), server()
        with closing(socket.socket(fileno=os.dup(listener.fileno()))) as same:
            await one.startup([listener])
            await two.startup([same])
            counts = await all_taken(one, two)
            for each in (one, two):
                await each.shutdown()
        return counts

    with ExitStack() as stack:
        connect(stack, listener)
        assert asyncio.run(run()) == [CLIENTS / 2, CLIENTS / 2]


def test_without_a_descriptor_the_worker_waits_for_one(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_PAUSE", 0.05)
    listener.fails = errno.EMFILE

    logged = accepted_behind(listener, 0.12, 10)

    told = [each for each in logged if each["event"] == "connection_not_accepted"]
    assert 1 <= len(told) <= 3
    assert "Too many open files" in told[0]["error"]


def test_a_stopping_worker_accepts_no_connection(listener: Listener) -> None:
    async def run() -> int:
        one = server()
        await one.startup([listener])
        one.should_exit = True
        with ExitStack() as stack:
            same = stack.enter_context(closing(socket.socket(fileno=os.dup(listener.fileno()))))
            await one.shutdown([listener])
            stack.enter_context(closing(socket.create_connection(same.getsockname())))
            await asyncio.sleep(0.05)
        return len(one.server_state.connections)

    assert asyncio.run(run()) == 0


def test_a_connection_that_fails_keeps_no_other_waiting(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_PAUSE", 60)
    listener.fails = errno.ENETUNREACH

    assert accepted_behind(listener, 0.01, 30) == []


def test_a_connection_accepted_just_before_the_stop_is_closed(listener: Listener) -> None:
    async def run() -> float:
        one = server()
        one.config.timeout_graceful_shutdown = 60
        await one.startup([listener])
        for _ in range(CLIENTS):
            one._accept(listener)
        one.should_exit = True
        began = time.monotonic()
        await one.shutdown([listener])
        return time.monotonic() - began

    with ExitStack() as stack:
        connect(stack, listener)
        assert asyncio.run(run()) < 30
