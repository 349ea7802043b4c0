"""The addresses of a world's pages are unique once everything is loaded (P11)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import everything, page, stored, world

from landyard import WorldError
from landyard.testing import Service

HAVE = world(page(10, code="a"), page(11, code="b"), page(12, code="gone", deleted=True))

REFUSED: dict[str, list[dict[str, Any]]] = {
    "one that another page has": [page(50, code="a")],
    "one that a page of the file has": [page(50, code="new"), page(51, code="new")],
    "a moved page's": [page(10, code="b")],
    "a restored page's": [page(12, code="a", deleted=False)],
}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=HAVE)


@pytest.mark.rule("P11")
@pytest.mark.parametrize("pages", REFUSED.values(), ids=REFUSED)
def test_P11_a_taken_address_is_refused(service: Service, pages: list[dict[str, Any]]) -> None:
    before = everything(service)

    with pytest.raises(WorldError) as refused:
        service.load({"pages": pages})

    assert str(refused.value).startswith(f"pages[{len(pages) - 1}].code: is taken by page")
    assert everything(service) == before


@pytest.mark.rule("P11")
def test_P11_a_page_without_an_id_is_found_by_its_address(service: Service) -> None:
    service.load({"pages": [{"site": 7, "code": "b", "title": "Found"}]})

    assert [row["title"] for row in stored(service, "landing_page")] == ["", "Found", ""]


@pytest.mark.rule("P11")
def test_P11_pages_may_exchange_their_addresses(service: Service) -> None:
    service.load({"pages": [page(10, code="b"), page(11, code="a")]})

    assert [row["code"] for row in stored(service, "landing_page")] == ["b", "a", "gone"]


@pytest.mark.rule("P11")
def test_P11_pages_in_the_trash_hold_no_address(service: Service) -> None:
    service.load({"pages": [page(50, code="gone")]})

    assert [row["code"] for row in stored(service, "landing_page")] == ["a", "b", "gone", "gone"]
