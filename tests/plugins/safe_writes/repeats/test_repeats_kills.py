"""Calls sent again with their keys while processes are killed: each is done once, with one
answer.
"""

import os
import random
import signal
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from contract.test_kills import House
from contract.worlds import webhook_of
from faulty.load import CLIENTS, WORLD, Caller
from kernel.processes import PATIENCE, landyard

SEED, KILLS = 17, int(os.environ.get("LANDYARD_TEST_KILLS", "300"))
REST = f"/rest/1/{webhook_of(1)}/"
ADD = f"{REST}landing.landing.add"


class Repeating(House):
    """A service whose clients send each call until it is answered, and then once more."""

    def __init__(self, folder: Path, workers: int) -> None:
        super().__init__(folder, workers)
        self.answers: dict[str, set[str]] = {}
        self.again = 0  # calls that were not answered at once

    def send(self, caller: Caller, path: str, params: dict[str, Any], key: str) -> None:
        once = False
        while True:
            answer = caller.ask(path, params, **{"Idempotency-Key": key})
            if answer.status == 200:
                self.answers.setdefault(key, set()).add(repr(answer.told["result"]))
                if once:
                    return
                once = True
            else:
                assert answer.status == 0 or answer.refused, answer
                self.again += 1
                time.sleep(0.01)

    def write(self, client: int) -> None:
        caller = Caller(self.port)
        while not self.over.is_set():
            key = uuid.uuid4().hex
            fields = {"TITLE": key, "SITE_ID": 7, "CODE": f"p{key}"}
            self.send(caller, ADD, {"fields": fields}, key)
            time.sleep(0.01)
        caller.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_call_with_a_key_is_done_once_whichever_process_is_killed(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {}
    if kind == "postgres":
        more = {"LANDYARD_DATABASE_URL": request.getfixturevalue("postgres_url")}
    for name, value in more.items():
        monkeypatch.setattr("contract.test_kills.environment", _with(name, value), raising=True)
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD), **more).status == 0
    chance = random.Random(SEED)
    house = Repeating(tmp_path, 2)
    house.start()
    threads = [threading.Thread(target=house.write, args=(each,)) for each in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(KILLS):
            time.sleep(chance.uniform(0.0, 0.4))
            if turn % 4:
                pids = house.workers_there()
                if pids:
                    os.kill(chance.choice(pids), signal.SIGKILL)
                continue
            os.killpg(house.process.pid, signal.SIGKILL)
            house.process.wait(PATIENCE)
            house.start()
    finally:
        house.over.set()
        for thread in threads:
            thread.join(PATIENCE)
        os.killpg(house.process.pid, signal.SIGTERM)
        house.process.wait(PATIENCE)
    url = more.get("LANDYARD_DATABASE_URL", f"sqlite:///{tmp_path}/data/landyard.db")
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        query = sa.text("SELECT title, id FROM landing_page WHERE title <> ''")
        listed = [row for row in connection.execute(query) if row.title in house.answers]
    engine.dispose()

    made = {row.title: str(row.id) for row in listed}
    print(f"\n{kind}: {KILLS} kills, {len(house.answers)} calls, {house.again} sent again")
    assert all(len(each) == 1 for each in house.answers.values())
    assert len(listed) == len(made) == len(house.answers)
    assert made == {key: answer.pop() for key, answer in house.answers.items()}
    assert house.again > 0


def _with(name: str, value: str) -> Any:
    from kernel.processes import environment

    return lambda folder, **more: environment(folder, **more, **{name: value})
