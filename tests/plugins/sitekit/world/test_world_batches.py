"""A world of many batches is loaded like one batch, and each batch costs the same few
statements.
"""

from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, world
from corpora import read_data
from kernel import statements

from landyard import WorldError
from landyard.storage import world as world_module
from landyard.testing import Service

FULL = read_data(f"{__file__.removesuffix('batches.py')}landing.py", "FULL", dict[str, Any])


def many(numbers: range, *, named: bool) -> dict[str, Any]:
    """Build pages with blocks: drafts and copies; pages with an address come without ids too."""
    pages = [page(n, block(n * 10, published_id=n * 10 + 1), {"code": "x"}) for n in numbers]
    for built in () if named else pages:
        del built["id"], built["blocks"][1]
    return world(*pages)


def cost(service: Service, built: dict[str, Any]) -> int:
    with statements.noted(service.kernel.store) as seen:
        service.kernel.load(msgspec.json.encode(built))
    return len(seen)


def test_world_of_many_batches_is_loaded_like_one(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, divided = make_service(world={}), make_service(world={})
    whole.load(FULL)

    monkeypatch.setattr(world_module, "_TOGETHER", 1)
    divided.load(FULL)
    before = everything(divided)
    again = divided.kernel.load(msgspec.json.encode(FULL))

    assert b"".join(divided.kernel.dump()) == b"".join(whole.kernel.dump())
    assert (again.created, again.updated) == (0, 0)
    assert everything(divided) == before


@pytest.mark.parametrize("named", [True, False], ids=["with ids", "without"])
def test_world_statements_depend_on_batches_and_not_on_pages(
    make_service: MakeService, *, named: bool
) -> None:
    service = make_service(world=many(range(1, 3), named=named))
    few, more = many(range(3, 6), named=named), many(range(10, 90), named=named)

    assert cost(service, few) == cost(service, more)
    assert cost(service, few) == cost(service, more)


def test_world_an_id_is_listed_once_over_all_batches(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world_module, "_TOGETHER", 1)
    service = make_service(world={})
    pages = [page(number, block(number + 1023)) for number in range(1, 5)]

    with pytest.raises(WorldError, match=r"pages\[4\]\.blocks\[0\]\.id: 1026 is listed twice"):
        service.load(world(*pages, page(9, block(1026))))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_world_pages_of_a_batch_are_found_by_their_addresses(make_service: MakeService) -> None:
    """An index with its columns in another order would be scanned for the whole site each time."""
    service = make_service(world={})
    with statements.noted(service.kernel.store) as seen:
        service.kernel.load(msgspec.json.encode(many(range(1, 3), named=True)))

    (query,) = {each for each in seen if "landing_page.code IN" in each}
    values = (7,) * query.count("?")
    with service.kernel.store.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values).all()
    assert "ix_landing_page_address" in str(plan)
