"""Memory: how much of it the calls of each plugin leave behind in this process."""

import heapq
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping

MOST_MEGABYTES = 256

_MEGABYTE = 1024 * 1024
_WORTH_WEIGHING = 8 * _MEGABYTE
_WHILE = 10.0  # seconds that every call is weighed after the process has grown
SLOW = 0.001  # seconds: who takes much memory needs longer, so these calls are weighed always
_NOISE = _MEGABYTE // 4
_PAGE = os.sysconf("SC_PAGE_SIZE")
_HUGE_PAGE = 2 * _MEGABYTE


def resident() -> int | None:
    """Return the process's resident memory in bytes, None where the system does not tell."""
    try:
        return int(_read("/proc/self/statm").split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return None


def page_faults(threads: Iterable[int]) -> dict[int, int]:
    """Return how many pages each of `threads` has touched first, so far; they go by `ident`."""
    wanted = frozenset(threads)
    found: dict[int, int] = {}
    for thread in threading.enumerate():
        if thread.ident in wanted:
            try:
                told = _read(f"/proc/self/task/{thread.native_id}/stat").rpartition(b")")[2]
                found[thread.ident] = int(told.split(None, 8)[7])
            except (OSError, IndexError, ValueError):
                continue
    return found


class Memory:
    """What has been charged to each plugin, in bytes.

    Calls are weighed when they end, if they were slow or the process is growing. What it has grown
    by is charged to the calls under way, to each by the pages that its thread has touched; what it
    shrinks by is taken off again. So all that is charged is never more than it has grown.
    """

    def __init__(
        self,
        measure: Callable[[], int | None] = resident,
        touched: Callable[[Iterable[int]], dict[int, int]] = page_faults,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin with the process as it is."""
        self._measure = measure
        self._touched = touched
        self._clock = clock
        self._lock = threading.Lock()
        self.weighing = False
        self._until = 0.0
        self._last = self._explained = measure() or 0
        self._calls: dict[int, Weighed] = {}  # by the thread's `ident`
        self._pages: dict[int, int] = {}
        self._charges: list[tuple[float, str]] = []  # a heap, the largest first: negative bytes
        self._charged: dict[str, float] = {}
        self._too_large: dict[str, float] = {}

    def begin(self, thread: int, plugin: str) -> "Weighed":
        """Note that a call of `plugin` begins in this thread, of that `ident`; `end` it."""
        call = self._calls.get(thread)
        if call is None:
            call = self._calls[thread] = Weighed()
            self._pages.update(self._touched([thread]))
        call.took = 0.0
        call.plugin = plugin
        return call

    def end(self, call: "Weighed", seconds: float) -> None:
        """Weigh a call that ends after `seconds`, if that is worth it."""
        if self.weighing or seconds > SLOW:
            with self._lock:
                self._weigh()
            if call.took > MOST_MEGABYTES * _MEGABYTE:
                self._too_large[call.plugin] = call.took
        call.plugin = ""

    def look(self) -> None:
        """Decide, about once a second, whether every call is weighed."""
        with self._lock:
            self._weigh()
            # So that what a thread touched long ago is not taken for its next call's.
            self._pages = self._touched([threading.main_thread().ident or 0, *self._pages])
            for thread, call in list(self._calls.items()):
                if not call.plugin and thread not in self._pages:  # it has ended, most likely
                    del self._calls[thread]
            self.weighing = self._clock() < self._until

    def grown(self, plugin: str) -> float:
        """Return how many MiB the calls of `plugin` have left."""
        with self._lock:
            return self._charged.get(plugin, 0.0) / _MEGABYTE

    def over(self) -> list[tuple[str, str]]:
        """Return who has left too much, or has taken as much in one call, with a reason to tell.

        Of those who left it only the first is named, and after that everybody begins anew: what is
        left is there to stay, and some of what others were charged with was its doing.
        """
        with self._lock:
            self._weigh()
            named = {
                plugin: f"one of its calls took {int(took / _MEGABYTE)} MiB of memory"
                for plugin, took in self._too_large.items()
            }
            self._too_large = {}
            # What one call took is still to be let go.
            left = {name: bytes_ for name, bytes_ in self._charged.items() if name not in named}
            first = max(left, key=lambda each: left[each], default="")
            grown = int(left.get(first, 0.0) / _MEGABYTE)
            if grown > MOST_MEGABYTES:
                named[first] = f"its calls have left {grown} MiB in memory"
                self._charges, self._charged = [], {}
        return list(named.items())

    def _weigh(self) -> None:
        """Charge what the process has grown by since this was asked last."""
        now = self._measure()
        if now is None or abs(now - self._last) < _NOISE:
            return
        more, self._last = now - self._last, now
        if more < 0:
            self._take_off(-more)
        else:
            self._charge(more)
        self._explained = min(self._explained, now)
        if now > self._explained + _WORTH_WEIGHING:
            self._explained, self.weighing = now, True
            self._until = self._clock() + _WHILE

    def _charge(self, more: float) -> None:
        under_way = {thread: call for thread, call in list(self._calls.items()) if call.plugin}
        main = threading.main_thread().ident or 0  # it reads and sends, and is charged to nobody
        # Those between two calls too, who encode or send: what they take is charged to nobody else.
        touched = self._touched({main, *self._calls})
        pages = {thread: max(0, n - self._pages.get(thread, n)) for thread, n in touched.items()}
        self._pages.update(touched)
        for thread, share in _shares(more, pages, under_way).items():
            call = under_way[thread]
            call.took += share
            heapq.heappush(self._charges, (-share, call.plugin))
            self._charged[call.plugin] = self._charged.get(call.plugin, 0.0) + share

    def _take_off(self, less: float) -> None:
        # What is let go at once was taken at once, most likely: the largest first.
        while less > 0 and self._charges:
            charge, plugin = heapq.heappop(self._charges)
            freed = min(less, -charge)
            less -= freed
            self._charged[plugin] -= freed
            if charge + freed < 0:
                heapq.heappush(self._charges, (charge + freed, plugin))


class Weighed:
    """The call of a thread: whose it is, nobody's between two, and how many bytes it `took`."""

    __slots__ = ("plugin", "took")

    def __init__(self) -> None:
        self.plugin = ""
        self.took = 0.0


def _shares(
    more: float, pages: Mapping[int, int], under_way: Mapping[int, object]
) -> dict[int, float]:
    """Divide `more` bytes among the threads of calls, by the pages each thread has touched.

    A page may be a huge one, and no more: what is left over somebody unknown has touched. Where the
    system counts no pages all have the same share.
    """
    total = sum(pages.values())
    if not total:
        return {thread: more / len(under_way) for thread in under_way}
    page = min(more / total, _HUGE_PAGE)
    return {thread: pages[thread] * page for thread in under_way if pages.get(thread)}


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)  # half of what `open` costs
    try:
        return os.read(file, 1024)
    finally:
        os.close(file)
