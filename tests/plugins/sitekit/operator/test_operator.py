"""The methods for operators of sites: rights, files and their uses, the history of a page."""

from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import upload
from contract.worlds import CALLERS, DRAFT, EDITOR, PAGE, SITE, VIEWER, as_user, block, page, world

from landyard.testing import Service

ADMIN = "operator-webhook-0123456789"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(PAGE, block(DRAFT), active=True), users=CALLERS)
    made["webhooks"].append({"user": 1, "code": ADMIN, "scopes": ["admin", "landing"]})
    return make_service(world=made)


def asked(service: Service, method: str, **sent: Any) -> Any:
    return service.result(f"landyard.{method}", sent, webhook=ADMIN)


def rights(service: Service, user_id: int) -> Any:
    return next(each for each in asked(service, "right.list") if each["user_id"] == user_id)


def test_rights_are_answered_and_set(service: Service) -> None:
    edit = {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}}
    viewer = rights(service, VIEWER)
    assert (viewer["sites_access"], viewer["rights"]) == (True, {"*": ["view"]})
    assert service.call("landing.block.updatenodes", edit, **as_user(VIEWER)).error

    asked(service, "right.set", user_id=VIEWER, rights={"*": [], str(SITE): ["edit"]})

    assert rights(service, VIEWER)["rights"] == {"*": [], str(SITE): ["view", "edit"]}
    assert service.call("landing.block.updatenodes", edit, **as_user(VIEWER)).status == 200
    asked(service, "right.set", user_id=VIEWER, sites_access=False)
    assert rights(service, VIEWER)["rights"] == {"*": [], str(SITE): ["view", "edit"]}
    assert service.call("landing.block.getlist", lid=PAGE, **as_user(VIEWER)).error
    asked(service, "right.set", user_id=VIEWER, rights={})
    assert rights(service, VIEWER)["rights"] == {}


def test_a_file_is_answered_with_its_uses(service: Service) -> None:
    src = upload(service).result["src"]
    (unused,) = asked(service, "file.list")
    service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data={".pic": {"src": src}})
    used = asked(service, "file.list", page_id=PAGE)

    assert (unused["src"], unused["pages"], unused["sites"]) == (src, [], [])
    assert (unused["type"], unused["page_id"], unused["created_by"]) == ("image/png", PAGE, 1)
    assert used == [{**unused, "pages": [PAGE]}]
    assert asked(service, "file.list", page_id=PAGE + 1) == []


def test_an_unused_file_is_found_and_removed(service: Service) -> None:
    used, unused = (upload(service).result for _ in range(2))
    data = {".pic": {"src": used["src"]}}
    service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data=data)

    found = asked(service, "file.list", unused=True)
    assert [each["id"] for each in found] == [unused["id"]]
    assert asked(service, "file.remove", ids=[used["id"], unused["id"], 999]) == 1
    assert [each["id"] for each in asked(service, "file.list")] == [used["id"]]
    assert service.get(unused["src"]).status_code == 404
    assert asked(service, "file.remove", ids=[999]) == 0


def test_the_history_of_a_page_lists_its_changes(service: Service) -> None:
    for text in ("One", "Two"):
        service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data={".title": text})

    latest, first = asked(service, "page.history", id=PAGE)

    assert latest["id"] > first["id"]
    assert (latest["method"], latest["block_id"]) == ("landing.block.updatenodes", DRAFT)
    assert latest["changed"] == ["content: 'One' → 'Two'"]
    assert not latest["undone"]


@pytest.mark.parametrize(
    ("method", "sent", "code"),
    [
        ("right.list", {"start": "x"}, "TYPE_ERROR"),
        ("right.set", {}, "MISSING_PARAMS"),
        ("right.set", {"user_id": 99}, "USER_NOT_FOUND"),
        ("right.set", {"user_id": EDITOR, "sites_access": []}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": []}, ""),
        ("right.set", {"user_id": EDITOR, "rights": "x"}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": {"*": ["fly"]}}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": {"x": ["view"]}}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": {"0": ["view"]}}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": {"9" * 30: ["view"]}}, "TYPE_ERROR"),
        ("right.set", {"user_id": EDITOR, "rights": {"99": ["view"]}}, "SITE_NOT_FOUND"),
        ("file.list", {"page_id": "x"}, "TYPE_ERROR"),
        ("file.list", {"start": {}}, "TYPE_ERROR"),
        ("file.replace", {"id": 1}, "MISSING_PARAMS"),
        ("file.replace", {"id": "x", "by": 1}, "TYPE_ERROR"),
        ("file.replace", {"id": 98, "by": 99}, "FILE_NOT_FOUND"),
        ("page.history", {}, "MISSING_PARAMS"),
        ("page.history", {"id": 99}, "LANDING_NOT_EXIST"),
        ("page.history", {"id": PAGE, "start": []}, "TYPE_ERROR"),
    ],
)
def test_wrong_parameters_are_refused(service: Service, method: str, sent: Any, code: str) -> None:
    before = rights(service, EDITOR)

    answer = service.call(f"landyard.{method}", sent, webhook=ADMIN)

    assert (answer.error or "") == code
    assert code == "" or rights(service, EDITOR) == before
