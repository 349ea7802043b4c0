"""Methods, commands and jobs publish events of the changes they make to pages and blocks."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner
from contract.worlds import DRAFT, PAGE, SITE, block, page, site, world
from kernel.commands import ConsoleOf

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
from landyard import Plugin, Subscriber, hookimpl
from landyard.testing import Service
from landyard_landing.events import PageEvent
from landyard_sitekit.commands.pages import page as page_words
from landyard_sitekit.commands.trash import trash as trash_words

EDIT = {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}}


class Listener:
    """A plugin that records all events of pages."""

    def __init__(self) -> None:
        self.heard: list[PageEvent] = []

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Subscriber(PageEvent, lambda _, event: self.heard.append(event))]

    def take(self) -> list[tuple[str, Any]]:
        heard, self.heard = self.heard, []
        return [(each.topic.removeprefix("landing."), each) for each in heard]


LISTENER = Listener()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        landyard_pages,
        Plugin("listener", LISTENER),
    ]
    built = world(page(PAGE, block(DRAFT)), page(11), sites=[site(8)])
    data = tmp_path_factory.mktemp("events")
    moment = datetime.now(UTC)
    with Service(plugins, data=data, world=built, now=moment) as service:
        LISTENER.take()
        yield service


def run(service: Service, words: Command, *said: str) -> list[tuple[str, Any]]:
    result = CliRunner().invoke(words, said, obj=ConsoleOf(service.kernel))
    assert result.exit_code == 0, result.output
    return LISTENER.take()


def topics(heard: list[tuple[str, Any]]) -> list[str]:
    assert all(event.user_id == 1 for _, event in heard)
    return [topic for topic, _ in heard]


def test_methods_publish_their_changes(service: Service) -> None:
    def heard(method: str, **params: Any) -> list[str]:
        service.result(method, params)
        return topics(LISTENER.take())

    made = service.result("landing.landing.addByTemplate", siteId=SITE, code="event")
    ((topic, event),) = LISTENER.take()
    assert (topic, event.subject, event.site_id) == ("page.created", f"page:{made}", SITE)
    service.result("landing.block.updatenodes", EDIT)
    ((topic, event),) = LISTENER.take()
    assert (topic, event.block_id, event.page_id) == ("block.edited", DRAFT, PAGE)
    assert heard("landing.landing.markDelete", lid=11) == ["page.trashed"]
    assert heard("landing.landing.markDelete", lid=11) == []  # the page was already in the trash
    assert heard("landing.landing.markDelete", lid=11, mark=False) == ["page.restored"]
    fields = {"TITLE": "New", "DELETED": "Y", "SITE_ID": 8}
    changed = ["page.moved", "page.trashed", "page.changed"]
    assert heard("landing.landing.update", lid=11, fields=fields) == changed
    assert heard("landing.landing.update", lid=11, fields={"DELETED": "N"}) == [
        "page.restored",
        "page.changed",
    ]
    service.result("landing.landing.move", lid=11, toSiteId=SITE)
    ((topic, event),) = LISTENER.take()
    assert (topic, event.site_id) == ("page.moved", SITE)
    assert heard("landing.landing.delete", lid=made) == ["page.deleted"]


def test_commands_and_jobs_publish_events_without_a_user(service: Service) -> None:
    (published,) = run(service, page_words, "publish", str(PAGE))
    assert (published[0], published[1].user_id) == ("page.published", 0)
    hidden = run(service, page_words, "unpublish", str(PAGE), "11")
    assert [(topic, each.page_id) for topic, each in hidden] == [
        ("page.unpublished", PAGE),
        ("page.unpublished", 11),
    ]
    service.result("landing.block.updatenodes", EDIT | {"data": {".title": "Newer"}})
    LISTENER.take()
    assert run(service, page_words, "undo", str(PAGE))[0][0] == "block.edited"
    service.result("landing.landing.markDelete", lid=11)
    LISTENER.take()
    assert run(service, trash_words, "restore", "11")[0][0] == "page.restored"
    service.result("landing.landing.markDelete", lid=11)
    LISTENER.take()
    service.later(days=31)
    service.run_jobs()
    assert [(topic, each.page_id) for topic, each in LISTENER.take()] == [("page.deleted", 11)]
