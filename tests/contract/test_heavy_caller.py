"""Other callers are answered and no worker dies, whatever one caller sends within the limits."""

import http.client
import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest
from kernel.processes import PATIENCE, Server, landyard, serving

pytestmark = pytest.mark.soak
MIB = 1024 * 1024
MOST = 300 * MIB
LOOKS_AROUND = "p:has(~ p:has(~ p:has(~ b)))"


class Service:
    """A served service with one worker, its log events and its memory."""

    def __init__(self, server: Server, webhooks: list[str]) -> None:
        self.server = server
        self.hostile, self.bystander = webhooks
        self.base = 0

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = self.server.err.splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    @property
    def worker(self) -> int:
        return int([each for each in self.events if each["event"] == "worker_ready"][-1]["pid"])

    def memory(self) -> int:
        with suppress(OSError, ValueError):
            status = Path(f"/proc/{self.worker}/status").read_text()
            return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024
        return 0

    def call(self, method: str, sent: Any, webhook: str = "") -> tuple[int, Any]:
        body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        path = f"{webhook or self.hostile}{method}"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError:
            return 0, b""
        finally:
            connection.close()


class Watched:
    """A bystander who calls all the time, and the largest memory of the worker meanwhile."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.before = service.base
        self._told = len(service.events)
        self.most = service.memory()
        self.refused: list[Any] = []
        self.slowest = 0.0
        self.calls = 0
        self._over = threading.Event()
        self._threads = [threading.Thread(target=each) for each in (self._call, self._look)]

    def __enter__(self) -> Self:
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(1)
        self._over.set()
        for each in self._threads:
            each.join()

    def _call(self) -> None:
        calls: list[tuple[str, Any]] = [("landing.block.getlist", {"lid": 10}), ("methods", {})]
        calls += [("landing.landing.update", {"lid": 10, "fields": {"DESCRIPTION": "x"}})]
        while not self._over.is_set():
            method, sent = calls[self.calls % len(calls)]
            began = time.monotonic()
            status, body = self.service.call(method, sent, self.service.bystander)
            self.slowest = max(self.slowest, time.monotonic() - began)
            if status != 200:
                self.refused.append((method, status, body[:200]))
            self.calls += 1

    def _look(self) -> None:
        while not self._over.wait(0.02):
            self.most = max(self.most, self.service.memory())

    def check(self) -> None:
        grown = (self.most - self.before) // MIB
        print(f"\n    {grown} MiB more, {self.calls} calls, slowest {self.slowest:.1f} s")
        assert self.refused == []
        assert self.most - self.before <= MOST
        ends = {"worker_died", "worker_replaced", "breaker_opened"}
        told = self.service.events[self._told :]
        assert [each for each in told if each["event"] in ends] == []


HTML = "<section>" + '<p class="text">x</p>' * 200 + "</section>"
CARD = f'<ul><li class="card">{"x" * 100_000}</li></ul>'
BIG = "<p>" + "x" * 400_000 + "</p>"
MANIFEST = {
    "code": "one.caller",
    "manifest": {
        "nodes": {".text": {"type": "text"}, LOOKS_AROUND: {"type": "text"}},
        "cards": {".card": {"name": "Card"}},
        "attrs": {".text": {"attribute": "title"}},
    },
}
PAGE, PAGE_BLOCK, CARDS, TEXTS, ROOM = 5000, 49_999, 50_000, 50_001, 50_002
CODES = ["h" * 24, "b" * 24]


def _world() -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"code": "one.caller", "content": BIG} for _ in range(15)]
    own = [(PAGE_BLOCK, BIG), (CARDS, CARD), (TEXTS, HTML), (ROOM, "<p>x</p>")]
    blocks += [{"id": each, "code": "one.caller", "content": html} for each, html in own]
    pages = [{"id": PAGE, "code": "own", "blocks": blocks}]
    pages += [{"id": PAGE + 1, "code": "more", "blocks": blocks[:15]}]
    scopes = ["landing", "admin", "console"]
    return {
        "webhooks": [{"user": 1, "code": code, "scopes": scopes} for code in CODES],
        "manifests": [MANIFEST],
        "sites": [{"id": 500, "code": "hostile"}],
        "pages": [{"site": 500, **each} for each in pages],
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("one_caller")
    with serving(folder, "--demo", "--workers", "1", LANDYARD_LOG_FORMAT="json") as server:
        loaded = landyard(folder, "load", "-", given=json.dumps(_world()).encode())
        assert loaded.status == 0, loaded.err
        service = Service(server, [f"/rest/1/{code}/" for code in CODES])
        for webhook in (service.hostile, service.bystander) * 10:
            service.call("landing.block.getlist", {"lid": 10}, webhook)
        with ThreadPoolExecutor(8) as pool:  # warm the worker first
            list(pool.map(lambda _: service.call("landing.block.getlist", {"lid": 10}), range(80)))
        service.base = service.memory()
        yield service


def _held(service: Service, path: str, size: int, count: int) -> None:
    """Send bodies on many connections, each without its last byte."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    opened = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", service.server.port), timeout=5)
        opened.append(connection)
        with suppress(OSError):
            connection.sendall(head.encode())
            connection.sendall(b"a" * (size - 1))
    time.sleep(3)
    for connection in opened:
        connection.close()


