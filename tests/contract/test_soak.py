"""Minutes of random calls: every answer is an envelope, nothing crashes, and memory stays flat.

Most calls name existing rows, so pages are made, edited, published, moved, trashed and removed all
the time, over weeks of the service's clock. At the end the data is consistent.
"""

import contextlib
import random
import resource
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from contract.consistency import (
    assert_files_have_rows,
    assert_movable,
    assert_rows_belong_together,
    assert_served,
)
from contract.documents import SWITCHED_ON
from contract.oddities import CASES, FOLDER, NODES, ODD, OTHER, UNREADABLE, WORLD, Case
from contract.rules import CODES
from contract.worlds import SITE, user, webhook, webhook_of
from corpora import read_data
from msgspec import Raw

from landyard.testing import Answer, Service
from landyard.web.wire import Incoming
from landyard_content.pages.publication import publish
from landyard_landing.errors import LandingNotExist

CALLS = 50_000
WARM_UP = 10_000
LOOKS = 2_500
GROWTH = 16 * 1024  # KiB
FEWEST_PAGES, MOST_PAGES = 10, 40
START = datetime(2026, 11, 20, tzinfo=UTC)
PACE = timedelta(minutes=1)
EDITOR = 2
ADD, DELETE = "landing.landing.addByTemplate", "landing.landing.delete"
# Values by parameter name that make a good part of the calls succeed.
PLAUSIBLE = read_data(__file__, "PLAUSIBLE", dict[str, list[Any]]) | {
    "siteId": [SITE, SITE, OTHER, 999],
    "toSiteId": [0, SITE, OTHER],
    "SITE_ID": [SITE, OTHER],
    "toFolderId": [0, FOLDER],
    "FOLDER_ID": [0, FOLDER],
    "code": [*["promo"] * 8, "empty", "no-such"],
}
QUERIES = [b"", b"lid=10", b"data[.x][text]=1", b"a[]=%ff", b"&=&[", b"auth="]
FORMS = ["application/json", "", "application/x-www-form-urlencoded", "multipart/form-data"]


