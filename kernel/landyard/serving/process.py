"""The process that a kernel runs in: its thread pools, its scoreboard, and whether it serves."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from landyard.serving.pools import Pools
from landyard.serving.scoreboard import Scoreboard


class Process:
    """The process that a kernel runs in.

    `serving` is whether a server has begun to answer in it, `stopping` whether the server ends.
    `pools` are its threads for calls. `refused` are the code and status of requests that were
    refused before they were calls; the reader takes them out.
    """

    def __init__(self, scoreboard: Scoreboard, pools: Pools) -> None:
        """Start as one that does not serve."""
        self.serving = False
        self.stopping = False
        self.scoreboard = scoreboard
        self.pools = pools
        self.refused: deque[tuple[str, int]] = deque(maxlen=10_000)

    @contextmanager
    def showing(self, label: str) -> Iterator[None]:
        """Show the supervisor what this thread does, such as `job landing.trash`."""
        slot = self.scoreboard.take_slot()
        self.scoreboard.begin(slot, label, "")
        try:
            yield
        finally:
            self.scoreboard.give_back(slot)
