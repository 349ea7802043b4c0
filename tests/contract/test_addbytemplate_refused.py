"""`landing.landing.addByTemplate`: refused calls leave no trace, and checks run in order (C1,
C9).
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.templates import (
    METHOD,
    OTHER,
    add,
    ask,
    may,
    template,
    templates_world,
)
from contract.worlds import SITE, as_user, everything, page, site, user
from corpora import read_cases, read_data

from landyard.testing import Service

NOTHING = 999
TEMPLATES = [
    template(),
    template("slash", fields={"CODE": "a/b"}),
    template("blank", fields={"CODE": "  "}),
    template("formed", fields={"CODE": "spring_1_2"}),
    template("store", type="STORE"),
    template("wiki", type="KNOWLEDGE"),
]


def _refused(service: Service, expected: str, sent: Any, **caller: Any) -> None:
    before = everything(service)

    answer = service.call(METHOD, sent, **caller)

    assert (answer.status, answer.error) == (400, expected)
    assert everything(service) == before


def _sent(code: Any = "promo", site_id: Any = SITE, **fields: Any) -> dict[str, Any]:
    return {"siteId": site_id, "code": code, "fields": fields}


@pytest.mark.rule("landing.landing.addByTemplate MISSING_PARAMS", "C7", "C8")
@pytest.mark.parametrize(
    ("sent", "missing"),
    [
        ({}, "siteId, code"),
        ({"siteId": SITE}, "code"),
        ({"code": "promo"}, "siteId"),
        ({"siteId": None, "code": None, "fields": {}}, "siteId, code"),
    ],
)
def test_C8_absent_parameters_are_named(
    make_service: MakeService, sent: dict[str, Any], missing: str
) -> None:
    service = make_service(world=templates_world())

    answer = service.call(METHOD, sent)

    assert (answer.status, answer.error) == (400, "MISSING_PARAMS")
    assert answer.body["error_description"].endswith(f"missing: {missing}")


REFUSED = read_cases(__file__, "REFUSED", tuple[str, dict[str, Any]])


@pytest.mark.rule(
    "landing.landing.addByTemplate SITE_ERROR",
    "landing.landing.addByTemplate LANDING_ERROR",
    "landing.landing.addByTemplate FOLDER_NOT_FOUND",
    "landing.landing.addByTemplate WRONG_DATA",
    "landing.landing.addByTemplate SLASH_IS_NOT_ALLOWED",
    "landing.landing.addByTemplate CANT_BE_EMPTY",
    "landing.landing.addByTemplate WRONG_CODE_FORMAT",
    "C1",
    "C5",
    "C9",
    "P1",
)
def test_C1_a_refused_call_leaves_no_trace(make_service: MakeService) -> None:
    service = make_service(world=templates_world(*TEMPLATES))
    before = everything(service)

    answers = [(service.call(METHOD, sent).error, sent) for _, sent in REFUSED]

    assert answers == REFUSED
    assert everything(service) == before


@pytest.mark.rule("C9", "landing.landing.addByTemplate fields")
@pytest.mark.parametrize("fields", ["TITLE", 5, True, [1], [], None, "", {}])
def test_C9_unusable_fields_count_as_absent(make_service: MakeService, fields: Any) -> None:
    service = make_service(world=templates_world())

    row = add(service, fields=fields)

    assert (row["title"], row["folder_id"]) == ("Promo", None)


@pytest.mark.rule("C9", "landing.landing.addByTemplate fields")
@pytest.mark.parametrize("unusable", [["x"], {"x": "y"}, None])
def test_C9_each_unusable_field_counts_as_absent(make_service: MakeService, unusable: Any) -> None:
    service = make_service(world=templates_world())
    names = ["TITLE", "DESCRIPTION", "ID", "FOLDER_ID", "SITE_TYPE", "PREPARE_BLOCKS"]
    names += ["ADD_IN_MENU", "BLOCK_ID", "MENU_CODE"]

    row = add(service, fields=dict.fromkeys([*names, "PREPARE_BLOCKS_DATA"], unusable))

    assert (row["title"], row["folder_id"], row["code"]) == ("Promo", None, "promo")


@pytest.mark.rule("landing.landing.addByTemplate fields.SITE_TYPE", "P12")
@pytest.mark.parametrize(
    ("site_type", "type_code", "fitting"),
    read_data(
        __file__,
        "P12 the templates type is the sites or the one asked for",
        list[tuple[str, str | None, str]],
    ),
)
def test_P12_the_templates_type_is_the_sites_or_the_one_asked_for(
    make_service: MakeService, site_type: str, type_code: str | None, fitting: str
) -> None:
    one = site(20, type=site_type)
    service = make_service(world=templates_world(*TEMPLATES, sites=[one]))
    scope = site_type if site_type == "KNOWLEDGE" else None

    errors = {
        code: service.call(METHOD, _sent(code, 20, SITE_TYPE=type_code) | {"scope": scope}).error
        for code in ("promo", "store", "wiki")
    }

    others = dict.fromkeys(("promo", "store", "wiki"), "WRONG_DATA")
    assert errors == others | {fitting: None}


@pytest.mark.rule("R1", "landing.landing.addByTemplate SITE_ERROR")
@pytest.mark.parametrize("site_id", [SITE, NOTHING])
def test_R1_no_access_to_sites_is_SITE_ERROR(make_service: MakeService, site_id: int) -> None:
    caller = may(2, "edit", sites_access=False)
    service = make_service(world=templates_world(users=[caller]))

    _refused(service, "SITE_ERROR", _sent(site_id=site_id, ID=NOTHING), **as_user(2))


@pytest.mark.rule("R2", "landing.landing.addByTemplate SITE_ERROR")
def test_R2_an_invisible_site_is_answered_like_a_missing_one(make_service: MakeService) -> None:
    one = user(2, sites_access=True, rights={str(OTHER): ["edit"]})
    service = make_service(world=templates_world(users=[one]))

    bodies = [
        service.call(METHOD, _sent(site_id=site_id), **as_user(2)).body
        for site_id in (SITE, NOTHING)
    ]

    for body in bodies:
        body.pop("time", None)
    assert bodies[0] == bodies[1]
    assert bodies[0]["error"] == "SITE_ERROR"


@pytest.mark.rule("R3", "C1", "landing.landing.addByTemplate ACCESS_DENIED")
@pytest.mark.parametrize(
    ("sent", "expected"),
    read_cases(__file__, "C1 of a viewer", tuple[dict[str, Any], str]),
    ids=str,
)
def test_C1_the_order_of_checks_for_a_viewer(
    make_service: MakeService, sent: dict[str, Any], expected: str
) -> None:
    world = templates_world(*TEMPLATES, users=[may(2, "settings", "publish", "delete")])
    service = make_service(world=world)

    _refused(service, expected, sent, **as_user(2))


@pytest.mark.rule("C1")
def test_C1_the_first_of_several_mistakes_is_answered(make_service: MakeService) -> None:
    service = make_service(world=templates_world(*TEMPLATES))
    wrong: dict[str, Any] = {"ID": NOTHING, "FOLDER_ID": NOTHING, "SITE_TYPE": "nonsense"}

    messages = []
    for site_id, taken in ((NOTHING, ""), (SITE, ""), (SITE, "ID"), (SITE, "FOLDER_ID")):
        wrong.pop(taken, None)
        messages.append(service.call(METHOD, _sent("slash", site_id, **wrong)).error)

    assert messages == ["SITE_ERROR", "LANDING_ERROR", "FOLDER_NOT_FOUND", "WRONG_DATA"]


@pytest.mark.rule("C1", "P12")
def test_P12_page_blocks_and_menu_are_one_transaction(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    active = page(30, active=True)
    service = make_service(world=templates_world(pages=[active]), raise_crashes=False)
    before = everything(service)

    def crash(*_: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("landyard_content.pages.publish", crash)
    fields = {"ID": 30, "TITLE": "T", "ADD_IN_MENU": "Y"}
    answer = ask(service, fields=fields)

    assert (answer.status, answer.error) == (500, "INTERNAL_SERVER_ERROR")
    assert everything(service) == before