class Caller:
    """Generates calls from the content of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._chance = random.Random(20261120)
        self._pages: list[int] = []
        self._blocks: list[tuple[int, int]] = []
        self._files: list[str] = ["/a.png"]
        self.succeeded: Counter[str] = Counter()

    def look_around(self) -> int:
        """Read the ids of pages and blocks; return the number of pages."""
        with self._service.kernel.store.session() as session:
            blocks = session.execute(sa.text("SELECT id, page_id FROM landing_block"))
            pages = session.execute(sa.text("SELECT id FROM landing_page"))
            # Where no row is left, calls name removed ones.
            self._blocks = [(row.id, row.page_id) for row in blocks] or self._blocks
            self._pages = list(pages.scalars()) or self._pages
            return len(self._pages)

    def call(self, case: Case) -> Answer:
        """Call a method with mostly usable values, and check the code against the contract."""
        caller = self._chance.choice([1, 1, 1, EDITOR])
        path = f"/{caller}/{webhook_of(caller)}/{case.method}"
        sent = {
            name: self._value(name, value)
            for name, value in {**case.params, "scope": "PAGE"}.items()
            if name in case.required or self._chance.random() < 0.5
        }
        block, page = self._chance.choice(self._blocks)
        # only calls without a required block can name pages without blocks
        if "block" not in case.required:
            page = self._chance.choice(self._pages)
        sent |= {name: of for name, of in (("lid", page), ("block", block)) if name in sent}
        answer = self._service.send(Incoming("POST", path, body=msgspec.json.encode(sent)))
        assert answer.error in {None, "INVALID_REQUEST", *CODES[case.method].split()}, (
            sent,
            answer,
        )
        if answer.error is None:
            self.succeeded[case.method] += 1
            if case.method == "landing.block.uploadfile":
                self._files = [*self._files[-9:], answer.result["src"]]
        return answer

    def call_nonsense(self, case: Case) -> Answer:
        """Send bytes that may be no call at all."""
        body = case.body()
        at = self._chance.randrange(len(body))
        body = body[:at] + self._chance.randbytes(self._chance.randrange(4)) + body[at + 1 :]
        method = self._chance.choice([case.method, case.method.upper(), "no.such", "", "é"])
        return self._service.send(
            Incoming(
                self._chance.choice(["POST", "POST", "GET", "PUT"]),
                f"/1/{webhook_of(1)}/{method}",
                query=self._chance.choice(QUERIES),
                content_type=self._chance.choice(FORMS),
                body=body,
            )
        )

    def publish(self) -> None:
        """Publish a page as an operator does."""
        kernel, (_, page) = self._service.kernel, self._chance.choice(self._blocks)
        with contextlib.suppress(LandingNotExist):
            kernel.store.run(lambda unit: publish(unit.connection, page, kernel.now()), writes=True)

    def chance(self, of: float) -> bool:
        return self._chance.random() < of

    def case(self, pages: int) -> Case:
        """Choose a method so that the number of pages stays within bounds."""
        case = self._chance.choice(CASES)
        if pages > MOST_PAGES and case.method == ADD:
            return next(case for case in CASES if case.method == DELETE)
        if pages < FEWEST_PAGES and (case.method == DELETE or self.chance(0.3)):
            return next(case for case in CASES if case.method == ADD)
        return case

    def _value(self, name: str, value: Any) -> Any:
        if self.chance(0.02):
            return Raw(self._chance.choice([*ODD, *UNREADABLE]).encode())
        if name in {"ID", "BLOCK_ID"}:
            return self._chance.choice(self._blocks)[name == "ID"]
        if name in PLAUSIBLE:
            return self._chance.choice(PLAUSIBLE[name])
        if name == "data" and value is NODES:
            picture = {"src": self._chance.choice(self._files)}
            selector, node = self._chance.choice(list(NODES.items()))
            return {selector: picture if selector in {".pic", ".bg"} else node}
        if isinstance(value, dict):
            kept = {key: item for key, item in value.items() if self.chance(0.3)}
            return {key: self._value(key, item) for key, item in kept.items()}
        return value


@pytest.mark.soak
def test_random_calls_are_answered_and_leave_consistent_data() -> None:
    editor = user(EDITOR, sites_access=True, rights={"*": ["edit", "delete"]})
    world = {
        **WORLD,
        "users": [*WORLD["users"], editor],
        "webhooks": [*WORLD["webhooks"], webhook(EDITOR)],
    }
    with Service(world=world, now=START, plugins=SWITCHED_ON) as service:
        caller = Caller(service)
        before = pages = 0
        for number in range(CALLS):
            if number % 60 == 0:
                service.now = START + number * PACE
                service.run_jobs()
            if number % 20 == 0:
                pages = caller.look_around()
            if caller.chance(0.02):
                caller.publish()
            case = caller.case(pages)
            answer = (caller.call_nonsense if caller.chance(0.1) else caller.call)(case)
            assert answer.status < 500
            assert set(answer.body) in ({"error", "error_description"}, {"result", "time"})
            if number % 100 == 0:
                assert_rows_belong_together(service)
            if number % LOOKS == 0:
                assert_all_is_served(service)
                assert_movable(service, plugins=SWITCHED_ON)
            if number == WARM_UP:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        service.now = START + CALLS * PACE
        service.run_jobs()

        assert_rows_belong_together(service)
        assert_all_is_served(service)
        assert_movable(service, plugins=SWITCHED_ON)
    assert set(caller.succeeded) == {case.method for case in CASES}
    assert caller.succeeded.total() > CALLS / 5
    assert grown < GROWTH


def assert_all_is_served(service: Service) -> None:
    """Assert that files have their rows, and that every shown page is served at its address."""
    assert_files_have_rows(service)
    with service.kernel.store.session() as session:
        shown = session.execute(sa.text("SELECT id FROM landing_page WHERE active")).scalars().all()
    assert_served(service, shown)
