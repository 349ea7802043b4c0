"""Files that are removed for good, and calls that can be undone (part 11)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.test_undo import UNDO
from contract.worlds import block, page, world

from landyard.testing import WEBHOOK, Service

REMOVE, NODES = "landyard.file.remove", "landing.block.updatenodes"
PICTURE = ["a.gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(10, block(100)))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    return make_service(world=made)


def uploaded(service: Service) -> Any:
    return service.result("landing.block.uploadfile", block=100, picture=PICTURE)


def show(service: Service, src: str) -> str:
    picture = {"lid": 10, "block": 100, "data": {".pic": {"src": src}}}
    return service.call(NODES, picture).request_id


def test_the_removal_of_a_file_cannot_be_undone(service: Service) -> None:
    kept = uploaded(service)
    removed = service.call(REMOVE, {"ids": [kept["id"]]})

    assert removed.result == 1
    assert service.call(UNDO, {"id": removed.request_id}).error == "UNDO_NOT_POSSIBLE"


def test_a_file_that_an_undo_would_restore_is_not_removed(service: Service) -> None:
    kept = uploaded(service)
    show(service, kept["src"])
    replaced = show(service, "/b.png")

    assert service.result(REMOVE, {"ids": [kept["id"]]}) == 0

    assert service.call(UNDO, {"id": replaced}).status == 200
    assert service.get(kept["src"]).status_code == 200


def test_a_file_is_deleted_once_no_call_needs_it(service: Service) -> None:
    kept = uploaded(service)
    show(service, kept["src"])
    show(service, "/b.png")
    service.call(REMOVE, {"ids": [kept["id"]]})
    service.later(days=20)
    service.run_jobs()
    assert service.get(kept["src"]).status_code == 200

    for _ in range(2):
        service.later(days=20)
        service.run_jobs()

    assert service.get(kept["src"]).status_code == 404
