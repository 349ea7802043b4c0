"""An undo publishes events like any other edit of a page."""

from collections.abc import Iterable
from typing import Any

from contract.worlds import block, page, world

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
import landyard_sites
import landyard_undo
from landyard import Event, Plugin, Subscriber, hookimpl
from landyard.testing import WEBHOOK, Service
from landyard_landing.events import PageEvent, SiteEvent


class Listener:
    def __init__(self) -> None:
        self.heard: list[Event] = []

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Subscriber(each, self._hear) for each in (PageEvent, SiteEvent)]

    def _hear(self, _unit: Any, event: Event) -> None:
        self.heard.append(event)

    def take(self) -> list[str]:
        heard, self.heard = self.heard, []
        return [f"{each.topic.removeprefix('landing.')} {each.subject}" for each in heard]


def test_an_undo_publishes_what_it_does() -> None:
    listener = Listener()
    ours = (
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        landyard_pages,
        landyard_sites,
    )
    built = world(page(10, block(100)))
    built["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["landing"]}]
    with Service([*ours, landyard_undo, Plugin("listener", listener)], world=built) as service:
        told = {}
        for name, params in (
            ("block.updatenodes", {"lid": 10, "block": 100, "data": {".title": "New"}}),
            ("landing.update", {"lid": 10, "fields": {"TITLE": "New"}}),
            ("landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}}),
            ("site.update", {"id": 7, "fields": {"TITLE": "New"}}),
        ):
            done = service.call(f"landing.{name}", params)
            assert done.error is None
            listener.take()
            undone = service.call("landyard.call.undo", {"id": done.request_id})
            of_undo = listener.take()
            service.call("landyard.call.undo", {"id": undone.request_id})
            told[name] = (of_undo, listener.take())

    new = "page:11"
    assert told == {
        "block.updatenodes": (["block.edited page:10"], ["block.edited page:10"]),
        "landing.update": (["page.changed page:10"], ["page.changed page:10"]),
        "landing.add": ([f"page.deleted {new}"], [f"page.created {new}"]),
        "site.update": (["site.changed site:7"], ["site.changed site:7"]),
    }