def _unread(service: Service, method: str, sent: Any, count: int) -> None:
    """Send calls on many connections and read none of the answers."""
    body = json.dumps(sent).encode()
    head = f"POST {service.hostile}{method} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    opened = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", service.server.port), timeout=5)
        opened.append(connection)
        with suppress(OSError):
            connection.sendall(head.encode() + b"\r\n" + body)
    time.sleep(8)
    for connection in opened:
        connection.close()


def _many(service: Service, calls: list[tuple[str, Any]], at_once: int = 16) -> list[Any]:
    with ThreadPoolExecutor(at_once) as pool:
        answers = list(pool.map(lambda call: service.call(*call), calls))
    print("\n   ", Counter(status for status, _ in answers), end="")
    return answers


def _batch(commands: dict[str, str], **more: Any) -> tuple[str, Any]:
    return "batch", {"cmd": commands, **more}


GROWING = {
    "a": f"landing.block.getlist?lid={PAGE}&params[edit_mode]=1&params[get_content]=1",
    **{
        f"b{n}": "landing.landing.update?lid=1&fields[TITLE]=" + "$result[a]" * 10 for n in range(7)
    },
}
LARGE = "<p>" * 700_000
CONTENT = f"landing.block.updatecontent?lid={PAGE}&block={ROOM}&content="
DRAFT = {"edit_mode": 1, "get_content": 1}
SETS = {"user_id": 1, "password": "correct horse battery", "current": "wrong"}
ATTACKS: dict[str, Callable[[Service], object]] = {
    "bodies of sign-in": lambda it: _held(it, "/-/sign-in", 9_900_000, 200),
    "bodies of the console": lambda it: _held(it, "/-/console/sign-in", 9_900_000, 100),
    "bodies of a form": lambda it: _held(it, "/-/forms?form=1", 9_900_000, 60),
    "bodies of uploads": lambda it: _held(
        it, f"{it.hostile}landing.block.uploadfile", 30_000_000, 40
    ),
    "bodies of calls": lambda it: _held(
        it, f"{it.hostile}landing.block.updatenodes", 8_000_000, 90
    ),
    "large bodies": lambda it: _many(
        it,
        [("landing.block.uploadfile", b'{"block":1,"picture":["x","' + b"A" * 30_000_000 + b'"]}')]
        * 12,
        6,
    ),
    "references": lambda it: _many(it, [_batch(GROWING)] * 12, 6),
    "an atomic batch": lambda it: _many(
        it,
        [
            _batch(
                {f"a{n}": f"{CONTENT}{'<p>' * 150_000}" for n in range(10)},
                atomic=True,
            )
        ]
        * 4,
        4,
    ),
    "copies of cards": lambda it: _many(
        it,
        [
            (
                "landing.block.updateCards",
                {"lid": PAGE, "block": CARDS, "data": {".card": {"source": [{"value": 0}] * 1000}}},
            )
        ]
        * 12,
    ),
    "large HTML": lambda it: _many(
        it, [("landing.block.updatecontent", {"lid": PAGE, "block": ROOM, "content": LARGE})] * 12
    ),
    "the largest HTML": lambda it: _many(
        it,
        [("landing.block.updatecontent", {"lid": PAGE, "block": ROOM, "content": "&" * 100_000})]
        * 24,
    ),
    "selectors": lambda it: _many(
        it,
        [("landing.block.updatenodes", {"lid": PAGE, "block": TEXTS, "data": {LOOKS_AROUND: "x"}})]
        * 12,
    ),
    "lists": lambda it: _many(it, [("landing.block.getlist", {"lid": PAGE, "params": DRAFT})] * 24),
    "lists of pages": lambda it: _many(
        it, [("landing.block.getlist", {"lid": [PAGE, PAGE + 1], "params": DRAFT})] * 24
    ),
    "exports": lambda it: _many(
        it, [("landing.site.fullExport", {"id": 500, "params": {"edit_mode": "Y"}})] * 12, 8
    ),
    "a full atomic batch": lambda it: _many(
        it,
        [_batch({f"a{n}": f"{CONTENT}{'<p>' * 80_000}" for n in range(2)}, atomic=True)] * 4,
        4,
    ),
    "the fullest atomic batch": lambda it: _many(
        it,
        [_batch({f"a{n}": f"{CONTENT}{'%26' * 100_000}" for n in range(5)}, atomic=True)] * 4,
        4,
    ),
    "copies": lambda it: _many(
        it, [("landing.landing.copyblock", {"lid": PAGE + 1, "block": CARDS + 2})] * 200
    ),
    "large copies": lambda it: _many(
        it, [("landing.landing.copyblock", {"lid": PAGE + 1, "block": PAGE_BLOCK})] * 40
    ),
    "answers that nobody reads": lambda it: _unread(
        it, "landing.block.getlist", {"lid": PAGE, "params": DRAFT}, 100
    ),
    "batches that nobody reads": lambda it: _unread(it, *_batch(GROWING), 60),
    "passwords": lambda it: _many(it, [("landyard.password.set", SETS)] * 200, 32),
    "history": lambda it: _many(
        it, [("landing.landing.history.getList", {"lid": PAGE, "get_changes": 1})] * 24
    ),
}


@pytest.mark.rule("B18")
@pytest.mark.parametrize("attack", ATTACKS)
def test_B18_others_are_answered_whatever_one_caller_sends(service: Service, attack: str) -> None:
    with Watched(service) as watched:
        ATTACKS[attack](service)

    watched.check()
