"""`landing.landing.copy` makes a page like another (P3, P10, B1)."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, picture
from contract.worlds import (
    EDITOR,
    EVERY_RIGHT,
    OUTSIDER,
    STRANGER,
    VIEWER,
    as_user,
    block,
    need_refused,
    page,
    row,
    stored,
    tree,
    user,
)
from corpora import read_data

from landyard.testing import Service

COPY = "landing.landing.copy"
USERS = [
    user(VIEWER, sites_access=True, rights={"*": ["view"]}),
    user(STRANGER, sites_access=True),
    user(OUTSIDER, rights={"*": EVERY_RIGHT}),
    user(EDITOR, sites_access=True, rights={"7": ["view"], "8": ["edit"]}),
]
FIELDS: dict[str, Any] = {
    "title": "Boats",
    "description": "All of them",
    "rule": "x+",
    "sitemap": "N",
    "xml_id": "b",
    "folder_flag": "Y",
    "view_template": 4,
    "template_code": "empty",
    "additional_fields": {"METAOG_TITLE": "Boats"},
}
BLOCKS = [
    block(500, sort=700, published_id=501, anchor="last", active=False),
    block(502, sort=600, params={"bitrix:x": {"A": "b"}}),
    block(503, deleted=True),
]
PAGE = page(19, *BLOCKS, **FIELDS, active=True, published=True, locked=True, area=True)
COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")
REFUSED = read_data(__file__, "REFUSED", list[tuple[int, dict[str, Any], str]])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree(PAGE, users=USERS))


def of(found: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: found[name] for name in names}


@pytest.mark.rule("B1")
def test_a_copy_has_the_fields_and_the_draft_and_is_not_public(service: Service) -> None:
    old = row(service, 19)

    new = row(service, service.result(COPY, lid=19, toSiteId=8, **as_user(EDITOR)))

    assert of(new, [*FIELDS]) == of(old, [*FIELDS])
    assert of(new, ["site_id", "folder_id", "code"]) == {
        "site_id": 8,
        "folder_id": None,
        "code": "page-19",
    }
    for flag in ("active", "published", "deleted", "locked", "area"):
        assert not new[flag]
    assert (new["created_by"], new["date_public"]) == (EDITOR, None)
    drafts = stored(service, "landing_block", page_id=new["id"])
    first, second = stored(service, "landing_block", page_id=19, public=False)[:2]
    assert [of(each, COPIED) for each in drafts] == [of(second, COPIED), of(first, COPIED)]
    assert {(each["public"], each["draft_id"], each["deleted"]) for each in drafts} <= {
        (0, None, 0)
    }
    assert {each["created_by"] for each in drafts} == {EDITOR}


@pytest.mark.rule("P3")
def test_P3_beside_the_page_the_copys_code_gets_a_suffix(service: Service) -> None:
    for sent in ({}, {"toSiteId": 0, "toFolderId": "0"}, {"toSiteId": 7, "skipSystem": "Y"}):
        new = row(service, service.result(COPY, {"lid": 19, **sent}))
        assert (new["site_id"], new["folder_id"]) == (7, None)
        assert re.fullmatch("page-19_[a-z]{4}", new["code"])


def test_a_copy_may_go_into_a_folder_of_either_site(service: Service) -> None:
    inside = row(service, service.result(COPY, lid=19, toFolderId=2))
    away = row(service, service.result(COPY, lid=19, toFolderId=3, toSiteId=8))

    assert (inside["site_id"], inside["folder_id"], inside["code"]) == (7, 2, "page-19")
    assert (away["site_id"], away["folder_id"], away["code"]) == (8, 3, "page-19")


@pytest.mark.rule("P10")
def test_P10_a_file_is_kept_as_long_as_a_copy_uses_it(make_service: MakeService) -> None:
    service = make_service(world=tree())
    sent = {"block": 120, "picture": picture(PNG)}
    src = service.result("landing.block.uploadfile", sent)["src"]
    edit = {"lid": 12, "block": 120, "data": {".pic": {"src": src}}}
    service.result("landing.block.updatenodes", edit)

    new_id = service.result(COPY, lid=12)
    service.result("landing.landing.delete", lid=12)
    kept = service.get(src).status_code
    service.result("landing.landing.delete", lid=new_id)

    assert (kept, service.get(src).status_code) == (200, 404)


@pytest.mark.rule("C9")
def test_a_refused_call_makes_no_page(service: Service) -> None:
    need_refused(service, COPY, REFUSED)


def test_a_published_copy_is_shown(service: Service) -> None:
    service.result("landing.landing.publication", lid=service.result(COPY, lid=12, toSiteId=8))

    assert service.get("/site-8/page-12/").status_code == 200
