"""Clients that call and read a page all the time, and check every answer."""

import http.client
import select
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
DRAFT, PUBLISHED = 100, 200  # the first client's block; each further client has the next one
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
        {"user": 1, "code": FAULTY, "scopes": ["faulty", "landing"]},
    ],
)


class Answer(Struct, frozen=True):
    """An answer, and the seconds it took; status 0 stands for a broken connection."""

    status: int
    body: bytes = b""
    seconds: float = 0.0
    retry_after: str | None = None
    request_id: str = ""

    @property
    def told(self) -> Any:
        return msgspec.json.decode(self.body) if self.body.startswith(b"{") else {}

    @property
    def error(self) -> str:
        """The error's code; empty for an answer without an error."""
        return str(self.told.get("error", ""))

    @property
    def refused(self) -> bool:
        """Tell whether the answer asks to come back later."""
        return self.status == 503 and self.retry_after is not None


class Caller:
    """One connection that stays open; after a break a new one is opened."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.close = self._connection.close
        self.port = port

    def ask(self, path: str, params: Any = None, verb: str = "POST", **headers: str) -> Answer:
        body = msgspec.json.encode({} if params is None else params) if verb == "POST" else None
        began = time.perf_counter()
        idle = self._connection.sock
        if idle is not None and select.select([idle], [], [], 0)[0]:
            # the server closed it while nothing was under way; every client checks first
            self.close()
        try:
            sent = {"Content-Type": "application/json", **headers}
            self._connection.request(verb, path, body, sent)
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return Answer(0, seconds=time.perf_counter() - began)
        seconds, named = time.perf_counter() - began, answer.getheader("X-Request-Id", "")
        return Answer(answer.status, text, seconds, answer.getheader("Retry-After"), named)


class Client:
    """Lists the methods, edits a block of its own, reads it back, and reads the page.

    A wrong answer is recorded in `wrong`. Counted separately are answers with an error's code among
    `codes`, answers that ask to come back later, and broken connections.
    """

    def __init__(self, server: Server, number: int, pause: float, codes: tuple[str, ...]) -> None:
        self._caller = Caller(server.port)
        self._number = number
        self._pause = pause
        self._codes = codes
        # the possible contents of the block; empty while they are unknown
        self._titles: set[str] = set()
        self._down_since = 0.0
        self.wrong: list[Any] = []
        self.answered = self.refused = self.broken = 0
        self.down = 0.0  # the longest time without a right answer, from the first failure

    def work(self, over: threading.Event) -> None:
        """Repeat the round until the end; wrong answers are recorded."""
        turn = 0
        try:
            while not over.is_set():
                turn += 1
                self._round(turn, over)
        except Exception as error:
            self.wrong.append(repr(error))
        finally:
            self._caller.close()

    def _round(self, turn: int, over: threading.Event) -> None:
        title = f"Client {self._number} in turn {turn}"
        edit = {"lid": PAGE, "block": DRAFT + self._number, "data": {".title": title}}
        look = {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}}
        self._call("methods", {}, self._listed)
        over.wait(self._pause)
        known, self._titles = self._titles, set()
        if self._call("landing.block.updatenodes", edit, lambda done: done is True):
            self._titles = {title}
        elif known:
            self._titles = known | {title}  # the connection broke, so the content is unknown
        over.wait(self._pause)
        self._call("landing.block.getlist", look, self._edited)
        over.wait(self._pause)
        shown = self._caller.ask(PAGE_PATH, verb="GET")
        self._note("page", shown, right=b"landing-block" in shown.body)
        over.wait(self._pause)

    def _call(self, method: str, params: Any, right: Callable[[Any], bool]) -> bool:
        answer = self._caller.ask(f"/rest/1/{webhook_of(1)}/{method}.json", params)
        good = answer.status == 200 and right(answer.told["result"])
        return self._note(method, answer, right=good)

    def _note(self, what: str, answer: Answer, *, right: bool) -> bool:
        self.answered += 1
        now = time.monotonic()
        if answer.status == 200 and right:
            if self._down_since:
                self.down = max(self.down, now - self._down_since)
                self._down_since = 0.0
            return True
        self._down_since = self._down_since or now - answer.seconds
        if answer.status == 0:
            self.broken += 1
            time.sleep(0.01)
        elif answer.refused or answer.error in self._codes:
            self.refused += 1
        else:
            self.wrong.append((what, answer.status, answer.body[:300]))
        return False

    def _listed(self, methods: Any) -> bool:
        """Tell whether the whole group is listed; where it may be off, all of it or nothing."""
        there = BLOCKS.intersection(methods)
        return "landing.landing.update" in methods and (
            there == BLOCKS or (bool(self._codes) and not there)
        )

    def _edited(self, blocks: Any) -> bool:
        mine = next(each["content"] for each in blocks if each["id"] == DRAFT + self._number)
        return not self._titles or any(f">{title}</h2>" in mine for title in self._titles)


class Load:
    """The clients at work, and their results once they have stopped."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = clients

    @property
    def wrong(self) -> list[Any]:
        """Every wrong answer."""
        return [each for client in self._clients for each in client.wrong]

    @property
    def broken(self) -> int:
        """The number of broken connections."""
        return sum(client.broken for client in self._clients)

    @property
    def refused(self) -> int:
        """The number of calls told to come back later, or answered with a code that is right
        here.
        """
        return sum(client.refused for client in self._clients)

    @property
    def answered(self) -> int:
        return sum(client.answered for client in self._clients)

    @property
    def down(self) -> float:
        """The longest time that a client waited for a right answer, from its first failure."""
        return max(client.down for client in self._clients)

    def __str__(self) -> str:
        text = f"{self.answered} calls, {len(self.wrong)} wrong, {self.refused} refused"
        return f"{text}, {self.broken} broken, for {self.down:.2f} s at most"


@contextmanager
def load(server: Server, *, pause: float = 0.1, codes: tuple[str, ...] = ()) -> Iterator[Load]:
    """Keep the clients at work for the length of the block."""
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
