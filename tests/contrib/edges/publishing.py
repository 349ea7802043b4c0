"""Publishes pages of a served Landyard, and looks through an edge for outdated ones."""

import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from contract.worlds import MANIFEST, SITE, block, page, webhook_of, world
from faulty.load import Caller
from kernel.processes import Server
from kernel.supervised import runs
from msgspec import Struct

PAGES = 20
FIRST = 10
BOUND = 1.0  # seconds after a publication, in which an edge may send the page before
_SHOWN = re.compile(rb"Turn (\d+)<")


def block_of(page_id: int) -> int:
    return page_id * 100


WORLD = world(
    *(
        page(
            each,
            block(block_of(each), published_id=block_of(each) + 1),
            active=True,
            published=True,
        )
        for each in range(FIRST, FIRST + PAGES)
    ),
    manifests=[MANIFEST],
    webhooks=[{"user": 1, "code": webhook_of(1), "scopes": ["landing"]}],
)


def path_of(page_id: int) -> str:
    return f"/site-{SITE}/page-{page_id}/"


class Outdated(Struct, frozen=True):
    """A page that was sent too late: by seconds after its publication."""

    page_id: int
    shown: int
    published: int
    seconds: float


class Publisher:
    """Publishes one page after the other, and knows what each has to show."""

    def __init__(self, port: int) -> None:
        self._caller = Caller(port)
        self.turn = 0
        self.published: dict[int, list[tuple[float, int]]] = {}  # by page: when, and the turn

    def publish(self, page_id: int) -> None:
        """Publish a page with the next turn in it; a broken call is repeated."""
        self.turn += 1
        edit = {"lid": page_id, "block": block_of(page_id), "data": {".title": f"Turn {self.turn}"}}
        self.call("landing.block.updatenodes", edit)
        self.call("landing.landing.publication", {"lid": page_id})
        self.published.setdefault(page_id, []).append((time.monotonic(), self.turn))

    def due(self, page_id: int, before: float) -> tuple[float, int]:
        """Return the last publication of a page up to a moment."""
        done = [each for each in self.published.get(page_id, ()) if each[0] <= before]
        return done[-1] if done else (before, 0)

    def close(self) -> None:
        self._caller.close()

    def call(self, method: str, params: Any) -> Any:
        """Call a method, again if the connection breaks, and return its result."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            answer = self._caller.ask(f"/rest/1/{webhook_of(1)}/{method}.json", params)
            if answer.status == 200:
                return answer.told["result"]
            time.sleep(0.02)  # its worker was killed
        raise AssertionError(answer)


def shown(caller: Caller, page_id: int) -> int | None:
    """Return the turn that a page shows; 0 before the first, None for no page."""
    answer = caller.ask(path_of(page_id), verb="GET")
    if answer.status != 200:
        return None
    found = _SHOWN.search(answer.body)
    return int(found[1]) if found else 0


class Visitor:
    """Reads pages through an edge all the time, and records those that are outdated."""

    def __init__(self, port: int, publisher: Publisher) -> None:
        self._caller = Caller(port)
        self._publisher = publisher
        self.read = self.missing = 0
        self.outdated: list[Outdated] = []
        self.longest = 0.0  # seconds after its publication, until which a page was outdated

    def look(self, page_id: int) -> None:
        asked = time.monotonic()
        turn = shown(self._caller, page_id)
        self.read += 1
        if turn is None:
            self.missing += 1
            return
        late = [
            asked - at
            for at, published in self._publisher.published.get(page_id, ())
            if published > turn and at < asked
        ]
        if late:
            self.longest = max(self.longest, *late)
        at, due = self._publisher.due(page_id, asked - BOUND)
        if turn < due:
            self.outdated.append(Outdated(page_id, turn, due, asked - at))

    @contextmanager
    def visiting(self, pause: float = 0.01) -> Iterator[None]:
        """Read pages at random for the length of the block."""
        over = threading.Event()
        chance = random.Random(5)

        def work() -> None:
            while not over.wait(pause):
                self.look(FIRST + chance.randrange(PAGES))

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self._caller.close()


def workers(server: Server) -> list[int]:
    """List the processes of a service's workers that are ready.

    One that is killed while it starts makes the supervisor suspect a plugin.
    """
    ready = (int(each) for each in re.findall(r"worker_ready +pid=(\d+)", server.err))
    return [each for each in ready if runs(each)]
