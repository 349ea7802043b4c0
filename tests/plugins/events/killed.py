"""A process that publishes and delivers events until it is killed."""

import os
import random
import time
from pathlib import Path
from typing import Any

from plugins.events.polls import Polls, Voted
from sqlalchemy import text

from landyard import Kernel, Settings, UnitOfWork
from landyard.testing import as_plugin
from landyard_events import Delivery, NotDelivered, after, delivery

POLLS = 12
SECONDS = 0.5  # the claim of a killed process expires after this


class Killed:
    """A plugin that logs its published events to one file and its received events to another.

    A second subscriber counts the events in a table, in its transaction.
    """

    def __init__(self, folder: Path) -> None:
        self.published = folder / "published"
        self.heard = folder / "heard"

    def plugins(self) -> list[Any]:
        polls = Polls(
            after(Voted, "poll.told", self.tell, transaction=False, seconds=SECONDS, threads=2),
            after(Voted, "poll.counted", self.count, seconds=SECONDS),
        )
        return polls.plugins()

    def tell(self, _: Delivery, event: Voted) -> None:
        note(self.heard, event)
        if random.random() < 0.01:
            raise NotDelivered("now and then it fails")

    @staticmethod
    def count(delivery: Delivery, event: Voted) -> None:
        add = "INSERT INTO counted (poll, vote) VALUES (:poll, :vote)"
        delivery.connection.execute(text(add), {"poll": event.poll, "vote": event.vote})

    def publish(self, kernel: Kernel) -> None:
        poll = random.randrange(POLLS)
        event = kernel.store.run(lambda unit: _vote(kernel, unit, poll), writes=True)
        note(self.published, event)


def _vote(kernel: Kernel, unit: UnitOfWork, poll: int) -> Voted:
    turn = "UPDATE turn SET vote = vote + 1 WHERE poll = :poll RETURNING vote"
    event = Voted(poll, unit.connection.execute(text(turn), {"poll": poll}).scalar_one())
    kernel.publish(unit, event)
    return event


def note(file: Path, event: Voted) -> None:
    with file.open("ab", buffering=0) as lines:
        lines.write(f"{event.poll} {event.vote}\n".encode())


def open_kernel(folder: Path, url: str) -> Kernel:
    delivery.MARGIN = 0.2
    settings = Settings(
        data=folder, database_url=url, strict=True, plugins={"events": {"pause": 0.05}}
    )
    kernel = Kernel(settings, [as_plugin(each) for each in Killed(folder).plugins()])
    kernel.prepare()
    return kernel


def work(folder: Path, url: str) -> None:
    """Publish and deliver until the parent kills this process or is gone."""
    kernel = open_kernel(folder, url)
    kernel.process.serving = True
    parent, killed = os.getppid(), Killed(folder)
    while os.getppid() == parent:
        killed.publish(kernel)
        time.sleep(0.002)
