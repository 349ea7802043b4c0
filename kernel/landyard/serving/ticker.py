"""The ticker: a background thread that repeats some work at a jittered interval."""

import random
import threading
from collections.abc import Callable

import structlog

from landyard.logs import fit

log = structlog.get_logger()
_RANDOM = random.SystemRandom()  # the shared one may be seeded by others, as tests do


class Ticker:
    """Does `work` every `pause` seconds, give or take a half, until it is stopped.

    An error of `work` is logged, and the next turn does the work again. So the ticker goes on when
    the database is back.
    """

    def __init__(self, name: str, pause: float, work: Callable[[], object]) -> None:
        self._name = name
        self._pause = pause
        self._work = work
        self.stopped = threading.Event()
        # A daemon: work that hangs must not keep a stopped service alive.
        self._thread = threading.Thread(target=self._tick, name=f"landyard-{name}", daemon=True)
        self.start = self._thread.start

    def stop(self, grace: float) -> None:
        """Begin nothing more, and let the work under way finish for at most `grace` seconds."""
        self.stopped.set()
        if self._thread.is_alive():
            self._thread.join(grace)

    def _tick(self) -> None:
        failed = ""
        # Never all at once, when many processes were started together.
        while not self.stopped.wait(self._pause * _RANDOM.uniform(0.5, 1.5)):
            try:
                self._work()
                failed = ""
            except Exception as error:  # noqa: BLE001 - see above
                if failed != type(error).__name__:  # said once, however long it goes on
                    failed = type(error).__name__
                    reason = fit(str(error.__cause__ or error))
                    log.warning("ticker_failed", ticker=self._name, error=failed, reason=reason)
