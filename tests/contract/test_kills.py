"""No acknowledged write is lost when workers, supervisors or all processes are killed under
load.
"""

import os
import random
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from contract.worlds import webhook_of
from faulty.load import CLIENTS, DRAFT, PAGE, WORLD, Caller
from kernel.processes import PATIENCE, command, environment, free_port, is_free, landyard
from kernel.supervised import runs, until

SEED = 11
EDIT = f"/rest/1/{webhook_of(1)}/landing.block.updatenodes"
LOOK = f"/rest/1/{webhook_of(1)}/landing.block.getlist"


class House:
    """A service in its own process group; it is started again after all its processes died."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.workers = workers
        self.port = free_port()
        self.log = folder / "log"
        self.acknowledged: dict[int, int] = {}  # by client: the last edit that was answered
        self.begun: dict[int, int] = {}
        self.starts = 0
        self.over = threading.Event()
        self.more: dict[str, str] = {}  # further variables of its environment

    def start(self) -> None:
        self.starts += 1
        until(lambda: is_free(self.port))
        words = [*command(), "serve", "--port", str(self.port), "--workers", str(self.workers)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=environment(self.folder, LANDYARD_LOG_FORMAT="json", **self.more),
                stderr=log,
                start_new_session=True,
            )
        until(lambda: self.answered() is not None)

    def answered(self) -> float | None:
        """The seconds until a call is answered; None if the connection breaks or the answer is
        wrong.
        """
        caller = Caller(self.port)
        answer = caller.ask(LOOK, {"lid": PAGE, "params": {"edit_mode": True}})
        caller.close()
        return answer.seconds if answer.status == 200 else None

    def workers_there(self) -> list[int]:
        lines = [each for each in self.log.read_text().splitlines() if '"worker_ready"' in each]
        pids = [msgspec.json.decode(line)["pid"] for line in lines]
        return [pid for pid in pids if runs(pid)]

    def write(self, client: int) -> None:
        """Edit a block in a loop; note each edit before it is sent and after it is answered."""
        caller = Caller(self.port)
        turn = 0
        while not self.over.is_set():
            turn += 1
            self.begun[client] = turn
            data = {".title": f"Edit {turn}"}
            params = {"lid": PAGE, "block": DRAFT + client, "data": data}
            answer = caller.ask(EDIT, params)
            if answer.status == 200:
                self.acknowledged[client] = turn
            else:
                assert answer.status == 0 or answer.refused, answer
                time.sleep(0.01)
        caller.close()

    def lost(self) -> dict[int, tuple[int, int]]:
        """The clients whose stored edit is wrong, with the stored and the acknowledged edit."""
        # copied before the read, because the clients go on writing
        acknowledged = dict(self.acknowledged)
        caller = Caller(self.port)
        answer = caller.ask(LOOK, {"lid": PAGE, "params": {"edit_mode": True, "get_content": 1}})
        caller.close()
        lost = {}
        for each in answer.told["result"]:
            client = each["id"] - DRAFT
            edit = re.search(r">Edit (\d+)</h2>", each["content"])
            stored, last = int(edit[1]) if edit else 0, acknowledged.get(client, 0)
            if stored < last or stored > self.begun[client]:
                lost[client] = stored, last
        return lost


@contextmanager
def written(folder: Path, workers: int) -> Iterator[House]:
    """Serve the world while clients write."""
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err
    house = House(folder, workers)
    house.start()
    threads = [threading.Thread(target=house.write, args=(each,)) for each in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield house
    finally:
        house.over.set()
        for thread in threads:
            thread.join(PATIENCE)
        os.killpg(house.process.pid, signal.SIGTERM)
        house.process.wait(PATIENCE)


def kill_again_and_again(folder: Path, workers: int, kills: int) -> None:
    """Kill a worker, the supervisor and the whole group, a third of the kills each; measure
    recovery.
    """
    chance = random.Random(SEED)
    first: list[float] = []  # seconds from a worker's death to the first answer
    start: list[float] = []  # the same where the service had to be started again
    with written(folder, workers) as house:
        for turn in range(kills):
            time.sleep(chance.uniform(0.0, 0.6))
            whom = ("worker", "worker", "supervisor", "group")[turn % 4]
            pids = until(house.workers_there)
            began = time.monotonic()
            if whom == "worker":
                os.kill(chance.choice(pids), signal.SIGKILL)
                until(lambda: house.answered() is not None)
                first.append(time.monotonic() - began)
                continue
            kill = os.kill if whom == "supervisor" else os.killpg
            kill(house.process.pid, signal.SIGKILL)
            house.process.wait(PATIENCE)
            until(lambda: not house.workers_there())
            house.start()
            start.append(time.monotonic() - began)
            assert house.lost() == {}
        time.sleep(0.3)
        assert house.lost() == {}
        edits = sum(house.acknowledged.values())
        print(
            f"\n{kills} kills ({workers} workers): {edits} edits acknowledged, 0 lost;"
            f" first answer after a worker's death: worst {max(first):.2f} s, median"
            f" {sorted(first)[len(first) // 2]:.2f} s; service started again: worst"
            f" {max(start):.2f} s"
        )
    log = house.log.read_text()
    assert "plugin_left_out" not in log
    assert "breaker_opened" not in log


def test_no_write_is_lost_in_a_few_kills(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 1, 4)


@pytest.mark.soak
@pytest.mark.parametrize(("workers", "kills"), [(1, 150), (2, 150)])
def test_no_write_is_lost_in_300_kills(tmp_path: Path, workers: int, kills: int) -> None:
    kill_again_and_again(tmp_path, workers, kills)
