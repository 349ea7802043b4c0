"""Clients that go about their business, check every answer, and note how long it took."""

import http.client
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from contract.worlds import MANIFEST, SITE, block, page, webhook_of, world
from kernel.processes import PATIENCE, Server
from msgspec import Struct

CLIENTS = 4
PAGE = 10
DRAFT, PUBLISHED = 100, 200  # the first client's block; the next has the next
FAULTY = "webhook-of-the-faulty-ones"
PAGE_PATH = f"/site-{SITE}/page-{PAGE}/"
BLOCKS = {
    f"landing.block.{name}" for name in ("getlist", "removecard", "updateattrs", "updatenodes")
}

WORLD = world(
    page(
        PAGE,
        *(block(DRAFT + each, published_id=PUBLISHED + each) for each in range(CLIENTS)),
        active=True,
        published=True,
    ),
    manifests=[MANIFEST],
    webhooks=[
        {"user": 1, "code": webhook_of(1), "scopes": ["landing"]},
        {"user": 1, "code": FAULTY, "scopes": ["faulty"]},
    ],
)


class Answered(Struct, frozen=True):
    """An answer: of which step, its status and body, after how many seconds."""

    step: str
    status: int
    body: bytes
    seconds: float

    @property
    def told(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def error(self) -> str:
        """The error's code; empty for an answer without."""
        return str(self.told.get("error", "")) if self.body.startswith(b"{") else ""


class Client:
    """Lists the methods, edits a block of its own, reads it back, and looks at the page.

    Every call may be made twice with the same outcome: one whose connection broke is made again
    on a new one, and counted in `broken`. An answer that is not right is kept in `wrong`, one with
    an error's code among `codes` is right.
    """

    def __init__(self, server: Server, number: int, pause: float, codes: tuple[str, ...]) -> None:
        self._server = server
        self._number = number
        self._pause = pause
        self._codes = codes
        self._connection = self._connect()
        self.took: dict[str, list[float]] = {}
        self.broken = 0
        self.refused = 0
        self.wrong: list[Any] = []

    def work(self, over: threading.Event) -> None:
        """Go round until it is over; what goes wrong is kept."""
        turn = 0
        try:
            while not over.is_set():
                turn += 1
                self._round(turn, over)
        except Exception as error:
            self.wrong.append(repr(error))
        finally:
            self._connection.close()

    def _round(self, turn: int, over: threading.Event) -> None:
        title = f"Client {self._number} in turn {turn}"
        mine = {"lid": PAGE, "block": DRAFT + self._number}
        look = {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}}
        steps: list[tuple[str, Any, Callable[[Any], bool]]] = [
            ("methods", {}, self._listed),
            (
                "landing.block.updatenodes",
                {**mine, "data": {".title": title}},
                lambda done: done is True,
            ),
            ("landing.block.getlist", look, lambda blocks: self._edited(blocks, title)),
        ]
        refused = False
        for name, params, right in steps:
            answer = self._ask(name, "POST", f"/rest/1/{webhook_of(1)}/{name}.json", params)
            if answer.error in self._codes:
                self.refused += 1
                refused = True  # what was not written need not be read
            elif answer.status != 200 or not (refused or right(answer.told["result"])):
                self.wrong.append((name, answer.status, answer.body[:300]))
            over.wait(self._pause)
        answer = self._ask("page", "GET", PAGE_PATH)
        if answer.status != 200 or b"landing-block" not in answer.body:
            self.wrong.append(("page", answer.status, answer.body[:300]))
        over.wait(self._pause)

    def _listed(self, methods: Any) -> bool:
        """Whether the whole group is there; where it may be off, all of it or nothing."""
        there = BLOCKS.intersection(methods)
        return "landing.landing.update" in methods and (
            there == BLOCKS or (bool(self._codes) and not there)
        )

    def _edited(self, blocks: Any, title: str) -> bool:
        mine = next(each for each in blocks if each["id"] == DRAFT + self._number)
        return f">{title}</h2>" in mine["content"]

    def _ask(self, step: str, verb: str, path: str, params: Any = None) -> Answered:
        body = None if params is None else msgspec.json.encode(params)
        began = time.perf_counter()
        while True:
            try:
                self._connection.request(verb, path, body, {"Content-Type": "application/json"})
                answer = self._connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                # The worker at the other end has died.
                self.broken += 1
                self._connection.close()
                self._connection = self._connect()
                if time.perf_counter() - began > PATIENCE:
                    raise
                time.sleep(0.01)
            else:
                break
        seconds = time.perf_counter() - began
        self.took.setdefault(step, []).append(seconds)
        return Answered(step, answer.status, text, seconds)

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=PATIENCE)


class Load:
    """The clients at work, and what became of it once they have stopped."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = clients

    @property
    def wrong(self) -> list[Any]:
        """Every answer that was not right."""
        return [each for client in self._clients for each in client.wrong]

    @property
    def broken(self) -> int:
        """How often a connection broke."""
        return sum(client.broken for client in self._clients)

    @property
    def refused(self) -> int:
        """How often a code was answered that is right here."""
        return sum(client.refused for client in self._clients)

    @property
    def answered(self) -> int:
        return sum(len(times) for client in self._clients for times in client.took.values())

    def p99(self) -> dict[str, float]:
        """The p99 of each step, in milliseconds."""
        steps = {step for client in self._clients for step in client.took}
        return {step: _p99([t for c in self._clients for t in c.took[step]]) for step in steps}


@contextmanager
def load(server: Server, *, pause: float = 0.02, codes: tuple[str, ...] = ()) -> Iterator[Load]:
    """Keep the clients at work for as long as the block lasts."""
    over = threading.Event()
    clients = [Client(server, number, pause, codes) for number in range(CLIENTS)]
    threads = [threading.Thread(target=client.work, args=(over,)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield Load(clients)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _p99(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[98] * 1000
