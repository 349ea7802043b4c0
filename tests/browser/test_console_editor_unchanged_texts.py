"""A text that is opened and left keeps every byte, and nothing is sent."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from browser.conftest import Demo
from browser.console_editor import OPEN_ALL, Editing, Opened, make_page
from browser.payloads import alive
from contract.hostile_ways import PAGES, send_everything, world
from contract.worlds import user
from plugins.catalogue.shipped import PAGES as CATALOGUE
from plugins.catalogue.shipped import TYPES
from plugins.html.hostile_texts import OF_A_BLOCK, TEXTS

from landyard.testing import WEBHOOK, Service
from landyard_content.blocks.blocktypes import catalogue
from landyard_content.pages.templates import builtin_templates

SENDER = 90
TEMPLATES = {
    code: each for code, each in {**CATALOGUE, **builtin_templates()}.items() if each.blocks
}
SHIPPED = {**catalogue(), **TYPES}
NORMAL = {"agency", "restaurant"}  # the other templates take minutes
# The hosts that blocks of a world file may load from, for visitors too.
LOADING = {text.number for text in TEXTS if text.name in OF_A_BLOCK}


@pytest.fixture(scope="module")
def pages(demo: Demo) -> dict[str, int]:
    """A page of each template, and one with a block of each type; by code."""
    made = {"all types": make_page(demo, 0, [{"code": code} for code in SHIPPED])}
    for number, (code, template) in enumerate(TEMPLATES.items(), 1):
        blocks: list[Mapping[str, Any]] = [
            {"code": block.code, "content": block.content} for block in template.blocks
        ]
        made[code] = make_page(demo, number, blocks)
    return made


async def _open_all(tab: Opened) -> tuple[dict[str, Any], list[str]]:
    found = await tab.page.evaluate(OPEN_ALL)
    return found, tab.writes


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, marks=[] if code in NORMAL else [pytest.mark.soak])
        for code in ("all types", *TEMPLATES)
    ],
)
def test_texts_that_are_opened_and_left_keep_every_byte_and_send_nothing(
    editing: Editing, pages: Mapping[str, int], code: str
) -> None:
    before = editing.contents(pages[code])

    (found, writes), visit = editing.act(pages[code], _open_all)

    assert (found["opened"] > 0, found["odd"], writes) == (True, [], [])
    assert editing.contents(pages[code]) == before
    assert (visit.complaints, visit.violations) == ([], [])


@pytest.fixture(scope="module")
def hostile(demo: Demo) -> dict[str, int]:
    """Pages with every hostile text and value of the tests, as far as the service accepts them."""
    people = {
        "users": [user(SENDER, admin=True)],
        "webhooks": [{"user": SENDER, "code": WEBHOOK, "scopes": ["landing"]}],
    }
    with Service(data=demo.data, world={**world(), **people}, public_base=demo.base) as service:
        send_everything(partial(service.result, user=SENDER))
    return PAGES


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "whole" else [pytest.mark.soak])
        for name in sorted(PAGES)
    ],
)
def test_hostile_texts_are_kept_and_do_not_run(
    editing: Editing, hostile: Mapping[str, int], name: str
) -> None:
    before = editing.contents(hostile[name])

    (found, writes), visit = editing.act(hostile[name], _open_all, patience=900)

    assert (found["odd"], writes) == ([], [])
    assert editing.contents(hostile[name]) == before
    assert alive(visit) - (LOADING if name == "whole" else set()) == set()
    assert (visit.ran, visit.dialogs) == ([], [])
