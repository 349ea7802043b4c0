"""Counts which methods were called while a worker's memory grew: a hint, no proof."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field


class Growth(Struct):
    """How many bytes a process grew by, by method, in looks with a call of it; and those looks."""

    last: int
    grown: Counter[str] = field(default_factory=Counter)
    looks: Counter[str] = field(default_factory=Counter)

    def measure(self, resident: int, called: Iterable[str]) -> None:
        """Note what the process has grown by since the last look, for each method of calls."""
        for method in {*called}:
            self.grown[method] += max(0, resident - self.last)
            self.looks[method] += 1
        self.last = resident

    def most(self) -> list[str]:
        """Name the methods with the most growth on average: `page.render: 12 MiB`."""
        mean = Counter({each: self.grown[each] // self.looks[each] for each in self.looks})
        return [f"{method}: {grown >> 20} MiB" for method, grown in mean.most_common(5)]
