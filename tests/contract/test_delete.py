"""`landing.landing.delete` removes a page for good (contract 4.10; P10)."""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import everything, page, stored, tree

from landyard.testing import Answer, Service

DELETE = "landing.landing.delete"


def _delete(service: Service, page_id: Any, **more: Any) -> Answer:
    return service.call(DELETE, {"lid": page_id, **more})


def _ids(service: Service, table: str) -> set[int]:
    return {each["id"] for each in stored(service, table)}


def _edited(service: Service, page_id: int) -> None:
    data = {".title": f"Edited {page_id}"}
    edit = {"lid": page_id, "block": page_id * 10, "data": data}
    assert service.result("landing.block.updatenodes", edit) is True


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule("P10", f"{DELETE} result", f"{DELETE} lid", "state: delete")
def test_P10_the_page_its_blocks_and_its_history_are_deleted(service: Service) -> None:
    for page_id in (10, 12, 14, 16):
        _edited(service, page_id)
    pages, blocks = _ids(service, "landing_page"), _ids(service, "landing_block")
    history = {10, 12, 14, 16}

    for page_id in [10, 11, 12, 15, 16, 17, 18, 20, 40]:
        assert _delete(service, page_id).result is True
        pages -= {page_id}
        blocks -= {page_id * 10, page_id * 10 + 1}
        history -= {page_id}
        assert _ids(service, "landing_page") == pages
        assert _ids(service, "landing_block") == blocks
        assert {each["page_id"] for each in stored(service, "landing_history")} == history


@pytest.mark.rule("P10", "R6")
def test_R6_a_page_in_the_trash_is_deleted_too(service: Service) -> None:
    assert _delete(service, 13).result is True
    assert 13 not in _ids(service, "landing_page")


@pytest.mark.rule("P10")
def test_P10_a_site_loses_its_main_page_and_a_folder_its_index_page(
    service: Service,
) -> None:
    for page_id in (10, 11):
        _delete(service, page_id)

    mains = {each["id"]: each["main_page_id"] for each in stored(service, "landing_site")}
    assert mains == {6: None, 7: None, 8: 20, 9: None}
    assert {each["index_page_id"] for each in stored(service, "landing_folder")} == {None}
    assert [service.get(f"/site-7/{path}").status_code for path in ("", "catalog/")] == [404, 404]


@pytest.mark.rule("P10")
def test_P10_another_site_that_names_the_page_forgets_it(service: Service) -> None:
    """An undo may restore a reference to a page that has been moved to another site since."""
    with service.kernel.store.session(writes=True) as session:
        named = sa.text("UPDATE landing_site SET main_page_id = 40, page_404_id = 40 WHERE id = 7")
        session.connection().execute(named)

    assert _delete(service, 40).result is True
    (left,) = [each for each in stored(service, "landing_site") if each["id"] == 7]
    assert (left["main_page_id"], left["page_404_id"]) == (None, None)


@pytest.mark.rule(f"{DELETE} LANDING_IS_LOCK", "P10")
def test_P10_a_locked_page_is_not_deleted(make_service: MakeService) -> None:
    service = make_service(world=tree(page(21, locked=True, deleted=True)))
    before = everything(service)

    assert [_delete(service, page_id).error for page_id in (14, 21)] == ["LANDING_IS_LOCK"] * 2
    assert everything(service) == before


@pytest.mark.rule("P10", f"{DELETE} LANDING_NOT_EXIST")
def test_P10_a_second_delete_finds_no_page(service: Service) -> None:
    assert [_delete(service, 12).error for _ in range(2)] == [None, "LANDING_NOT_EXIST"]
