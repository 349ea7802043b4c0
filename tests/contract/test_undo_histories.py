"""Random sequences of writing calls, undone in reverse order, restore the former state (part
11).
"""

from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.documents import METHODS
from contract.soak_calls import Batch, Made, Maker
from contract.test_soak_all import BOSS, BY_NAME, EDITOR, HOOKS, START, WORLD
from contract.test_undo import UNDO, rows
from contract.tree_model import read
from sqlalchemy import Connection

from landyard import Irreversible
from landyard.testing import Answer, Service
from landyard_content import history

SEQUENCES, FEW = 10_000, 40
PACE = timedelta(minutes=1)
UNDOABLE = [
    each
    for each in METHODS
    if each.writes and each.scope == "landing" and Irreversible not in each.notes
] + [BY_NAME["batch"]]
NOTHING = "CALL_NOT_KEPT"


Drafts = dict[int, list[tuple[Any, ...]]]


def _read_drafts(connection: Connection) -> Drafts:
    """The draft blocks of pages, in their order."""
    query = (
        "SELECT page_id, id, content, CAST(params AS TEXT), anchor, active, deleted"
        " FROM landing_block WHERE NOT public ORDER BY page_id, sort, id"
    )
    drafts: Drafts = defaultdict(list)
    for row in connection.exec_driver_sql(query):
        drafts[row[0]].append(tuple(row[1:]))
    return drafts


class Histories:
    """A sequence of calls to a service, and the state before it."""

    def __init__(self, service: Service, seed: int) -> None:
        self.service = service
        self.maker = Maker(service, BY_NAME, seed)
        self.maker.tree = read(service)
        self.undone: Counter[str] = Counter()
        self.entries = 0

    def run(self, sequences: int) -> None:
        for number in range(sequences):
            self.service.now = START + number * PACE
            if number % 200 == 199:  # jobs delete temporary files and expired undo entries
                self.service.later(days=40)
                self.service.run_jobs()
                self.service.now = START + number * PACE
            # calls that are kept, so that the next sequence starts from another state
            if number % 8 == 0:
                self._call_several(3)
            before, files = rows(self.service), self._files()
            done = self._call_several(self.maker.chance.randint(1, 6))
            drafts, newest = self._drafts(), self._newest_entry()
            for name, user, request_id, _ in reversed(done):
                answer = self._ask(user, UNDO, {"id": request_id})
                assert answer.status == 200 or answer.error == NOTHING, (number, name, answer)
                self.undone[name] += answer.status == 200
            found = rows(self.service)
            differing = [name for name in before if before[name] != found[name]]
            assert not differing, (number, done, [(before[n], found[n]) for n in differing])
            assert files <= self._files()
            if all(told for *_, told in done):
                self._take_back_entries(drafts, newest)
            self.maker.tree = read(self.service)

    def _drafts(self) -> Drafts:
        with self.service.kernel.store.engine.connect() as connection:
            return _read_drafts(connection)

    def _newest_entry(self) -> int:
        with self.service.kernel.store.engine.connect() as connection:
            newest = connection.exec_driver_sql("SELECT max(id) FROM landing_history").scalar()
            return newest or 0

    def _take_back_entries(self, drafts: Drafts, newest: int) -> None:
        """Try that the entries of the undos are true: without them a page is as it was before."""
        with self.service.kernel.store.engine.connect() as connection:
            added = connection.exec_driver_sql(
                f"SELECT page_id FROM landing_history WHERE id > {newest} ORDER BY id DESC"
            )
            pages = added.scalars().all()
            for page_id in pages:
                assert history.undo(connection, page_id, START, BOSS)
            found = _read_drafts(connection)
            assert all(found[page_id] == drafts[page_id] for page_id in pages)
            self.entries += len(pages)
            connection.rollback()

    def _call_several(self, count: int) -> list[tuple[str, int, str, bool]]:
        """Call methods; answers name, user and id of each, and whether the history tells of it."""
        done = []
        self.maker.look_around()
        for _ in range(count):
            made = self._made()
            user = BOSS if self.maker.chance.random() < 0.7 else EDITOR
            answer = self._ask(user, made.method.name, made.params)
            if answer.status == 200:
                self.maker.tree = read(self.service)
                has_entry = "preventHistory" not in str(made.params)
                done.append((made.method.name, user, answer.request_id, has_entry))
        return done

    def _made(self) -> Made:
        """Generate a call that can be undone; in a batch each command can be."""
        while True:
            made = self.maker.call(self.maker.chance.choice(UNDOABLE))
            inner = made.inner.values() if isinstance(made, Batch) else ()
            if all(Irreversible not in each.method.notes for each in inner):
                return made

    def _ask(self, user: int, method: str, params: object) -> Answer:
        return self.service.call(method, params, user=user, webhook=HOOKS[user])

    def _files(self) -> set[Path]:
        folder = self.service.kernel.settings.data / "files"
        return {
            each for each in folder.rglob("*") if each.is_file() and "pending" not in each.parts
        }


def test_sequences_are_undone_in_reverse(make_service: MakeService) -> None:
    histories = Histories(make_service(world=WORLD, now=START), seed=17)

    histories.run(FEW)

    assert histories.undone.total() > FEW
    assert histories.entries


@pytest.mark.soak
def test_ten_thousand_sequences_are_undone_in_reverse(make_service: MakeService) -> None:
    histories = Histories(make_service(world=WORLD, now=START), seed=11)

    histories.run(SEQUENCES)

    undone = histories.undone
    print(f"{undone.total()} calls of {len(undone)} methods undone in {SEQUENCES} sequences")
    print(f"{histories.entries} entries of undos taken back in the histories of pages")
    assert len(undone) > len(UNDOABLE) * 0.8
