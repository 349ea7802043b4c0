"""An undo that is refused or has nothing to do answers the right code, with the rows."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import MakeService
from contract.two_calls import meet
from contract.worlds import block, page, stored, world
from plugins.undo.test_undo import NODES, edit, undo

from landyard.testing import Answer, Service

UNDO = "landyard.call.undo"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(10, block(100)), page(11, block(110))))


def _rows(answer: Answer) -> list[tuple[str, Any]]:
    assert answer.error == "UNDO_CONFLICT", answer
    return [(each["table"], each["id"]) for each in answer.body["error_data"]["rows"]]


def _calls(answer: Answer) -> set[str]:
    return {call["id"] for each in answer.body["error_data"]["rows"] for call in each["calls"]}


def test_of_many_concurrent_undos_of_a_call_one_succeeds_and_the_others_name_its_caller(
    service: Service,
) -> None:
    done = edit(service, "Mine")

    with ThreadPoolExecutor(12) as pool:
        answers = [*pool.map(lambda _: undo(service, done), range(12))]

    (first,) = [each for each in answers if each.error is None]
    others = [each for each in answers if each is not first]
    assert {each.error for each in others} == {"UNDO_NOT_POSSIBLE"}
    assert all(first.result["id"] in each.body["error_description"] for each in others)


@pytest.mark.parametrize(
    "database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
@pytest.mark.parametrize("after", ["undo_entry", "landing_block"])
def test_an_undo_during_another_is_refused_as_already_running(service: Service, after: str) -> None:
    done = service.call("landing.landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7}})
    if after == "landing_block":
        done = edit(service, "Mine")

    met = meet(service, lambda: undo(service, done), lambda: undo(service, done), after=after)

    assert (met.first.error, met.second.error) == (None, "UNDO_NOT_POSSIBLE")


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("landing.landing.update", {"lid": 10, "fields": {"TITLE": "Page 10"}}),
        (NODES, {"lid": 10, "block": 100, "data": {".title": "Same"}}),
    ],
)
def test_an_undo_without_an_effect_counts_as_done(
    service: Service, call: str, more: dict[str, Any]
) -> None:
    edit(service, "Same")
    service.result("landing.landing.update", lid=10, fields={"TITLE": "Page 10"})
    done = service.call(call, more)
    again = service.call(call, more)  # it changes only the editor and the time of the last change

    first, second = undo(service, done), undo(service, done)

    assert again.error is None
    assert (first.error, second.error) == (None, "UNDO_NOT_POSSIBLE")


def test_a_folder_in_use_is_named_with_its_content(service: Service) -> None:
    folder = {"TITLE": "New", "CODE": "new"}
    made = service.call("landing.site.addFolder", {"siteId": 7, "fields": folder})
    inside = {"TITLE": "In", "SITE_ID": 7, "FOLDER_ID": made.result}
    added = service.call("landing.landing.add", {"fields": inside})

    refused = undo(service, made)

    assert _rows(refused) == [("landing_folder", made.result), ("landing_page", added.result)]
    assert _calls(refused) == {added.request_id}
    assert stored(service, "landing_folder", id=made.result)


def test_a_folder_in_a_folder_is_named(service: Service) -> None:
    outer = service.call("landing.site.addFolder", {"siteId": 7, "fields": {"TITLE": "Outer"}})
    inner = service.call(
        "landing.site.addFolder",
        {"siteId": 7, "fields": {"TITLE": "Inner", "PARENT_ID": outer.result}},
    )

    refused = undo(service, outer)

    assert _rows(refused)[0] == ("landing_folder", outer.result)
    assert ("landing_folder", inner.result) in _rows(refused)


def test_the_row_in_the_way_is_named(service: Service) -> None:
    site = {"id": 7, "fields": {"CODE": "other"}}
    done = service.call("landing.site.update", site)
    answer = service.call("landing.site.add", {"fields": {"TITLE": "x", "CODE": "site-7"}})

    refused = undo(service, done)

    assert _rows(refused)[0] == ("landing_site", 7)
    assert ("landing_site", answer.result) in _rows(refused)
    assert answer.request_id in _calls(refused)


@pytest.mark.parametrize("kind", ["page", "site"])
def test_other_rows_in_use_are_named(service: Service, kind: str) -> None:
    if kind == "page":
        made = service.call("landing.landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7}})
        fields = {"LANDING_ID_404": made.result}
        service.result("landing.site.update", id=7, fields=fields)
        named = ("landing_page", made.result)
    else:
        made = service.call("landing.site.add", {"fields": {"TITLE": "New", "CODE": "new"}})
        service.result("landing.landing.add", fields={"TITLE": "In", "SITE_ID": made.result})
        named = ("landing_site", made.result)

    refused = undo(service, made)

    assert refused.error == "UNDO_CONFLICT"
    assert named in _rows(refused) or (kind == "site" and _rows(refused))
