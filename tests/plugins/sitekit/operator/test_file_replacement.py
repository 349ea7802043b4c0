"""Replacing a file by another: in drafts, published copies, and fields of pages and sites."""

from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import upload
from contract.worlds import DRAFT, PAGE, PUBLISHED, SITE, block, draft_html, page, stored, world

from landyard.testing import WEBHOOK, Answer, Service

OTHER, MARKED = 11, 111


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(
        page(PAGE, block(DRAFT, published_id=PUBLISHED), active=True, published=True),
        page(OTHER, block(110), block(MARKED)),
    )
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    return make_service(world=made)


def put(service: Service, picture: Any) -> None:
    """Use a picture everywhere: in drafts, published copies, and fields."""
    for page_id, block_id in ((PAGE, DRAFT), (OTHER, 110), (OTHER, MARKED)):
        data = {".pic": {"src": picture["src"]}}
        service.result("landing.block.updatenodes", lid=page_id, block=block_id, data=data)
    service.result("landing.landing.publication", lid=PAGE)
    fields = {"ADDITIONAL_FIELDS": {"METAOG_IMAGE": f"https://shop.example{picture['src']}"}}
    service.result("landing.landing.update", lid=OTHER, fields=fields)
    service.result("landing.site.update", id=SITE, fields=fields)
    service.result("landing.landing.markdeletedblock", lid=OTHER, block=MARKED)


def replace(service: Service, old: Any, new: Any, **more: Any) -> Answer:
    return service.call("landyard.file.replace", {"id": old["id"], "by": new["id"], **more})


def texts(service: Service) -> list[str]:
    """Every stored text that may mention a file."""
    rows = [*stored(service, "landing_block"), *stored(service, "landing_page")]
    rows += stored(service, "landing_site")
    return [f"{row.get('content')}{row.get('additional_fields')}" for row in rows]


def test_the_new_file_is_used_wherever_the_old_one_was(service: Service) -> None:
    old, new = (upload(service, name=name).result for name in ("old.png", "new.png"))
    put(service, old)
    service.result(
        "landing.block.updatenodes", lid=PAGE, block=DRAFT, data={".title": "Not published"}
    )

    answer = replace(service, old, new)

    assert answer.result == {"pages": [PAGE, OTHER], "sites": [SITE]}
    written = texts(service)
    assert not any(old["src"] in each for each in written)
    assert sum(new["src"] in each for each in written) == 6
    assert f"https://shop.example{new['src']}" in str(stored(service, "landing_site"))
    shown = service.get(f"/site-{SITE}/page-{PAGE}/").text
    assert new["src"] in shown
    assert "Not published" not in shown
    unused = service.result("landyard.file.list", unused=True)
    assert [each["id"] for each in unused] == [old["id"]]


def test_a_page_without_unpublished_changes_has_none_afterwards(service: Service) -> None:
    old, new = upload(service).result, upload(service).result
    put(service, old)

    replace(service, old, new)

    params = {"filter": {"ID": PAGE}, "get_publication": True}
    (found,) = service.result("landing.landing.getList", {"params": params})
    assert (found["PUBLISHED"], found["CHANGED"]) == ("Y", "N")


def test_the_replacement_is_an_edit_in_the_history_of_each_draft(service: Service) -> None:
    old, new = upload(service).result, upload(service).result
    put(service, old)
    replace(service, old, new)

    latest = service.result("landyard.page.history", id=OTHER)[0]
    assert (latest["method"], latest["block_id"]) == ("landyard.file.replace", 110)
    service.result("landing.landing.history.undo", lid=OTHER)

    assert old["src"] in draft_html(service, 110)
    assert new["src"] in draft_html(service, DRAFT)


def test_the_call_is_undone_whole(service: Service) -> None:
    old, new = upload(service).result, upload(service).result
    put(service, old)
    before = texts(service)

    answer = replace(service, old, new)
    assert texts(service) != before
    service.result("landyard.call.undo", id=answer.request_id)

    assert texts(service) == before


def test_a_dry_run_lists_the_uses_and_keeps_nothing(service: Service) -> None:
    old, new = upload(service).result, upload(service).result
    put(service, old)
    before = texts(service)

    answer = replace(service, old, new, dry_run=True)

    assert answer.result == {"pages": [PAGE, OTHER], "sites": [SITE]}
    assert texts(service) == before


def test_a_file_that_nothing_mentions_is_replaced_nowhere(service: Service) -> None:
    old, new = upload(service).result, upload(service).result
    put(service, new)
    before = texts(service)

    assert replace(service, old, new).result == {"pages": [], "sites": []}
    assert replace(service, new, new).result == {"pages": [], "sites": []}
    assert texts(service) == before


def test_the_replacement_is_in_the_audit_with_the_file(service: Service) -> None:
    old, new = upload(service).result, upload(service).result

    replace(service, old, new)

    (line,) = service.result("landyard.audit.list", {"method": "landyard.file.replace"})
    assert (line["subject"], line["outcome"]) == (f"file:{old['id']}", "ok")
