"""Every change of a draft publishes an edit event of its block and page."""

from collections.abc import Iterable
from typing import Any

from contract.worlds import PAGE
from plugins.blocks.drafts import FAR, ONE, OTHER, THREE, TWO, do, two_pages

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_public
import landyard_sitekit
from landyard import Plugin, Subscriber, hookimpl
from landyard.testing import Service
from landyard_landing.events import PageEvent


class Heard:
    """A plugin that records all events of pages."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Subscriber(PageEvent, lambda _, event: self.heard.append(event))]


def test_each_change_of_a_draft_publishes_its_event() -> None:
    ear = Heard()
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        Plugin("ear", ear),
    ]
    with Service(plugins, world=two_pages()) as service:
        ear.heard.clear()
        for name, block_id in (
            ("copyblock", ONE),
            ("downblock", ONE),
            ("hideblock", ONE),
            ("hideblock", ONE),  # it is hidden already
            ("markdeletedblock", TWO),
            ("updateCards", ONE),
            ("deleteblock", THREE),
        ):
            assert do(service, name, block_id, data={}).error is None
        do(service, "moveblock", FAR)
        service.result("landing.landing.history.undo", {"lid": PAGE})

    copied = 202
    assert [(event.topic, event.page_id, event.block_id) for event in ear.heard] == [
        ("landing.block.edited", page_id, block_id)
        for page_id, block_id in (
            *((PAGE, copied), (PAGE, ONE), (PAGE, ONE), (PAGE, TWO), (PAGE, ONE), (PAGE, THREE)),
            *((OTHER, FAR), (PAGE, FAR), (PAGE, FAR)),
        )
    ]
