"""Memory growth: which methods were called while a worker's memory grew; a hint, no proof."""

from collections import Counter
from collections.abc import Iterable


class Growth:
    """Compares, by method, how much the process grew from one look to the next."""

    def __init__(self, called: Counter[str], resident: int) -> None:
        """Read from `called`, and empty it; a call that is counted meanwhile may be lost."""
        self._called = called
        self._last = resident
        self._grown: Counter[str] = Counter()  # bytes between two looks with a call of the method
        self._looks: Counter[str] = Counter()  # how often there was such a call

    def measure(self, resident: int, running: Iterable[str]) -> None:
        """Note what the process has grown by since the last look.

        It counts for each method that was answered since then, or that is `running`.
        """
        called = {*self._called, *running}
        self._called.clear()
        for method in called:
            self._grown[method] += max(0, resident - self._last)
            self._looks[method] += 1
        self._last = resident

    def most(self) -> list[str]:
        """Name the methods with the most growth on average: `page.render: 12 MiB`."""
        mean = Counter({each: self._grown[each] // self._looks[each] for each in self._looks})
        return [f"{method}: {grown >> 20} MiB" for method, grown in mean.most_common(5)]
