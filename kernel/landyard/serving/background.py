"""Runs plugins' work in the background, such as hooks after a call, in a thread for each plugin."""

import functools
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context

import structlog

log = structlog.get_logger()

MOST = 4096  # most waiting actions of a plugin
LATE = 2.0  # seconds before a hanging action closes the queue of its plugin
PAUSE = 0.05  # seconds between two rounds of the thread: a new action does not wake the thread


class Background:
    """A queue and a thread for each plugin: one that is slow or hangs delays itself alone."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._starting = threading.Lock()

    def later(self, plugin: str, action: Callable[[], object]) -> None:
        """Do `action` behind those of this plugin that wait already.

        Where the plugin cannot keep up it is dropped, and counted in the log.
        """
        queue = self._queues.get(plugin)
        if queue is None:
            with self._starting:
                try:
                    queue = self._queues.get(plugin) or _Queue(plugin)
                except RuntimeError:  # there is no memory for a thread; the call is answered
                    log.error("background_behind", plugin=plugin)  # noqa: TRY400
                    return
                self._queues[plugin] = queue
        # The action runs in the context of the call: its log hides the same secrets.
        queue.add(functools.partial(copy_context().run, action))

    def close(self, grace: float) -> None:
        """Finish what waits, for at most `grace` seconds in all."""
        deadline = time.monotonic() + grace
        queues = list(self._queues.values())
        for queue in queues:
            queue.stopped.set()
        for queue in queues:
            queue.thread.join(max(0.0, deadline - time.monotonic()))


class _Queue:
    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._actions: deque[Callable[[], object]] = deque()
        self._began = 0.0  # when the action that is under way was begun
        self._lost = 0
        self.stopped = threading.Event()
        # A daemon: one that hangs must not keep a stopped service alive.
        name = f"landyard-background-{plugin}"
        self.thread = threading.Thread(target=self._work, name=name, daemon=True)
        self.thread.start()

    def add(self, action: Callable[[], object]) -> None:
        # Queued actions hold their request in memory: none is queued behind one that hangs.
        began = self._began
        if len(self._actions) >= MOST or (began and time.monotonic() - began > LATE):
            self._lost += 1
            if self._lost == 1:
                log.error("background_behind", plugin=self._plugin)
            return
        self._actions.append(action)

    def _work(self) -> None:
        while not self.stopped.wait(PAUSE):
            self._drain()
        self._drain()

    def _drain(self) -> None:
        while self._actions:
            action = self._actions.popleft()
            self._began = time.monotonic()
            try:
                action()
            except BaseException:
                log.exception("action_failed", plugin=self._plugin)
            self._began = 0.0
            del action  # a thread that waits must not keep a call alive
        if self._lost:
            log.warning("actions_lost", plugin=self._plugin, count=self._lost)
            self._lost = 0
