"""Counts visits in memory, leaves out bots, and stores the counts every ten seconds."""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

import structlog
from sqlalchemy.exc import SQLAlchemyError

from landyard import CallError, Host, hookimpl
from landyard_visits.storing import store_counts

EVERY = 10.0  # seconds; a killed process loses the counts of this time
MOST = 10_000  # pairs of page and day waiting to be stored

log = structlog.get_logger()

_BOT = re.compile(
    r"bot|crawl|spider|slurp|preview|scan|monitor|headless|lighthouse|curl|wget|python|java/|okhttp"
    r"|http-?client|axios|facebookexternalhit|embed",
    re.IGNORECASE,
)


def is_visit(headers: Mapping[str, str]) -> bool:
    """Tell whether a request for the image is a visit: by a person who agrees to be counted.

    No visit are requests with a do-not-track header, prefetches, requests from another site's page,
    and programs that name themselves in `User-Agent`.
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
    """The visits that this process has counted but not stored yet."""

    def __init__(self, host: Host) -> None:
        """Start no thread yet: only a serving process counts visits."""
        self._host = host
        self._waiting: Counter[tuple[int, date]] = Counter()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="landyard-visits", daemon=True)

    @hookimpl
    def register_routes(self) -> Iterable[object]:
        """Return the image's route, and start the thread: only a serving process asks for it."""
        from landyard_visits.web import picture

        if self._thread.ident is None:
            self._thread.start()
        return [picture(self)]

    def count(self, page_id: int) -> None:
        """Count a visit of today; it is ignored if `MOST` counts are waiting."""
        key = page_id, self._host.now().date()
        with self._lock:
            if key in self._waiting or len(self._waiting) < MOST:
                self._waiting[key] += 1

    def store_waiting(self) -> None:
        """Store the waiting counts; they are kept for the next try if the database fails."""
        with self._lock:
            counts, self._waiting = self._waiting, Counter()
        if not counts:
            return
        try:
            store_counts(self._host, counts)
        except (CallError, SQLAlchemyError) as error:  # tried again at the next turn
            log.warning("visits_not_written", error=str(error))
            with self._lock:
                self._waiting.update(dict(counts.most_common(MOST)))

    def close(self) -> None:
        """Stop the thread, and store the remaining counts."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(EVERY)
        self.store_waiting()

    def _work(self) -> None:
        while not self._stopped.wait(EVERY):
            self.store_waiting()
