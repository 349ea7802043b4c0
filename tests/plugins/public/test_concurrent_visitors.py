"""Visitors who read during publications, in several processes, never see an older version (P11)."""

import bisect
import html
import http.client
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, block, page, world
from kernel.processes import Server, serving
from plugins.public.changes import run

from landyard.testing import Service
from landyard_content.pages.publication import publish

PATH = "/site-7/page-10/"
SECONDS = 1.5
READERS = 6
BLOCKS = 3
pytestmark = [pytest.mark.rule("P11"), pytest.mark.rule("B1")]

WORLD = world(page(PAGE, *(block(DRAFT + number, content="<p>n0</p>") for number in range(BLOCKS))))


@contextmanager
def _served(service: Service, folder: Path) -> Iterator[Server]:
    settings = service.kernel.settings
    with serving(
        folder,
        "--workers",
        "2",
        LANDYARD_DATA=str(settings.data),
        LANDYARD_DATABASE_URL=settings.database,
        LANDYARD_LOG_LEVEL="warning",
    ) as server:
        yield server


def _numbers(text: str) -> set[int]:
    """The numbers in the title, in the description, and in the blocks of the page."""
    found = re.findall(r"<p>n(\d+)</p>", html.unescape(text))
    assert len(found) == 2 + BLOCKS, text
    return {int(each) for each in found}


class Publisher:
    """Publishes the page again and again with the next number in its title and in every block.

    Other processes must serve it within `delay` seconds.
    """

    def __init__(self, service: Service) -> None:
        self.done = 0
        self.delay = 0.0 if service.kernel.store.sqlite else 1.0
        self._service = service
        self._times: list[float] = []

    def known(self) -> int:
        """The number that every visitor must see by now, in every process."""
        return bisect.bisect_right(self._times, time.monotonic() - self.delay)

    def publish(self) -> None:
        """Publish the next number; `done` names it as soon as it is on disk."""
        following = self.done + 1
        text = f"UPDATE landing_block SET content = '<p>n{following}</p>' WHERE NOT public"
        if following % 7 == 0:
            run(self._service, text)  # visitors do not see this yet
        kernel = self._service.kernel
        with kernel.store.session(writes=True) as session:
            for statement in (text, f"UPDATE landing_page SET title = '<p>n{following}</p>'"):
                session.connection().exec_driver_sql(statement)
            publish(session.connection(), PAGE, kernel.now())
        self._times.append(time.monotonic())
        self.done = following


class Reader(threading.Thread):
    """Reads the page in a loop over connections of its own, and records wrong answers."""

    def __init__(self, server: Server, publisher: Publisher, until: float) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.seen: set[int] = set()
        self._server, self._publisher, self._until = server, publisher, until

    def run(self) -> None:
        last, reads = 0, 0
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        while time.monotonic() < self._until and not self.wrong:
            reads += 1
            if reads % 20 == 0:
                connection.close()  # the other worker may answer the next connection
            acknowledged = self._publisher.known()
            connection.request("GET", PATH)
            numbers = _numbers(connection.getresponse().read().decode())
            if len(numbers) != 1:
                self.wrong.append(f"torn: {numbers}")
                break
            (number,) = numbers
            if number < acknowledged:
                self.wrong.append(f"{number} after {acknowledged} was published")
            if number < last and not self._publisher.delay:  # an answer of another worker
                self.wrong.append(f"{number} after {last} was seen")
            last = number
            self.seen.add(number)
        connection.close()


@pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.soak])],
    indirect=True,
)
def test_P11_no_visitor_sees_less_than_was_published(
    make_service: MakeService, tmp_path: Path
) -> None:
    service = make_service(world=WORLD)
    publisher = Publisher(service)
    publisher.publish()

    with _served(service, tmp_path) as server:
        until = time.monotonic() + SECONDS
        readers = [Reader(server, publisher, until) for _ in range(READERS)]
        for reader in readers:
            reader.start()
        while time.monotonic() < until:
            publisher.publish()
            # bursts, and pauses long enough for the page to be cached
            time.sleep(0.02 if publisher.done % 10 == 0 else 0)
        for reader in readers:
            reader.join(60)

    assert [reader.wrong for reader in readers] == [[]] * READERS
    assert publisher.done > 20
    assert all(len(reader.seen) > 5 for reader in readers)


def test_P11_no_visitor_of_one_process_sees_less_than_was_published(
    make_service: MakeService,
) -> None:
    service = make_service(world=WORLD)
    publisher = Publisher(service)
    publisher.publish()
    until = time.monotonic() + SECONDS / 2

    def write() -> None:
        while time.monotonic() < until or publisher.done <= 5:
            publisher.publish()

    writer = threading.Thread(target=write)
    writer.start()
    wrong: list[str] = []
    while writer.is_alive():
        acknowledged = publisher.done
        numbers = _numbers(service.get(PATH).text)
        if len(numbers) != 1 or min(numbers) < acknowledged:
            wrong.append(f"{numbers} after {acknowledged}")

    assert wrong == []
    assert publisher.done > 5
