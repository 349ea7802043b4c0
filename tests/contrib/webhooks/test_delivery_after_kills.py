"""The whole service is killed again and again: each event reaches its endpoint under one id."""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.worlds import webhook_of, world
from contrib.webhooks import shop
from contrib.webhooks.receiver import Receiver
from faulty.kit import Fault, install
from faulty.load import Caller
from kernel.processes import PATIENCE, command, environment, free_port, is_free, landyard
from kernel.supervised import until

CLIENTS = 4
SHOP = Fault("shop", Path(shop.__file__).read_text(), "", "enabled", entry="shop")
PAY = f"/rest/1/{webhook_of(1)}/shop.pay"


class Shop:
    """A service with an endpoint in a process group of its own, and clients that pay orders."""

    def __init__(self, folder: Path, receiver: Receiver, **settings: str) -> None:
        self.folder = folder
        self.settings = {
            "PYTHONPATH": os.pathsep.join(
                [f"{folder / 'installed'}", *os.environ.get("PYTHONPATH", "").split()]
            ),
            "LANDYARD_PLUGINS__ON": '["webhooks"]',
            "LANDYARD_WEBHOOKS__ALLOW_HOSTS": msgspec.json.encode([receiver.host]).decode(),
            **settings,
        }
        self.port = free_port()
        self.over = threading.Event()
        self.begun: dict[int, int] = {}  # by order: the last turn that was sent
        self.paid: set[tuple[int, int]] = set()  # the answered orders and turns

    def run(self, *words: str, given: bytes = b"") -> str:
        done = landyard(self.folder, *words, given=given, **self.settings)
        assert done.status == 0, done.err
        return done.out

    def start(self) -> None:
        until(lambda: is_free(self.port))
        words = [*command(), "serve", "--port", str(self.port), "--workers", "2"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=environment(self.folder, **self.settings),
                stderr=log,
                start_new_session=True,
            )
        until(self.answers)

    def answers(self) -> bool:
        caller = Caller(self.port)
        status = caller.ask("/healthz", verb="GET").status
        caller.close()
        return status == 200

    def kill(self, number: int) -> None:
        os.killpg(self.process.pid, number)
        self.process.wait(PATIENCE)

    def pay(self, order: int) -> None:
        caller = Caller(self.port)
        while not self.over.is_set():
            turn = self.begun[order] = self.begun.get(order, 0) + 1
            if caller.ask(PAY, {"order": order, "turn": turn}).status == 200:
                self.paid.add((order, turn))
            self.over.wait(0.05)
        caller.close()

    @contextmanager
    def paying(self) -> Iterator[None]:
        """Pay each order again and again."""
        clients = [threading.Thread(target=self.pay, args=(n,)) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            yield
        finally:
            self.over.set()
            for client in clients:
                client.join(PATIENCE)

    def delivered(self, receiver: Receiver) -> bool:
        """Tell whether every payment was delivered."""
        return self.paid <= {_turn(each.message) for each in list(receiver.received)}


@contextmanager
def opened(folder: Path, receiver: Receiver, **settings: str) -> Iterator[Shop]:
    """Serve a shop with one endpoint."""
    install(folder / "installed", SHOP)
    shop = Shop(folder, receiver, **settings)
    shop.run("load", "-", given=msgspec.json.encode(world()))
    receiver.secret = shop.run("endpoint", "add", receiver.url(), "--events", "shop.*").split()[0]
    shop.start()
    try:
        yield shop
    finally:
        shop.kill(signal.SIGTERM)


def _compare(shop: Shop, receiver: Receiver) -> None:
    first: dict[str, tuple[int, int]] = {}  # by id, in the order of the first deliveries
    for each in receiver.received:
        assert each.genuine
        assert first.setdefault(each.id, _turn(each.message)) == _turn(each.message)
    assert len(set(first.values())) == len(first)  # each event has one id
    assert shop.paid <= set(first.values())
    for order in range(CLIENTS):
        turns = [turn for about, turn in first.values() if about == order]
        assert turns == sorted(turns)
        assert turns[-1] <= shop.begun[order]
    again = len(receiver.received) - len(first)
    print(f"\n{len(first)} events delivered, of {len(shop.paid)} acknowledged; {again} twice")


def _turn(message: Any) -> tuple[int, int]:
    return message["data"]["order"], message["data"]["turn"]


@pytest.mark.soak
def test_every_payment_is_delivered_through_100_kills(
    tmp_path: Path, receiver: Receiver, database: dict[str, Any]
) -> None:
    url = database.get("database_url")
    settings = {"LANDYARD_DATABASE_URL": url} if url else {}
    chance = random.Random(11)
    with opened(tmp_path, receiver, **settings) as shop:
        with shop.paying():
            for _ in range(100):
                time.sleep(chance.uniform(0.1, 0.8))
                shop.kill(signal.SIGKILL)
                shop.start()
        time.sleep(30)  # a delivery claimed at the last kill is tried again ten seconds later
        until(lambda: shop.delivered(receiver))
    _compare(shop, receiver)
