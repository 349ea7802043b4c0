"""Behind the answer: what plugins do about calls that are answered, where nobody waits for it."""

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

import structlog

log = structlog.get_logger()

MOST_BEHIND = 256
LATE = 2.0  # seconds behind the answer
SLOW = 0.1  # seconds: what takes less is not why it is late

Waiting = tuple[float, Callable[[], object]]


class Behind:
    """A queue and a thread for each plugin: one that is slow or hangs delays itself alone."""

    def __init__(self, lost: Callable[[str], None]) -> None:
        """Start no thread yet; `lost` is told who cannot keep up: its queue is full, it is late."""
        self._lost = lost
        self._queues: dict[str, SimpleQueue[Waiting | None]] = {}
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._since: dict[str, float] = {}  # when the action under way of a plugin began

    def do(self, plugin: str, action: Callable[[], object]) -> None:
        """Do `action` behind those of this plugin that wait already; raises nothing."""
        queue = self._queues.get(plugin) or self._start(plugin)
        now = time.monotonic()
        # What waits keeps its call alive, with all that was sent: behind one that hangs none does.
        if queue.qsize() < MOST_BEHIND and now - self._since.get(plugin, now) < LATE:
            queue.put((now, action))
        else:
            self._lost(plugin)

    def close(self, grace: float) -> None:
        """Finish what waits, for at most `grace` seconds in all."""
        deadline = time.monotonic() + grace
        for queue in list(self._queues.values()):
            queue.put(None)
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    def _start(self, plugin: str) -> "SimpleQueue[Waiting | None]":
        with self._starting:
            queue = self._queues.get(plugin)
            if queue is None:
                queue = SimpleQueue()
                # A daemon: one that hangs must not keep a stopped service alive.
                name = f"landyard-behind-{plugin}"
                given = (plugin, queue)
                thread = threading.Thread(target=self._work, args=given, name=name, daemon=True)
                thread.start()
                self._threads.append(thread)
                self._queues[plugin] = queue
            return queue

    def _work(self, plugin: str, queue: "SimpleQueue[Waiting | None]") -> None:
        while (waiting := queue.get()) is not None:
            since, action = waiting
            began = self._since[plugin] = time.monotonic()
            try:
                action()
            except BaseException:
                log.exception("action_failed")
            finally:
                del self._since[plugin]
            if began - since > LATE and time.monotonic() - began > SLOW:
                self._lost(plugin)
            del waiting, action  # a thread that waits must not keep a call alive
