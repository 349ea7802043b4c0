"""A file that comes into use while it is being deleted is kept; an unused file is deleted (P10,
U7).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, files, is_stored, picture
from contract.two_calls import meet, on_postgres
from contract.worlds import block, page, stored, world
from msgspec import Struct

from landyard.testing import Service
from landyard_content.history.edits import redo, undo

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
OWNER, USER = 12, 17
EDIT, UPDATE = "landing.block.updatenodes", "landing.landing.update"
DELETE = "landing.landing.delete"
JOB = "uploads.temporary"
PAGES = world(page(OWNER, block(120)), page(USER, block(170)))

Use = Callable[[Service, str], Any]


def put(service: Service, page_id: int = OWNER, **more: Any) -> str:
    sent = {"block": page_id * 10, "picture": picture(PNG), **more}
    return str(service.result("landing.block.uploadfile", sent)["src"])


def delete(service: Service, page_id: int) -> Any:
    return service.result(DELETE, lid=page_id)


def is_there(service: Service, src: str) -> bool:
    """Tell whether the file is kept: its row and its bytes exist and it is served, or none of
    these.
    """
    kept = service.get(src).status_code == 200
    assert bool(stored(service, "landing_file", key=src.split("/")[2])) is kept
    assert is_stored(service, src) is kept
    return kept


def show(service: Service, src: str) -> Any:
    return service.result(EDIT, lid=USER, block=170, data={".pic": {"src": src}})


def name_in_params(service: Service, src: str) -> Any:
    data = {"bitrix:catalog.section": {"attrs": {"MESS_BTN_BUY": src}}}
    return service.result(EDIT, lid=USER, block=170, data=data)


def name_in_fields(service: Service, src: str) -> Any:
    fields = {"ADDITIONAL_FIELDS": {"METAOG_IMAGE": src}}
    return service.result(UPDATE, lid=USER, fields=fields)


def undo_edit(service: Service, _src: str = "") -> Any:
    def work(unit: Any) -> Any:
        return undo(unit.connection, USER, service.kernel.now(), 1)

    return service.kernel.store.run(work, writes=True)


def redo_edit(service: Service, _src: str = "") -> Any:
    def work(unit: Any) -> Any:
        return redo(unit.connection, USER, service.kernel.now(), 1)

    return service.kernel.store.run(work, writes=True)


def show_and_hide(service: Service, src: str) -> None:
    show(service, src)
    show(service, "/other.png")


def show_and_undo(service: Service, src: str) -> None:
    show(service, src)
    undo_edit(service)


def nothing(_service: Service, _src: str) -> None: ...


class Way(Struct, frozen=True):
    """A way to use a file: the calls before it, and its last statement besides the history
    entry.
    """

    use: Use
    after: str = "UPDATE landing_block"
    first: Use = nothing


WAYS = {
    "HTML": Way(show),
    "parameters": Way(name_in_params),
    "additional field": Way(name_in_fields, "UPDATE landing_page"),
    "undo": Way(undo_edit, first=show_and_hide),
    "redo": Way(redo_edit, first=show_and_undo),
}


@pytest.mark.rule("P10", "state: delete")
@on_postgres
@pytest.mark.parametrize("way", WAYS)
def test_P10_a_file_that_is_coming_into_use_outlives_its_page(
    make_service: MakeService, way: str
) -> None:
    """The use is written and not committed yet, so the deletion of the page waits for it."""
    service = make_service(world=PAGES)
    src, unused = put(service), put(service)
    WAYS[way].first(service, src)

    met = meet(
        service,
        partial(WAYS[way].use, service, src),
        partial(delete, service, OWNER),
        after=WAYS[way].after,
    )

    assert met.first
    assert met.second is True
    assert stored(service, "landing_page", id=OWNER) == []
    assert [is_there(service, each) for each in (src, unused)] == [True, False]


def clean(service: Service) -> list[str]:
    service.now = NOW + timedelta(days=2)
    return service.run_jobs()


@pytest.mark.rule("U7")
@on_postgres
@pytest.mark.parametrize("way", ["HTML", "undo", "redo"])
def test_U7_a_temporary_file_that_is_coming_into_use_is_kept_for_good(
    make_service: MakeService, way: str
) -> None:
    service = make_service(world=PAGES, now=NOW)
    src, unused = put(service, temp=True), put(service, temp=True)
    WAYS[way].first(service, src)

    met = meet(
        service,
        partial(WAYS[way].use, service, src),
        partial(clean, service),
        after=WAYS[way].after,
    )

    assert met.first
    assert JOB in met.second
    assert [is_there(service, each) for each in (src, unused)] == [True, False]
    assert [bool(row["temporary"]) for row in stored(service, "landing_file")] == [False]


@pytest.mark.rule("P10")
@on_postgres
@pytest.mark.parametrize("order", [(OWNER, USER), (USER, OWNER)])
@pytest.mark.parametrize(
    ("after", "waits"), [("DELETE FROM landing_page", False), ("landing_file.key FOR UPDATE", True)]
)
def test_P10_a_file_is_deleted_when_its_page_and_its_last_user_are_deleted_at_once(
    make_service: MakeService, order: tuple[int, int], after: str, waits: bool
) -> None:
    """Neither deletion may leave the file to the other.

    A deletion that has not judged the file yet sees the other's changes. A deletion that has judged
    it makes the other wait.
    """
    service = make_service(world=PAGES)
    src = put(service)
    show(service, src)

    met = meet(
        service,
        *[partial(delete, service, each) for each in order],
        after=after,
    )

    assert (met.first, met.second, met.waited, met.errors) == (True, True, waits, [])
    assert not is_there(service, src)
    assert files(service) == {}


@pytest.mark.rule("P10", "state: delete")
def test_P10_a_file_of_a_deleted_page_is_deleted_with_the_last_page_that_names_it(
    make_service: MakeService,
) -> None:
    service = make_service(world=PAGES)
    src = put(service)
    name_in_fields(service, src)

    delete(service, OWNER)
    assert is_there(service, src)
    delete(service, USER)

    assert not is_there(service, src)
    assert files(service) == {}
