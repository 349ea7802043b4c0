"""Processes are killed as they upload to a bucket: no row lacks its bytes, no bytes stay alone."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from contract.pictures import METHOD, PNG, picture
from contract.test_kills import House
from contract.worlds import webhook_of
from faulty.load import CLIENTS, DRAFT, WORLD, Caller
from kernel.processes import PATIENCE, landyard
from kernel.supervised import until
from stores import Relay, port_of, url_of

from landyard.testing import Service
from landyard_content.files import checking

SEED = 12
UPLOAD = f"/rest/1/{webhook_of(1)}/{METHOD}"


class UploadHouse(House):
    """A service whose clients upload pictures, and note each one that was answered."""

    def __init__(self, folder: Path, workers: int, url: str) -> None:
        super().__init__(folder, workers)
        self.more = {"LANDYARD_FILES__URL": url, "LANDYARD_FILES__SECONDS": "5"}
        self.sources: list[str] = []

    def write(self, client: int) -> None:
        caller = Caller(self.port)
        while not self.over.is_set():
            answer = caller.ask(UPLOAD, {"block": DRAFT + client, "picture": picture(PNG)})
            if answer.status == 200:
                self.sources.append(answer.told["result"]["src"])
            else:
                assert answer.status == 0 or answer.refused, answer
                time.sleep(0.01)
        caller.close()


@pytest.fixture
def relay(run_folder: Path) -> Iterator[Relay]:
    relay = Relay(port_of("seaweedfs", run_folder))
    yield relay
    relay.close()


@contextmanager
def uploading(folder: Path, workers: int, url: str) -> Iterator[UploadHouse]:
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err
    house = UploadHouse(folder, workers, url)
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


def kill_while_uploading(folder: Path, relay: Relay, workers: int, kills: int) -> None:
    chance = random.Random(SEED)
    url = url_of(relay.port)
    with uploading(folder, workers, url) as house:
        for turn in range(kills):
            goal = relay.verbs.count("PUT") + chance.choice((1, 2, 10, 20))
            until(lambda goal=goal: relay.verbs.count("PUT") >= goal)  # type: ignore[misc]
            # The answer to the PUT is on its way, and the commit follows it.
            time.sleep(chance.uniform(0.0, 0.02))
            if turn % 2:
                os.kill(chance.choice(until(house.workers_there)), signal.SIGKILL)
                until(lambda: house.answered() is not None)
                continue
            os.killpg(house.process.pid, signal.SIGKILL)
            house.process.wait(PATIENCE)
            until(lambda: not house.workers_there())
            house.start()
    with_files = {"url": url}
    later = datetime.now(UTC) + timedelta(hours=25)
    service = Service(data=folder / "data", world={}, now=later, files=with_files)
    try:
        before = [*checking.compare(service.kernel)]
        _, job = service.kernel.resolution.jobs["uploads.temporary"]
        job.work(service.kernel)
        after = [*checking.compare(service.kernel)]
        unread = [src for src in house.sources if service.get(src).content != PNG]
    finally:
        service.close()
    print(
        f"\n{kills} kills ({workers} workers): {len(house.sources)} uploads acknowledged,"
        f" {len(before)} files without a row before the job"
    )
    assert {each.what for each in before} <= {"without a row"}
    assert (after, unread) == ([], [])
    assert len(house.sources) > kills
    assert before or kills < 100


def test_no_row_lacks_its_bytes_after_a_few_kills(tmp_path: Path, relay: Relay) -> None:
    kill_while_uploading(tmp_path, relay, 1, 4)


@pytest.mark.soak
@pytest.mark.parametrize(("workers", "kills"), [(1, 150), (2, 150)])
def test_no_row_lacks_its_bytes_after_300_kills(
    tmp_path: Path, relay: Relay, workers: int, kills: int
) -> None:
    kill_while_uploading(tmp_path, relay, workers, kills)
