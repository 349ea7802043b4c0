"""`landing.landing.update` moves a page to another site or folder (P3, P4, P6)."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import as_user, everything, page, row, stored, tree, user
from corpora import read_data

from landyard.testing import Answer, Service

UPDATE = "landing.landing.update"
USERS = [
    user(2, sites_access=True, rights={"7": ["settings"], "8": ["view", "settings", "delete"]}),
    user(3, sites_access=True, rights={"7": ["settings"]}),
    user(4, sites_access=True, rights={"7": ["settings"], "8": ["edit"], "9": ["edit"]}),
]


def _update(service: Service, page_id: int = 12, who: int = 1, **fields: Any) -> Answer:
    return service.call(UPDATE, {"lid": page_id, "fields": fields}, **as_user(who))


def _place(service: Service, page_id: int = 12) -> tuple[int, int | None]:
    found = row(service, page_id)
    return found["site_id"], found["folder_id"]


def _index_pages(service: Service) -> dict[int, int | None]:
    return {each["id"]: each["index_page_id"] for each in stored(service, "landing_folder")}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule("P4", f"{UPDATE} fields.SITE_ID", f"{UPDATE} fields.FOLDER_ID")
@pytest.mark.parametrize(
    ("page_id", "fields", "place"),
    read_data(
        __file__,
        "P4 where a page comes to be",
        list[tuple[int, dict[str, Any], tuple[int, int | None]]],
    ),
)
def test_P4_the_page_comes_to_the_named_site_and_folder(
    service: Service, page_id: int, fields: Any, place: tuple[int, int | None]
) -> None:
    before = row(service, page_id)

    assert _update(service, page_id, **fields).result is True

    assert _place(service, page_id) == place
    after = row(service, page_id)
    kept = ("code", "active", "published", "deleted", "deleted_at", "title", "locked", "area")
    assert [after[name] for name in kept] == [before[name] for name in kept]


@pytest.mark.rule("P4", "C5", f"{UPDATE} SITE_NOT_FOUND", f"{UPDATE} FOLDER_NOT_FOUND")
def test_P4_a_missing_site_or_folder_is_refused(service: Service) -> None:
    before = everything(service)
    refused: list[tuple[dict[str, Any], str]] = [
        *(({"SITE_ID": each}, "SITE_NOT_FOUND") for each in (99, 0, -7, 2**31, 2**63, 10**30)),
        *(({"FOLDER_ID": each}, "FOLDER_NOT_FOUND") for each in (99, -1, 2**31, 2**63, -(10**30))),
        ({"FOLDER_ID": 3}, "FOLDER_NOT_FOUND"),  # a folder of site 8
        ({"SITE_ID": 8, "FOLDER_ID": 3}, "FOLDER_NOT_FOUND"),  # it is looked up in site 7
        ({"SITE_ID": 7, "FOLDER_ID": 3}, "FOLDER_NOT_FOUND"),
        # the order of checks: types, site, folder, code
        ({"SITE_ID": 99, "FOLDER_ID": "x"}, "TYPE_ERROR"),
        ({"SITE_ID": 99, "FOLDER_ID": 99, "CODE": "/"}, "SITE_NOT_FOUND"),
        ({"FOLDER_ID": 99, "CODE": "/"}, "FOLDER_NOT_FOUND"),
        ({"FOLDER_ID": 1, "CODE": "/", "DELETED": "Y"}, "SLASH_IS_NOT_ALLOWED"),
    ]

    for fields, error in refused:
        assert _update(service, 10, TITLE="New", **fields).error == error, fields
    assert everything(service) == before


@pytest.mark.rule("P4", f"{UPDATE} SITE_NOT_FOUND", f"{UPDATE} ACCESS_DENIED")
@pytest.mark.parametrize(
    ("who", "site_id", "error"),
    read_data(__file__, "P4 the right on the other site", list[tuple[int, int, str | None]]),
)
def test_P4_the_right_on_the_other_site_is_needed(
    make_service: MakeService, who: int, site_id: int, error: str | None
) -> None:
    service = make_service(world=tree(users=USERS))
    before = everything(service)

    assert _update(service, 12, who, SITE_ID=site_id).error == error

    assert (everything(service) == before) is (error is not None)


@pytest.mark.rule("P6")
def test_P6_an_index_page_of_another_folder_stays_one_inside_the_site(
    make_service: MakeService,
) -> None:
    world = tree()
    world["folders"][1]["index_page"] = 12
    service = make_service(world=world)

    _update(service, 12, FOLDER_ID=0)
    kept = _index_pages(service)[2]
    _update(service, 12, SITE_ID=8)

    assert (kept, _index_pages(service)[2]) == (12, None)


@pytest.mark.rule("P3", "P4")
def test_P3_at_the_root_of_a_domain_the_services_own_addresses_are_taken(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(page(21, code="files")))

    _update(service, 21, SITE_ID=6)

    assert re.fullmatch("files_[a-z]{4}", row(service, 21)["code"])


@pytest.mark.rule("P4")
def test_P4_all_fields_change_in_one_call(service: Service) -> None:
    texts = {"TITLE": "New", "CODE": "page-20", "DESCRIPTION": "d", "XML_ID": "x"}
    flags = {"SITEMAP": "N", "FOLDER": "Y", "DELETED": "N", "DATE_PUBLIC": "2026-01-01"}
    ids = {"SITE_ID": 8, "FOLDER_ID": 2, "TPL_ID": 3}
    fields: dict[str, Any] = {**texts, **flags, **ids, "ADDITIONAL_FIELDS": {"A": "b"}}

    assert _update(service, 13, **fields).result is True

    after = row(service, 13)
    assert re.fullmatch("page-20_[a-z]{4}", after["code"])
    assert _place(service, 13) == (8, None)
    assert (after["title"], after["description"], after["xml_id"]) == ("New", "d", "x")
    assert (after["sitemap"], after["folder_flag"], after["view_template"]) == ("N", "Y", 3)
    assert (bool(after["deleted"]), after["deleted_at"], bool(after["active"])) == (
        False,
        None,
        False,
    )
