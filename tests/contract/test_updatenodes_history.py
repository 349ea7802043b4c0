"""`landing.block.updatenodes`: history entries and the additional check (B14, B15, C6)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import DRAFT, HTML, PAGE, draft_html, everything, one_page, stored

from landyard.testing import Service

METHOD = "landing.block.updatenodes"
EDIT: dict[str, Any] = {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}}
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


@pytest.mark.rule("B14")
def test_B14_an_edit_is_one_entry(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)

    service.result(METHOD, EDIT)

    (entry,) = stored(service, "landing_history")
    entry.pop("id")
    assert entry == {
        "page_id": PAGE,
        "block_id": DRAFT,
        "user_id": 1,
        "at": NOW.replace(tzinfo=None),
        "method": METHOD,
        "before": {"content": HTML},
        "after": {"content": HTML.replace(">Old<", ">New<")},
        "undone": False,
        "discarded": False,
    }


@pytest.mark.rule("B14")
def test_B14_parameters_are_in_the_entry(service: Service) -> None:
    component = "bitrix:catalog.section"

    service.result(METHOD, EDIT | {"data": {component: {"attrs": {"SECTION_ID": "5"}}}})

    (entry,) = stored(service, "landing_history")
    assert (entry["before"], entry["after"]) == (
        {"params": {}},
        {"params": {component: {"SECTION_ID": "5"}}},
    )


@pytest.mark.rule("B14", "C2")
def test_B14_the_documented_spelling_of_the_method_is_stored(service: Service) -> None:
    service.result("Landing.BLOCK.updateNodes", EDIT)

    assert [entry["method"] for entry in stored(service, "landing_history")] == [METHOD]


PREVENTED = [True, "Y", 1, 1.0, "on", "TRUE", "yes", "1"]
KEPT = [False, "N", 0, "", "false", "off", None]


@pytest.mark.rule("B14", "C6", "landing.block.updatenodes preventHistory")
def test_B14_preventHistory_leaves_no_entry(service: Service) -> None:
    for spelling in PREVENTED:
        service.result(METHOD, EDIT | {"preventHistory": spelling})

    assert stored(service, "landing_history") == []
    assert ">New<" in draft_html(service)


@pytest.mark.rule("B14", "C6", "landing.block.updatenodes preventHistory")
def test_B14_without_preventHistory_each_edit_is_an_entry(service: Service) -> None:
    for spelling in KEPT:
        service.result(METHOD, EDIT | {"preventHistory": spelling})

    assert len(stored(service, "landing_history")) == len(KEPT)


@contextmanager
def _writes_to_blocks_are_lost(service: Service) -> Iterator[None]:
    """A database that reports a written block without writing it."""
    engine = service.kernel.store.engine

    def lose(
        _connection: Any, _cursor: Any, sql: str, values: Any, _context: Any, _many: bool
    ) -> tuple[str, Any]:
        if sql.startswith("UPDATE landing_block "):
            sql = sql.replace(" WHERE ", " WHERE 1 = 0 AND ")
        return sql, values

    sa.event.listen(engine, "before_cursor_execute", lose, retval=True)
    yield
    sa.event.remove(engine, "before_cursor_execute", lose)


@pytest.mark.rule("B15", "C1", "landing.block.updatenodes INCORRECT_AFFECTED")
def test_B15_a_lost_write_is_incorrect_affected_and_changes_nothing(
    make_service: MakeService,
) -> None:
    service = make_service(world=one_page(), blocks={"verify_writes": True})
    before = everything(service)

    with _writes_to_blocks_are_lost(service):
        answer = service.call(METHOD, EDIT)

    assert (answer.status, answer.error) == (400, "INCORRECT_AFFECTED")
    assert everything(service) == before


@pytest.mark.rule("B15", "landing.block.updatenodes INCORRECT_AFFECTED")
def test_B15_a_lost_parameter_is_noticed(make_service: MakeService) -> None:
    service = make_service(world=one_page(), blocks={"verify_writes": True})
    data = {"bitrix:catalog.section": {"attrs": {"SECTION_ID": "5"}}}

    with _writes_to_blocks_are_lost(service):
        answer = service.call(METHOD, EDIT | {"data": data})

    assert answer.error == "INCORRECT_AFFECTED"


@pytest.mark.rule("B15")
def test_B15_a_written_block_passes_the_check(make_service: MakeService) -> None:
    service = make_service(world=one_page(), blocks={"verify_writes": True})
    component = {"attrs": {"SECTION_ID": [1.0, {"a": None}, 2**60], "MESS_BTN_BUY": "Кириллица"}}

    assert service.result(METHOD, EDIT | {"data": {"bitrix:catalog.section": component}}) is True


@pytest.mark.rule("B15")
def test_B15_without_the_setting_nothing_is_checked(service: Service) -> None:
    with _writes_to_blocks_are_lost(service):
        answer = service.call(METHOD, EDIT)

    assert answer.result is True
