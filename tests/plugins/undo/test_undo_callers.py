"""The owner of a call and the rights to undo it: shared request ids, and undone undos."""

from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.test_undo import UNDO
from contract.worlds import block, page, user, world
from plugins.undo.test_undo import EDITOR, NODES, OTHER, content, edit, only_sqlite, undo

from landyard import UserAccessError
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming

EDITORS: dict[str, Any] = {"webhook": EDITOR, "user": OTHER}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(10, block(100), block(101)))
    made["users"].append(user(OTHER, sites_access=True, rights={"*": ["edit"]}))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    made["webhooks"].append({"user": OTHER, "code": EDITOR, "scopes": ["landing"]})
    return make_service(world=made)


def send(
    service: Service,
    as_id: str,
    method: str,
    params: Any,
    *,
    user: int = 1,
    webhook: str = WEBHOOK,
) -> Answer:
    """Call with an X-Request-Id of the caller's choice."""
    path, body = f"/{user}/{webhook}/{method}.json", msgspec.json.encode(params)
    return service.send(Incoming("POST", path, body=body, id=as_id))


def title(value: str, of: int = 100) -> dict[str, Any]:
    return {"lid": 10, "block": of, "data": {".title": value}}


@only_sqlite
def test_undoing_an_undo_needs_the_rights_of_the_call(service: Service) -> None:
    undone = undo(service, edit(service, "x", **EDITORS), **EDITORS)
    again = undo(service, undo(service, undone, **EDITORS), **EDITORS)
    rights = {"user_id": OTHER, "sites_access": True, "rights": {"*": ["view"]}}
    service.result("landyard.right.set", rights)

    assert undo(service, again, **EDITORS).error == UserAccessError.code


@only_sqlite
def test_undoing_an_undo_needs_the_scope_of_the_call(service: Service) -> None:
    undone = undo(service, edit(service, "x", **EDITORS), **EDITORS)
    made = service.result("landyard.token.add", {"user_id": OTHER, "scopes": ["console"]})
    body = msgspec.json.encode({"id": undone.request_id, "auth": made["token"]})

    answer = service.send(Incoming("POST", f"/{UNDO}.json", body=body))

    assert answer.error == UserAccessError.code


@only_sqlite
def test_an_id_sent_by_others_too_means_the_callers_own_call(service: Service) -> None:
    first, second = content(service), content(service, 101)
    assert send(service, "seen", NODES, title("Mine")).result
    assert send(service, "seen", NODES, title("Theirs", 101), **EDITORS).result

    theirs = send(service, "of-theirs", UNDO, {"id": "seen"}, **EDITORS)
    assert theirs.status == 200
    assert "Mine" in content(service)
    assert content(service, 101) == second

    mine = undo(service, Answer(200, {}, "seen"))
    assert mine.status == 200
    assert content(service) == first
    assert undo(service, mine).status == 200
    assert "Mine" in content(service)
    assert content(service, 101) == second
    assert undo(service, theirs, **EDITORS).status == 200
    assert "Theirs" in content(service, 101)


@only_sqlite
def test_an_id_of_several_other_callers_is_refused(make_service: MakeService) -> None:
    made = world(page(10, block(100), block(101)))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    for number in (12, 13):
        made["users"].append(user(number, sites_access=True, rights={"*": ["edit"]}))
        code = f"{EDITOR}-{number}"
        made["webhooks"].append({"user": number, "code": code, "scopes": ["landing"]})
    service = make_service(world=made)
    for number in (12, 13):
        title_call = title(f"by {number}", 88 + number)
        hook = f"{EDITOR}-{number}"
        assert send(service, "same", NODES, title_call, user=number, webhook=hook).result

    answer = undo(service, Answer(200, {}, "same"))

    assert answer.error == "UNDO_NOT_POSSIBLE"
    assert "Several users" in answer.body["error_description"]


@only_sqlite
def test_an_undo_has_an_id_of_its_own(service: Service) -> None:
    send(service, "same", NODES, title("Mine"))

    answer = send(service, "same", UNDO, {"id": "same"})
    batch = send(service, "same", "batch", {"cmd": [f"{UNDO}?id=same"]})

    assert answer.error == "UNDO_NOT_POSSIBLE"
    assert [each["error"] for each in batch.result["result_error"]] == ["UNDO_NOT_POSSIBLE"]
    assert "of its own" in answer.body["error_description"]
    assert send(service, "other", UNDO, {"id": "same"}).status == 200
    assert send(service, "same", UNDO, {"id": "other"}).error == "UNDO_NOT_POSSIBLE"
