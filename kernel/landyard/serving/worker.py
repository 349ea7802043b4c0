"""A worker process: one kernel behind one server, which its supervisor watches and stops."""

import asyncio
import errno
import functools
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
import uvicorn

from landyard.serving.cores import claim_core
from landyard.serving.growth import Growth
from landyard.serving.processes import Health, Link, Message, leave
from landyard.serving.scoreboard import Scoreboard
from landyard.serving.served_kernel import ServedKernel
from landyard.serving.ticker import Ticker

log = structlog.get_logger()

_WATCHED_EVERY = 0.25  # seconds
_MUCH_MORE = 1.25  # times the memory that a worker has when it is ready
_MEGABYTE = 1 << 20
_NO_ROOM = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_PAUSE = 1.0  # seconds without new connections, where there is no room for more
_CONNECTING = 0.1  # seconds that a connection may take, where TLS is to be spoken


class CannotStart(Exception):
    """A worker cannot start, and no plugin is to blame; the text is for the operator."""


Build = Callable[[Scoreboard, Callable[[str], None]], tuple[ServedKernel, uvicorn.Config]]
"""Makes the kernel and its server; tells of each plugin before it is loaded. See `CannotStart`."""


def run(
    link: Link, scoreboard: Scoreboard, build: Build, listener: socket.socket, megabytes: int
) -> None:
    """Serve on `listener` until the supervisor says stop; ends this process."""
    worker = Worker(link, megabytes)
    threading.Thread(target=worker.listen, name="landyard-link", daemon=True).start()
    log.info("worker_started", pid=os.getpid(), core=worker.core)
    try:
        worker.kernel, config = build(scoreboard, functools.partial(link.send, "loading"))
    except Exception as error:
        if not isinstance(error, CannotStart):
            log.exception("worker_crashed", pid=os.getpid())
        link.send("failed", str(error) or type(error).__name__)
        leave(1)
    worker.server = Server(config, worker.turned)
    # uvicorn raises the signal that has stopped it once more, when all is done.
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    worker.server.run([listener])
    leave(0)


class Server(uvicorn.Server):
    """uvicorn's server; while it accepts calls its loop calls `turned` ten times a second.

    The server accepts one connection at a time. libuv would accept all waiting connections, and
    leave none for the other workers.
    """

    def __init__(self, config: uvicorn.Config, turned: Callable[[], object]) -> None:
        super().__init__(config)
        self._turned = turned
        self._connecting: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        for listener in sockets or []:
            listener.setblocking(False)
            self._listen(listener)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or []:
            asyncio.get_running_loop().remove_reader(listener)
        if self._connecting:  # uvicorn asks those that are connected to end
            await asyncio.wait(self._connecting, timeout=_CONNECTING)
        await super().shutdown(sockets)

    def _listen(self, listener: socket.socket) -> None:
        if not self.should_exit:
            asyncio.get_running_loop().add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, _ = listener.accept()
        except OSError as error:  # another worker was faster, or the connection has failed
            if error.errno in _NO_ROOM:
                log.warning("connection_not_accepted", error=str(error))
                loop.remove_reader(listener)
                loop.call_later(_PAUSE, self._listen, listener)
            return
        connection.setblocking(False)
        task = loop.create_task(self._connect(connection))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)

    async def _connect(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        protocol: Any = self.config.http_protocol_class
        state = {"server_state": self.server_state, "app_state": self.lifespan.state}
        made = functools.partial(protocol, config=self.config, **state)
        with suppress(OSError):  # it is gone, or does not speak TLS
            await loop.connect_accepted_socket(made, connection, ssl=self.config.ssl)

    async def on_tick(self, counter: int) -> bool:
        self._turned()
        return await super().on_tick(counter)


class Worker:
    """Obeys the supervisor beside the calls, and reports the health of this process."""

    kernel: ServedKernel
    server: Server
    _growth: Growth

    def __init__(self, link: Link, megabytes: int) -> None:
        """Prepare; the kernel and the server follow, before the supervisor says anything."""
        self.core = claim_core()
        self._link = link
        self._most = megabytes * _MEGABYTE
        self._turned_at = 0.0

    def listen(self) -> None:
        """Do what the supervisor says; where the supervisor is gone, end this process."""
        while (messages := self._link.receive()) is not None:
            for message in messages:
                self._obey(message)
        log.error("supervisor_gone", pid=os.getpid())
        leave(1)

    def turned(self) -> None:
        """Note that the event loop turns: from the first time on calls are accepted."""
        first = not self._turned_at
        self._turned_at = time.monotonic()
        if first:
            self._ready()

    def _ready(self) -> None:
        memory = resident_memory()
        self._growth = Growth(memory)
        if self._most:  # one that needs nearly as much from the start would be replaced for ever
            self._most = max(self._most, int(_MUCH_MORE * memory))
        self._link.send("ready")
        Ticker("health", _WATCHED_EVERY, self._look).start()

    def _look(self) -> None:
        if self.core is None:
            self.core = claim_core()  # that of a worker that this one has replaced
        memory = resident_memory()
        called = [
            *self.kernel.usage.called,
            *(label for label, _ in self.kernel.process.scoreboard.calls()),
        ]
        self.kernel.usage.called.clear()  # one that is counted meanwhile may be lost
        self._growth.measure(memory, called)
        if self._most and memory > self._most:
            self._most = 0  # it asks once
            megabytes, growing = memory // _MEGABYTE, self._growth.most()
            log.warning("memory_exceeded", pid=os.getpid(), megabytes=megabytes, growing=growing)
            self._link.send("replace", "memory")
        late, method = self.kernel.process.pools.over_limit()
        health = Health(self._turned_at, late, method, self.kernel.store.write_lock)
        self._link.send("health", detail=health)

    def _obey(self, message: Message) -> None:
        match message:
            case Message("suspect", method, caller):
                tell = functools.partial(self._link.send, "finished", detail=caller)
                self.kernel.breaker.suspect(method, tell, caller or "")
            case Message("refuse", method, (caller, seconds)):
                self.kernel.breaker.refuse_caller(method, caller, seconds)
            case Message("open", method, deaths):
                self.kernel.open_breaker(method, deaths)
            case Message("stop", reason, grace):
                log.info("worker_stopping", pid=os.getpid(), reason=reason)
                self.server.config.timeout_graceful_shutdown = max(1, int(grace))
                self.server.should_exit = True
                self.kernel.process.stopping = True
                self.kernel.store.group_commit.stop_waiting()


def resident_memory() -> int:
    """Return how many bytes of memory this process has in use; 0 where that is not to be had."""
    with suppress(OSError), open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - it is quick
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
