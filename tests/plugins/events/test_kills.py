"""Processes that publish and deliver are killed: no event is lost or delivered out of order."""

import multiprocessing
import random
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conftest import postgres_database
from kernel.supervised import until
from plugins.events.killed import POLLS, open_kernel, work
from sqlalchemy import text

from landyard import Kernel
from landyard_events import deliver_due

STARTS = multiprocessing.get_context("forkserver")
SEED = 7


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with postgres_database() as url:
        yield url


def kill_again_and_again(folder: Path, url: str, kills: int) -> None:
    chance = random.Random(SEED)
    with closing(open_kernel(folder, url)) as kernel:
        make_tables(kernel)
        workers = [start(folder, url) for _ in range(2)]
        for _ in range(kills):
            published = size(folder)
            until(lambda before=published: size(folder) > before + 200)  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 0.2))
            at = chance.randrange(2)
            workers[at].kill()
            workers[at].join()
            workers[at] = start(folder, url)
        for worker in workers:
            worker.kill()
            worker.join()
        until(lambda: deliver_due(kernel, raise_failures=False) == waiting(kernel) == 0)
        judge(folder, kernel, kills)


def judge(folder: Path, kernel: Kernel, kills: int) -> None:
    published, heard = read(folder / "published"), read(folder / "heard")
    with kernel.store.session() as session:
        counted = [(row.poll, row.vote) for row in session.execute(text("SELECT * FROM counted"))]
        turns = {row.poll: row.vote for row in session.execute(text("SELECT * FROM turn"))}
    everything = {(poll, vote) for poll, last in turns.items() for vote in range(1, last + 1)}
    first = list(dict.fromkeys(heard))
    assert set(published) <= everything == set(first)
    for poll in range(POLLS):
        assert [vote for of, vote in first if of == poll] == [*range(1, turns[poll] + 1)]
    assert sorted(counted) == sorted(everything)  # each was counted exactly once
    more = len(heard) - len(first)
    print(f"\n{kills} kills: {len(everything)} events, 0 lost, 0 out of order, {more} told again")


def make_tables(kernel: Kernel) -> None:
    with kernel.store.session(writes=True) as session:
        session.execute(text("CREATE TABLE turn (poll INTEGER PRIMARY KEY, vote INTEGER)"))
        session.execute(text("CREATE TABLE counted (poll INTEGER, vote INTEGER)"))
        for poll in range(POLLS):
            session.execute(text(f"INSERT INTO turn VALUES ({poll}, 0)"))


def start(folder: Path, url: str) -> multiprocessing.process.BaseProcess:
    process = STARTS.Process(target=work, args=(folder, url), daemon=True)
    process.start()
    return process


def size(folder: Path) -> int:
    file = folder / "published"
    return file.stat().st_size if file.exists() else 0


def waiting(kernel: Kernel) -> int:
    with kernel.store.session() as session:
        count = session.execute(text("SELECT count(*) FROM events_delivery")).scalar_one()
        assert not session.execute(text("SELECT count(*) FROM events_dead")).scalar_one()
    return int(count)


def read(file: Path) -> list[tuple[int, int]]:
    return [(int(poll), int(vote)) for poll, vote in map(str.split, file.read_text().splitlines())]


def test_no_event_is_lost_in_a_kill(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, "", 1)


@pytest.mark.soak
def test_no_event_is_lost_in_100_kills(tmp_path: Path, url: str) -> None:
    kill_again_and_again(tmp_path, url, 100)
