"""`landing.landing.addByTemplate`: the page it makes, and the place of that page (4.6, P1 to P3,
P12).
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.templates import (
    ACTIVE,
    BLOCKS,
    DEEP,
    FOLDER,
    INSIDE,
    METHOD,
    OTHER,
    SEO,
    add,
    ask,
    blocks_of,
    may,
    template,
    templates_world,
)
from contract.worlds import CODE, HTML, PAGE, SITE, as_user, page, stored
from corpora import read_cases, read_data

from landyard.testing import Service
from landyard_html.policy import POLICY_VERSION

NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)
COMPONENT = "bitrix:catalog.section"


def _made(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _draft(service: Service, page_id: int) -> Any:
    sent = {"lid": page_id, "params": {"edit_mode": True}}
    return service.result("landing.block.getlist", sent)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=templates_world())


@pytest.mark.rule(
    "landing.landing.addByTemplate result",
    "landing.landing.addByTemplate siteId",
    "landing.landing.addByTemplate code",
    "state: addByTemplate",
    "P12",
)
def test_P12_a_page_of_the_template_is_made_and_its_id_answered(make_service: MakeService) -> None:
    service = make_service(world=templates_world(), now=NOW)
    before = {row["id"] for row in stored(service, "landing_page")}

    answer = ask(service)

    (row,) = (row for row in stored(service, "landing_page") if row["id"] not in before)
    at = NOW.replace(tzinfo=None)
    assert answer.result == row.pop("id")
    assert row == {
        "site_id": SITE,
        "folder_id": None,
        "code": "promo",
        "title": "Promo",
        "description": "",
        "active": False,
        "published": False,
        "deleted": False,
        "deleted_at": None,
        "locked": False,
        "area": False,
        "rule": "",
        "sitemap": "Y",
        "date_public": None,
        "xml_id": "",
        "additional_fields": SEO,
        "folder_flag": "N",
        "view_template": None,
        "language": None,
        "original_id": None,
        "template_code": "promo",
        "template_fields": {"TITLE": "Promo", **SEO},
        "created_at": at,
        "modified_at": at,
        "created_by": 1,
        "modified_by": 1,
    }


@pytest.mark.rule("P12", "H2")
def test_P12_the_blocks_are_the_draft_in_the_templates_order(make_service: MakeService) -> None:
    service = make_service(world=templates_world(), now=NOW)

    rows = blocks_of(service, add(service)["id"])

    blocks = [_made(row, "code", "content", "sort", "anchor") for row in rows]
    assert blocks == [
        (CODE, HTML, 500, "top"),
        ("test.shop", "<p>Shop</p>", 1000, None),
        (CODE, "<p>Last</p>", 1500, None),
    ]
    assert [row["params"] for row in rows] == [each.get("params", {}) for each in BLOCKS]
    state = ("public", "draft_id", "active", "deleted", "policy", "created_by", "modified_by")
    assert [_made(row, *state) for row in rows] == [
        (False, None, True, False, POLICY_VERSION, 1, 1)
    ] * 3
    assert {row["created_at"] for row in rows} == {NOW.replace(tzinfo=None)}


@pytest.mark.rule("P12")
def test_P12_the_new_page_is_read_and_edited_like_any_other(service: Service) -> None:
    page_id = ask(service).result

    listed = _draft(service, page_id)
    edit = {"lid": page_id, "block": listed[0]["id"], "data": {".title": "Edited"}}

    assert service.result("landing.block.updatenodes", edit) is True
    assert service.result("landing.block.getlist", lid=page_id) == []
    assert listed[0]["meta"]["LANDING_TPL_CODE"] == "promo"


@pytest.mark.rule("P12")
@pytest.mark.parametrize("code", ["empty", "event", "news-detail"])
def test_P12_a_builtin_template_makes_a_page(service: Service, code: str) -> None:
    row = add(service, code)

    assert bool(_draft(service, row["id"])) is (code != "empty")
    assert row["template_code"] == code


@pytest.mark.rule("landing.landing.addByTemplate fields.TITLE", "P12")
@pytest.mark.parametrize(
    ("fields", "title", "seo"),
    read_data(__file__, "TITLE", list[tuple[dict[str, Any], str, tuple[str, str]]]),
)
def test_4_6_TITLE_is_the_pages_title_and_those_for_search_engines(
    service: Service, fields: dict[str, Any], title: str, seo: tuple[str, str]
) -> None:
    row = add(service, fields=fields)

    told = row["additional_fields"]
    assert (row["title"], told["METAOG_TITLE"], told["METAMAIN_TITLE"]) == (title, *seo)
    assert row["code"] == "promo"


@pytest.mark.rule("landing.landing.addByTemplate fields.TITLE")
def test_4_6_TITLE_is_for_search_engines_where_the_template_has_none(
    make_service: MakeService,
) -> None:
    service = make_service(world=templates_world(template(fields={"ADDITIONAL_FIELDS": {}})))

    fields = add(service, fields={"TITLE": "Spring"})["additional_fields"]

    assert fields == {"METAOG_TITLE": "Spring", "METAMAIN_TITLE": "Spring"}


@pytest.mark.rule("landing.landing.addByTemplate fields.DESCRIPTION")
@pytest.mark.parametrize(
    ("fields", "seo"),
    [
        ({}, ("Og told", "Main told")),
        ({"DESCRIPTION": "Told"}, ("Told", "Told")),
        ({"DESCRIPTION": {"a": 1}}, ("Og told", "Main told")),
    ],
)
def test_4_6_DESCRIPTION_is_for_search_engines_alone(
    make_service: MakeService, fields: dict[str, Any], seo: tuple[str, str]
) -> None:
    service = make_service(world=templates_world(template(fields={"DESCRIPTION": "The page's"})))

    row = add(service, fields=fields)

    told = row["additional_fields"]
    assert (told["METAOG_DESCRIPTION"], told["METAMAIN_DESCRIPTION"]) == seo
    assert row["description"] == "The page's"
    assert (told["METAOG_TITLE"], told["METAMAIN_TITLE"]) == ("Og", "Main")


PLACES = read_cases(__file__, "PLACES", tuple[dict[str, Any], int | None])


@pytest.mark.rule(
    "landing.landing.addByTemplate fields.ID", "landing.landing.addByTemplate fields.FOLDER_ID"
)
@pytest.mark.parametrize(("fields", "folder"), PLACES, ids=str)
def test_4_6_ID_and_FOLDER_ID_say_where_the_page_goes(
    service: Service, fields: dict[str, Any], folder: int | None
) -> None:
    row = add(service, fields=fields)

    assert (row["site_id"], row["folder_id"]) == (SITE, folder)


@pytest.mark.rule("landing.landing.addByTemplate fields.ID", "P12")
def test_P12_an_ID_is_a_pages_before_it_is_a_folders(make_service: MakeService) -> None:
    both = page(FOLDER, folder=DEEP)
    service = make_service(world=templates_world(pages=[both]))

    assert add(service, fields={"ID": FOLDER})["folder_id"] == DEEP


@pytest.mark.rule("landing.landing.addByTemplate fields.ID", "P12")
def test_P12_a_page_of_another_site_hides_no_folder(make_service: MakeService) -> None:
    foreign = page(FOLDER, site=OTHER, active=True)
    service = make_service(world=templates_world(pages=[foreign]))

    row = add(service, fields={"ID": FOLDER})

    assert (row["folder_id"], row["active"]) == (FOLDER, False)


@pytest.mark.rule("state: addByTemplate", "landing.landing.addByTemplate fields.ID", "P12", "B1")
def test_P12_beside_an_active_page_the_new_one_is_published(make_service: MakeService) -> None:
    service = make_service(world=templates_world(users=[may(2, "edit", "publish")]), now=NOW)

    row = add(service, fields={"ID": ACTIVE}, **as_user(2))

    drafts, copies = blocks_of(service, row["id"])[:3], blocks_of(service, row["id"])[3:]
    at = NOW.replace(tzinfo=None)
    assert _made(row, "active", "published", "date_public") == (True, True, at)
    assert [each["draft_id"] for each in copies] == [each["id"] for each in drafts]
    copied = ("code", "content", "policy", "sort", "active", "anchor", "params")
    assert [_made(each, *copied) for each in copies] == [_made(each, *copied) for each in drafts]
    assert {_made(each, "public", "created_by", "modified_by") for each in copies} == {(True, 2, 2)}
    assert service.get("/site-7/promo/").status_code == 200


@pytest.mark.rule("state: addByTemplate", "P12")
@pytest.mark.parametrize(
    ("fields", "rights"),
    [
        ({"ID": ACTIVE}, ["edit", "settings", "delete"]),
        ({"ID": PAGE}, ["edit", "publish"]),
        ({"ID": INSIDE}, ["edit", "publish"]),
        ({"ID": FOLDER}, ["edit", "publish"]),
        ({"FOLDER_ID": FOLDER}, ["edit", "publish"]),
        ({}, ["edit", "publish"]),
    ],
    ids=str,
)
def test_P12_otherwise_it_stays_inactive(
    make_service: MakeService, fields: dict[str, Any], rights: list[str]
) -> None:
    service = make_service(world=templates_world(users=[may(2, *rights)]))

    row = add(service, fields=fields, **as_user(2))

    assert _made(row, "active", "published", "date_public") == (False, False, None)
    assert [each["public"] for each in blocks_of(service, row["id"])] == [False] * 3
    assert service.get("/site-7/promo/").status_code == 404


@pytest.mark.rule("C1", "landing.landing.addByTemplate scope", "R5")
def test_R5_a_scope_names_the_type_of_site(make_service: MakeService) -> None:
    knowledge = {"id": 20, "code": "wiki", "type": "KNOWLEDGE"}
    made = templates_world(template(type="KNOWLEDGE"), sites=[knowledge])
    service = make_service(world=made)

    sent = {"siteId": 20, "code": "promo"}
    errors = [
        service.call(METHOD, {**sent, **more}).error
        for more in ({}, {"scope": "GROUP"}, {"scope": "Knowledge"})
    ]

    assert errors == ["SITE_ERROR", "SITE_ERROR", None]
