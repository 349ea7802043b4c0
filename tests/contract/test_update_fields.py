"""`landing.landing.update`: the fields that store plain values (contract 2.3; P4, P5)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import NO_INTEGERS, NO_TEXTS, everything, row, tree
from corpora import read_cases, read_data

from landyard.testing import WEBHOOK, Answer, Service

UPDATE = "landing.landing.update"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
TEXTS = {"TITLE": "title", "DESCRIPTION": "description", "XML_ID": "xml_id"}
FLAGS = {"SITEMAP": "sitemap", "FOLDER": "folder_flag"}
STRINGS = [*TEXTS, *FLAGS, "CODE", "DELETED", "DATE_PUBLIC"]
INTEGERS = ["SITE_ID", "FOLDER_ID", "TPL_ID"]


def _update(service: Service, fields: Any, page_id: int = 12) -> Answer:
    return service.call(UPDATE, {"lid": page_id, "fields": fields})


def _refused(service: Service, fields: Any, code: str, page_id: int = 12) -> str:
    """Expect a refusal that changes nothing, and return its text."""
    before = everything(service)
    answer = _update(service, fields, page_id)
    assert answer.error == code, (fields, answer.body)
    assert everything(service) == before
    return str(answer.body["error_description"])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule(
    "landing.landing.update result",
    *(f"landing.landing.update fields.{name}" for name in TEXTS),
    "P5",
)
@pytest.mark.parametrize(("name", "column"), TEXTS.items())
def test_P5_a_text_field_stores_scalars_as_text(service: Service, name: str, column: str) -> None:
    sent = ["Text", "", " as it is\n", "12", 12, 1.5, True, False, "<b>ü</b> 😀", "x" * 300_000]

    results = [_update(service, {name: sent_one}).result for sent_one in sent[:-2]]
    texts = []
    for value in sent:
        _update(service, {name: value})
        texts.append(row(service, 12)[column])

    assert results == [True] * len(results)
    assert texts == [*sent[:4], "12", "1.5", "true", "false", *sent[-2:]]


@pytest.mark.rule("P5", "C10", "landing.landing.update TYPE_ERROR")
@pytest.mark.parametrize("name", STRINGS)
def test_P5_a_text_field_refuses_arrays_and_objects(service: Service, name: str) -> None:
    for value in NO_TEXTS:
        text = _refused(service, {"TITLE": "New", "XML_ID": "new", name: value}, "TYPE_ERROR")
        assert f"'fields.{name}'" in text


@pytest.mark.rule("C5", "C10", "landing.landing.update TYPE_ERROR")
@pytest.mark.parametrize("name", INTEGERS)
def test_C5_a_value_that_is_no_integer_is_refused(service: Service, name: str) -> None:
    for value in NO_INTEGERS:
        text = _refused(service, {"TITLE": "New", name: value}, "TYPE_ERROR")
        assert f"'fields.{name}'" in text


@pytest.mark.rule("C7", "P5", "landing.landing.update fields.ADDITIONAL_FIELDS")
def test_P5_additional_fields_are_an_object_of_plain_values(service: Service) -> None:
    wrong: list[Any] = ["x", 1, True, ["x"], {"A": {}}, {"A": [[]]}, {"A": "x", "B": [{}]}]

    for value in wrong:
        text = _refused(service, {"TITLE": "New", "ADDITIONAL_FIELDS": value}, "TYPE_ERROR")
        assert "'fields.ADDITIONAL_FIELDS" in text


@pytest.mark.rule("P4", "landing.landing.update fields.ADDITIONAL_FIELDS")
def test_P4_additional_fields_merge_and_an_empty_text_clears_one(make_service: MakeService) -> None:
    held = {"A": "a", "B": "b", "C": "c", "EMPTY": "", "LIST": [1]}
    world = tree()
    world["pages"][2]["additional_fields"] = held
    service = make_service(world=world)
    steps: list[tuple[Any, dict[str, Any]]] = [
        ({"A": "new", "D": 12}, held | {"A": "new", "D": 12}),
        ({"B": "", "NEVER": ""}, {"A": "new", "D": 12, "C": "c", "EMPTY": "", "LIST": [1]}),
        ({"C": None, "EMPTY": None}, {"A": "new", "D": 12, "C": "c", "EMPTY": "", "LIST": [1]}),
        ([], {"A": "new", "D": 12, "C": "c", "EMPTY": "", "LIST": [1]}),
        (
            {"": "no name", "A": True},
            {"": "no name", "A": True, "D": 12, "C": "c", "EMPTY": "", "LIST": [1]},
        ),
    ]

    for sent, expected in steps:
        assert _update(service, {"ADDITIONAL_FIELDS": sent}).result is True
        held = row(service, 12)["additional_fields"]  # no rule fixes the order of the keys
        assert held == expected


@pytest.mark.rule("landing.landing.update fields.SITEMAP", "landing.landing.update fields.FOLDER")
@pytest.mark.parametrize(("name", "column"), FLAGS.items())
def test_2_3_a_flag_is_Y_or_N(service: Service, name: str, column: str) -> None:
    sent = ["Y", "N", "Y", "y", "Y", "", "Y", "yes", "Y", True, "Y", 1, "Y"]

    flags = []
    for value in sent:
        _update(service, {name: value})
        flags.append(row(service, 12)[column])

    assert flags == ["Y" if value == "Y" else "N" for value in sent]


@pytest.mark.rule("landing.landing.update fields.TPL_ID", "C5")
def test_2_3_a_view_template_is_any_id(service: Service) -> None:
    held = []
    for value in (3, "4", 5.0, 2**31 - 1, 0, 6, -1, 7, 2**31, 8, 2**70):
        assert _update(service, {"TPL_ID": value}).result is True
        held.append(row(service, 12)["view_template"])

    assert held == [3, 4, 5, 2**31 - 1, None, 6, None, 7, None, 8, None]


@pytest.mark.rule("P5", "landing.landing.update fields.DATE_PUBLIC")
def test_P5_a_date_of_publication(make_service: MakeService) -> None:
    service = make_service(world=tree(), time_zone="Europe/Berlin")
    dates = read_cases(__file__, "P5 dates", tuple[Any, str | None])

    for sent, utc in dates:
        _update(service, {"DATE_PUBLIC": "2020-01-01"})
        assert _update(service, {"DATE_PUBLIC": sent}).result is True
        expected = None if utc is None else datetime.fromisoformat(utc)
        held = row(service, 12)["date_public"]
        assert (datetime.fromisoformat(held) if isinstance(held, str) else held) == expected


@pytest.mark.rule("P5", "C10", "landing.landing.update fields.DATE_PUBLIC")
def test_P5_a_value_that_is_no_date_is_refused(make_service: MakeService) -> None:
    service = make_service(world=tree(), time_zone="Europe/Berlin")

    wrong = read_data(__file__, "P5 no dates", list[Any])
    for value in [*wrong, "x" * 100_000]:
        text = _refused(service, {"TITLE": "New", "DATE_PUBLIC": value}, "TYPE_ERROR")
        assert "'fields.DATE_PUBLIC'" in text


@pytest.mark.rule("landing.landing.update fields.DATE_PUBLIC")
def test_2_3_a_date_of_publication_publishes_nothing(service: Service) -> None:
    for page_id in (10, 17, 18):
        before = row(service, page_id)
        _update(service, {"DATE_PUBLIC": "2020-01-01T00:00:00Z"}, page_id)
        after = row(service, page_id)

        assert [after[name] for name in ("active", "published")] == [
            before[name] for name in ("active", "published")
        ]


@pytest.mark.rule("C4", "C7", "landing.landing.update fields")
@pytest.mark.parametrize(
    "fields",
    [
        {},
        [],
        dict.fromkeys([*STRINGS, *INTEGERS, "ADDITIONAL_FIELDS"]),
        {"RULE": "x", "ACTIVE": "N", "ID": 5, "title": "lower case", "LOCKED": "Y", "": []},
    ],
)
def test_C4_fields_outside_the_contract_change_nothing(service: Service, fields: Any) -> None:
    before = everything(service)

    assert _update(service, fields).result is True
    assert everything(service) == before


@pytest.mark.rule("C4", "landing.landing.update fields")
@pytest.mark.parametrize(
    ("fields", "named"), [({"TITEL": "New", "title": "x", "RULE": None}, "TITEL, title"), ({}, "")]
)
def test_C4_an_unknown_field_is_named_in_a_header(
    service: Service, fields: Any, named: str
) -> None:
    path, sent = f"/rest/1/{WEBHOOK}/{UPDATE}", {"lid": 10, "fields": {"TITLE": "T", **fields}}

    answer = service.request("POST", path, json=sent)

    assert answer.json()["result"] is True
    assert answer.headers.get("landyard-warning", "").rpartition(": ")[2] == named


@pytest.mark.rule("C8", "landing.landing.update MISSING_PARAMS", "landing.landing.update lid")
def test_4_7_lid_and_fields_are_required(service: Service) -> None:
    before = everything(service)

    def text(**sent: Any) -> str:
        answer = service.call(UPDATE, sent)
        assert answer.error == "MISSING_PARAMS"
        return str(answer.body["error_description"]).partition("missing: ")[2]

    assert text() == "lid, fields"
    assert text(lid=10) == text(lid=10, fields=None) == "fields"
    assert text(fields={"TITLE": "New"}) == text(lid=None, fields={"TITLE": "New"}) == "lid"
    assert everything(service) == before


@pytest.mark.rule("landing.landing.update TYPE_ERROR", "landing.landing.update lid")
@pytest.mark.parametrize(
    "sent",
    [
        {"lid": "x", "fields": {"TITLE": "New"}},
        {"lid": True, "fields": {"TITLE": "New"}},
        {"lid": [12], "fields": {"TITLE": "New"}},
        {"lid": 12, "fields": "TITLE"},
        {"lid": 12, "fields": ["TITLE"]},
        {"lid": 12, "fields": 1},
    ],
)
def test_4_7_a_parameter_of_the_wrong_type(service: Service, sent: Any) -> None:
    before = everything(service)

    assert service.call(UPDATE, sent).error == "TYPE_ERROR"
    assert everything(service) == before


@pytest.mark.rule("C5", "R2", "landing.landing.update ACCESS_DENIED")
@pytest.mark.parametrize("lid", [0, -1, 99, 2**31, 2**63, 10**30, "99"])
def test_C5_an_id_that_names_nothing(service: Service, lid: Any) -> None:
    before = everything(service)

    assert _update(service, {"TITLE": "New"}, lid).error == "ACCESS_DENIED"
    assert everything(service) == before


@pytest.mark.rule("P4")
def test_P4_only_the_fields_sent_change(make_service: MakeService) -> None:
    service = make_service(world=tree(), now=NOW)
    fields = {"TITLE": "New", "XML_ID": "new", "SITEMAP": "no", "TPL_ID": 4, "RULE": "", "SORT": 1}
    expected = {"title": "New", "xml_id": "new", "sitemap": "N", "view_template": 4}

    for page_id in [10, 11, 12, 13, 14, 15, 16, 17, 18, 30, 40]:
        before, page = _others(service, page_id), row(service, page_id)
        assert _update(service, fields, page_id).result is True

        after = row(service, page_id)
        signed = {name: after[name] for name in ("modified_at", "modified_by")}
        assert str(signed["modified_at"]).startswith("2026-03-01 12:00:05")
        assert signed["modified_by"] == 1
        assert after == page | expected | signed
        assert _others(service, page_id) == before


def _others(service: Service, page_id: int) -> dict[str, list[str]]:
    """Everything but this page, and the version that changes with the public view of it."""
    tables = everything(service)
    pages = [each for each in tables["landing_page"] if not each.startswith(f"({page_id},")]
    return tables | {"landing_page": pages, "landing_public": []}
