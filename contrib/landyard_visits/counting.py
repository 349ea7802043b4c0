"""Counts visits in memory, and writes them down every few seconds."""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

import structlog
from sqlalchemy.exc import SQLAlchemyError

from landyard import CallError, Host, hookimpl
from landyard_visits.storing import store_counts

EVERY = 10.0  # seconds; so much is lost where a process is killed
MOST = 10_000  # pages and days that are waiting to be written down

log = structlog.get_logger()

_BOT = re.compile(
    r"bot|crawl|spider|slurp|preview|scan|monitor|headless|lighthouse|curl|wget|python|java/|okhttp"
    r"|http-?client|axios|facebookexternalhit|embed",
    re.IGNORECASE,
)


def is_visit(headers: Mapping[str, str]) -> bool:
    """Tell whether who asks for the picture is a person who sees the page, and may be counted.

    Not one whose browser says that they are not to be tracked, that it fetches a page beforehand,
    or that another page than ours asks; and no program that says what it is.
    """
    if headers.get("dnt") == "1" or headers.get("sec-gpc") == "1":
        return False
    fetched = " ".join(headers.get(name, "") for name in ("sec-purpose", "purpose", "x-moz"))
    if "prefetch" in fetched.lower() or "preview" in fetched.lower():
        return False
    if headers.get("sec-fetch-dest", "image") != "image":
        return False
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    agent = headers.get("user-agent", "")
    return bool(agent) and not _BOT.search(agent)


class Visits:
    """The visits that a process has counted and not written down yet."""

    def __init__(self, host: Host) -> None:
        """Count nothing yet; processes that do not serve have nothing to count."""
        self._host = host
        self._waiting: Counter[tuple[int, date]] = Counter()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="landyard-visits", daemon=True)

    @hookimpl
    def register_routes(self) -> Iterable[object]:
        """Bring the picture; whoever asks for it serves."""
        from landyard_visits.web import picture

        if self._thread.ident is None:
            self._thread.start()
        return [picture(self)]

    def count(self, page_id: int) -> None:
        """Count a visit of today; where too much is waiting, it is passed over."""
        key = page_id, self._host.now().date()
        with self._lock:
            if key in self._waiting or len(self._waiting) < MOST:
                self._waiting[key] += 1

    def write_down(self) -> None:
        """Write down what is waiting; it waits on where the database is away."""
        with self._lock:
            counts, self._waiting = self._waiting, Counter()
        if not counts:
            return
        try:
            store_counts(self._host, counts)
        except (CallError, SQLAlchemyError) as error:  # the next turn may do better
            log.warning("visits_not_written", error=str(error))
            with self._lock:
                self._waiting.update(dict(counts.most_common(MOST)))

    def close(self) -> None:
        """Write down the rest."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(EVERY)
        self.write_down()

    def _work(self) -> None:
        while not self._stopped.wait(EVERY):
            self.write_down()
