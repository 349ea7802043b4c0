"""Additional fields of pages and sites are answered as they were set, whichever call set them
(P4).
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, tree, world

from landyard.testing import Service

PLAIN: dict[str, Any] = {
    "TEXT": "<b>x</b>",
    "NUMBER": 1,
    "ZERO": 0,
    "NEGATIVE": -5,
    "FRACTION": 1.5,
    "BIG": 2**53,
    "YES": True,
    "NO": False,
    "LIST": ["BASE"],
    "SEVERAL": ["a", 1, False, 2.5],
    "NOTHING": [],
    "SPACES": " a ",
    "YES_AS_TEXT": "Y",
    "NUMBER_AS_TEXT": "01",
}
LANDING, SITE = "landing.landing", "landing.site"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(10)))


def additional_fields(service: Service, kind: str, entity_id: int) -> Any:
    key = "lid" if kind == LANDING else "id"
    return service.result(f"{kind}.getadditionalfields", {key: entity_id})


def made(service: Service, kind: str, fields: dict[str, Any]) -> int:
    needed = {"TITLE": "x", "CODE": "made"} | ({"SITE_ID": 7} if kind == LANDING else {})
    entity_id: int = service.result(f"{kind}.add", fields=needed | {"ADDITIONAL_FIELDS": fields})
    return entity_id


def update(service: Service, kind: str, entity_id: int, fields: dict[str, Any]) -> None:
    sent = {"lid" if kind == LANDING else "id": entity_id, "fields": {"ADDITIONAL_FIELDS": fields}}
    assert service.result(f"{kind}.update", sent) is True


@pytest.mark.parametrize("kind", [LANDING, SITE])
def test_P4_additional_fields_are_answered_as_they_were_set(service: Service, kind: str) -> None:
    entity_id = made(service, kind, PLAIN)
    assert additional_fields(service, kind, entity_id) == PLAIN

    update(service, kind, entity_id, dict.fromkeys(PLAIN, ""))
    assert additional_fields(service, kind, entity_id) == {}

    update(service, kind, entity_id, PLAIN)
    found = additional_fields(service, kind, entity_id)
    assert found == PLAIN
    assert {name: type(value) for name, value in found.items()} == {
        name: type(value) for name, value in PLAIN.items()
    }
    update(service, kind, entity_id, {"TEXT": None, "LIST": ["one", "two"]})
    assert additional_fields(service, kind, entity_id) == PLAIN | {"LIST": ["one", "two"]}


@pytest.mark.parametrize("kind", [LANDING, SITE])
def test_P4_a_list_in_a_form_is_stored_as_a_list(service: Service, kind: str) -> None:
    listed = {"LIST": {"0": "BASE", "1": "MORE"}}

    assert additional_fields(service, kind, made(service, kind, listed)) == {
        "LIST": ["BASE", "MORE"]
    }


def test_P4_values_survive_a_copy_and_an_export(
    service: Service, make_service: MakeService
) -> None:
    page_id = made(service, LANDING, PLAIN)
    update(service, SITE, 7, PLAIN)

    copy = service.result(f"{LANDING}.copy", lid=page_id, toSiteId=7)
    exported = service.result(f"{SITE}.fullExport", {"id": 7, "params": {"edit_mode": "Y"}})

    assert additional_fields(service, LANDING, copy) == PLAIN
    assert exported["fields"]["ADDITIONAL_FIELDS"] == PLAIN
    assert exported["items"]["made"]["fields"]["ADDITIONAL_FIELDS"] == PLAIN


@pytest.mark.parametrize("value", [{"a": 1}, [[1]], [{"a": 1}], [None], {"0": [1]}])
def test_P5_additional_fields_of_a_page_hold_no_objects(service: Service, value: Any) -> None:
    sent = {"lid": 10, "fields": {"TITLE": "New", "ADDITIONAL_FIELDS": {"A": value}}}

    assert service.call(f"{LANDING}.update", sent).error == "TYPE_ERROR"
    assert additional_fields(service, LANDING, made(service, LANDING, {"A": value, "B": 1})) == {
        "B": 1
    }


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**63, [2**70], 1e300])
@pytest.mark.parametrize("kind", [LANDING, SITE])
def test_P4_a_large_number_is_answered_unchanged(service: Service, kind: str, value: Any) -> None:
    update(service, kind, 10 if kind == LANDING else 7, {"A": value})

    assert additional_fields(service, kind, 10 if kind == LANDING else 7) == {"A": value}


def test_a_page_is_shown_whatever_its_additional_fields_hold(make_service: MakeService) -> None:
    values: list[Any] = [1, True, False, ["x"], [], "Y"]
    names = ("METAMAIN_USE", "METAMAIN_TITLE", "METAOG_IMAGE", "METAOG_TITLE", "METAROBOTS_INDEX")
    for value in values:
        service = make_service(world=tree())
        service.result(
            f"{LANDING}.update", lid=10, fields={"ADDITIONAL_FIELDS": dict.fromkeys(names, value)}
        )
        service.result(f"{LANDING}.publication", lid=10)

        assert service.get("/site-7/").status_code == 200
        assert service.result(f"{LANDING}.getpreview", lid=10)
        service.close()
