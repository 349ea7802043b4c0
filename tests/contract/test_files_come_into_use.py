"""Two calls at once: one starts to use a file, the other deletes the page of its upload (P10)."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, picture
from contract.templates import template
from contract.two_calls import meet, on_postgres
from contract.worlds import CODE, block, page, stored, tree, world

from landyard.testing import Service

COMPONENT = "bitrix:catalog.section"
DELETE, ADD = "landing.landing.delete", "landing.landing.addByTemplate"
NOW, DAY = datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=1)


def uploaded(service: Service, block_id: int) -> str:
    sent = {"block": block_id, "picture": picture(PNG)}
    return str(service.result("landing.block.uploadfile", sent)["src"])


def added(how: str, src: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A template, and the fields with which a page made from it uses the file."""
    if how == "template":
        fields = {"ADDITIONAL_FIELDS": {"METAOG_IMAGE": src}}
        return template(blocks=[], fields=fields), {}
    asks = template(blocks=[{"code": CODE, "params": {COMPONENT: {"MESS_BTN_BUY": ""}}}])
    if how == "title":
        return asks, {"TITLE": src}
    data = {CODE: {"ACTION": "changeComponentParams", "PARAMS": {"MESS_BTN_BUY": src}}}
    return asks, {"PREPARE_BLOCKS": True, "PREPARE_BLOCKS_DATA": data}


@on_postgres
@pytest.mark.rule("P10", "P12")
@pytest.mark.parametrize("how", ["params", "title", "template"])
def test_P10_a_file_that_a_new_page_uses_is_kept(make_service: MakeService, how: str) -> None:
    service = make_service(world=tree())
    src = uploaded(service, 120)
    promo, fields = added(how, src)
    service.load({"templates": [promo]})

    add = partial(service.result, ADD, siteId=7, code="promo", fields=fields)
    meet(service, add, partial(service.result, DELETE, lid=12), after="FOR KEY SHARE")

    assert service.get(src).status_code == 200


@on_postgres
@pytest.mark.rule("P10")
def test_P10_a_file_that_a_loaded_page_uses_is_kept(make_service: MakeService) -> None:
    service = make_service(world=tree())
    src = uploaded(service, 120)
    using = block(180, content=f'<section><img src="{src}"></section>')

    load = partial(service.load, {"pages": [page(18, using)]})
    meet(service, load, partial(service.result, DELETE, lid=12), after="FOR KEY SHARE")

    assert service.get(src).status_code == 200


@on_postgres
@pytest.mark.rule("P10", "P4")
def test_a_restoring_update_and_the_deletion_of_a_main_page_do_not_deadlock(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree())
    fields = {"DELETED": "N", "ADDITIONAL_FIELDS": {"METAOG_IMAGE": uploaded(service, 100)}}

    update = partial(service.result, "landing.landing.update", lid=13, fields=fields)
    delete = partial(service.result, DELETE, lid=10)
    met = meet(service, update, delete, after="UPDATE landing_page")

    assert met.errors == []


@pytest.mark.rule("P9")
def test_P9_a_trashed_page_of_a_world_gets_the_time_of_its_deletion(
    make_service: MakeService,
) -> None:
    trashed = page(11, deleted=True, deleted_at=None)
    service = make_service(world=world(page(10), trashed), now=NOW)
    service.now = NOW + 20 * DAY
    service.result("landing.landing.update", lid=11, fields={"TITLE": "x"})

    service.now = NOW + 31 * DAY
    service.run_jobs()

    assert [row["id"] for row in stored(service, "landing_page")] == [10]


def test_P9_a_page_that_a_world_restores_loses_the_time_of_its_deletion(
    make_service: MakeService,
) -> None:
    service = make_service(world=world(page(10), page(11, deleted=True)), now=NOW)

    service.load({"pages": [{"id": 11, "site": 7, "deleted": False}]})

    assert stored(service, "landing_page", id=11)[0]["deleted_at"] is None
