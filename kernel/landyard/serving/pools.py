"""Three thread pools, each with its load: for calls that read, that write, and slow ones."""

from landyard.serving.scoreboard import Scoreboard
from landyard.serving.thread_pool import Load, Overrun, ThreadPool


class Pools:
    """Three thread pools.

    Where calls that write wait for the database, nobody who reads waits with them. Slow methods
    wait for the world outside; while some wait for a download, others take a picture in.
    """

    def __init__(
        self, threads: int, writers: int, scoreboard: Scoreboard, on_overrun: Overrun
    ) -> None:
        self.reading = ThreadPool(threads, scoreboard, on_overrun)
        self.writing = ThreadPool(writers, scoreboard, on_overrun)
        self.slow = ThreadPool(2 * threads, scoreboard, on_overrun, patient=True)
        self.writing.nice = self.slow.nice = 5  # the event loop and those that read go first
        self._all = {"reading": self.reading, "writing": self.writing, "slow": self.slow}

    def load(self) -> dict[str, Load]:
        """Say how busy each pool is: `reading`, `writing` and `slow`."""
        return {name: pool.load() for name, pool in self._all.items()}

    def over_limit(self) -> tuple[float, str]:
        """Say since when work is over its limit and still runs, and its label; or 0.0 and ""."""
        found = (pool.over_limit() for pool in self._all.values())
        return min(filter(None, found), default=(0.0, ""))

    def close(self, grace: float) -> None:
        """Let the work under way finish, for at most `grace` seconds in each pool."""
        for pool in self._all.values():
            pool.close(grace)
