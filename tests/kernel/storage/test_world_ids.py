"""The ids that a world assigns are never those of deleted rows."""

from typing import Any

import pytest
from conftest import MakeService
from contract.templates import template
from contract.worlds import block, page, stored, tree

from landyard.testing import Service

GIVEN = 25  # less than the highest existing id
UNNAMED = {"site": 7, "code": "unnamed", "blocks": [{"code": "test.all"}]}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world={**tree(), "templates": [template()]})


def added(service: Service) -> Any:
    return service.result("landing.landing.addByTemplate", siteId=7, code="promo")


def ids(service: Service) -> dict[str, set[int]]:
    names = ("landing_page", "landing_block")
    return {name: {row["id"] for row in stored(service, name)} for name in names}


def deleted_last(service: Service) -> dict[str, set[int]]:
    """Make the last page and blocks, delete them, and return all ids that ever existed."""
    page_id = added(service)
    ever = ids(service)
    service.result("landing.landing.delete", lid=page_id)
    return ever


def assert_new(service: Service, ever: dict[str, set[int]], *but: int) -> None:
    """Assert that there are new pages and blocks, and that none has an id used before."""
    for name, known in ever.items():
        present = ids(service)[name]
        fresh = present - known - set(but)
        assert fresh, name
        assert min(fresh) > max(known), name


LOADS: dict[str, list[Any]] = {
    "unlisted": [UNNAMED],
    "unlisted beside given": [UNNAMED, page(GIVEN, block(GIVEN * 10))],
}


@pytest.mark.rule("P10", "state: delete")
@pytest.mark.parametrize("load", LOADS)
def test_P10_a_load_assigns_no_id_of_a_deleted_page(service: Service, load: str) -> None:
    ever = deleted_last(service)

    service.load({"pages": LOADS[load]})

    assert_new(service, ever, GIVEN, GIVEN * 10)


@pytest.mark.rule("P10", "state: delete")
def test_P10_a_call_after_a_load_with_given_ids_assigns_no_used_id(service: Service) -> None:
    ever = deleted_last(service)

    service.load({"pages": [page(GIVEN, block(GIVEN * 10))]})
    added(service)

    assert_new(service, ever, GIVEN, GIVEN * 10)


@pytest.mark.rule("P10", "state: delete")
@pytest.mark.parametrize("again", ["call", "load"])
def test_P10_an_id_given_by_a_world_is_not_assigned_again(service: Service, again: str) -> None:
    service.load({"pages": [page(1000, block(10000))]})
    ever = ids(service)
    service.result("landing.landing.delete", lid=1000)
    service.load({"pages": [page(GIVEN, block(GIVEN * 10))]})

    if again == "call":
        added(service)
    else:
        service.load({"pages": [UNNAMED]})

    assert_new(service, ever, GIVEN, GIVEN * 10)
