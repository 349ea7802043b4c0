"""The rate at which a worker delivers stored events."""

import time
from pathlib import Path

import pytest
from plugins.events.polls import Polls, Voted

from landyard import UnitOfWork
from landyard.testing import Service
from landyard_events import deliver_due

EVENTS, SUBJECTS, BAR = 20_000, 1_000, 2_000


@pytest.mark.soak
def test_20_000_events_of_1_000_subjects(tmp_path: Path) -> None:
    polls = Polls(handler=lambda *_: None)
    with Service(polls.plugins(), data=tmp_path) as service:
        kernel = service.kernel

        def publish(unit: UnitOfWork) -> None:
            for number in range(EVENTS):
                kernel.publish(unit, Voted(number % SUBJECTS, number))

        began = time.perf_counter()
        kernel.store.run(publish, writes=True)
        stored = time.perf_counter()
        assert deliver_due(kernel) == EVENTS
        rate = EVENTS / (time.perf_counter() - stored)
    print(f"\nstored {EVENTS / (stored - began):,.0f}/s, delivered {rate:,.0f}/s (SQLite, durable)")
    assert rate >= BAR
