"""`landing.landing.update`: into the trash and out of it, and the rights it needs (P4, R4)."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import as_user, everything, page, row, stored, tree, user
from corpora import read_cases

from landyard.testing import Answer, Service

UPDATE = "landing.landing.update"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
USERS = [
    user(2, sites_access=True, rights={"*": ["settings"]}),
    user(3, sites_access=True, rights={"*": ["settings", "delete"]}),
    user(4, sites_access=True, rights={"*": ["settings", "publish"]}),
    user(5, sites_access=True, rights={"*": ["delete", "publish", "edit"]}),
]


def _update(service: Service, page_id: int = 12, who: int = 1, **fields: Any) -> Answer:
    return service.call(UPDATE, {"lid": page_id, "fields": fields}, **as_user(who))


def _state(service: Service, page_id: int) -> tuple[bool, bool, str | None]:
    found = row(service, page_id)
    at = found["deleted_at"]
    return bool(found["active"]), bool(found["deleted"]), None if at is None else str(at)[:19]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule("P4", f"{UPDATE} fields.DELETED", "state: update DELETED=Y", "B17")
def test_P4_Y_trashes_a_page_as_it_is(make_service: MakeService) -> None:
    """A locked page too: the lock guards only `delete`. Page 20 is the only page of its site."""
    service = make_service(world=tree(), now=NOW)
    blocks = stored(service, "landing_block")

    for page_id in [11, 12, 14, 16, 17, 18, 20, 30, 40]:
        published = row(service, page_id)["published"]
        assert _update(service, page_id, DELETED="Y").result is True
        assert _state(service, page_id) == (False, True, "2026-03-01 12:00:05")
        assert row(service, page_id)["published"] == published
    assert stored(service, "landing_block") == blocks


@pytest.mark.rule("P4", "P9", f"{UPDATE} fields.DELETED")
def test_P4_Y_on_a_page_in_the_trash_keeps_its_time_of_deletion(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(), now=NOW)

    assert _update(service, 13, DELETED="Y").result is True

    assert _state(service, 13) == (False, True, "2026-01-01 00:00:00")


@pytest.mark.rule("P4", f"{UPDATE} fields.DELETED", "state: update DELETED=N")
@pytest.mark.parametrize("value", ["N", "", "y", True, 1, "Y "])
def test_P4_any_other_value_restores_and_makes_inactive(service: Service, value: Any) -> None:
    for page_id in (10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 30, 40):
        assert _update(service, page_id, DELETED=value).result is True
        assert _state(service, page_id) == (False, False, None)


@pytest.mark.rule("state: update DELETED=N", "B17")
def test_3_visitors_see_a_restored_page_after_its_publication(service: Service) -> None:
    seen = [service.get("/site-7/page-14/").status_code]

    for value in ("Y", "N"):
        _update(service, 14, DELETED=value)
        seen.append(service.get("/site-7/page-14/").status_code)
    service.load({"pages": [{"id": 14, "site": 7, "active": True}]})
    seen.append(service.get("/site-7/page-14/").status_code)

    assert seen == [200, 404, 404, 200]


@pytest.mark.rule("P4", f"{UPDATE} ACCESS_DENIED")
def test_P4_an_area_cannot_be_trashed(service: Service) -> None:
    before = everything(service)

    assert _update(service, 15, TITLE="New", DELETED="Y").error == "ACCESS_DENIED"
    assert everything(service) == before


@pytest.mark.rule("P7", f"{UPDATE} CANT_DELETE_MAIN")
@pytest.mark.parametrize("more", [{}, {"SITE_ID": 8}, {"FOLDER_ID": 1, "CODE": "new"}])
def test_P7_a_main_page_beside_others_cannot_be_trashed(
    service: Service, more: dict[str, Any]
) -> None:
    before = everything(service)

    assert _update(service, 10, TITLE="New", DELETED="Y", **more).error == "CANT_DELETE_MAIN"
    assert everything(service) == before


@pytest.mark.rule("P7")
def test_P7_pages_in_the_trash_do_not_count(make_service: MakeService) -> None:
    service = make_service(world=tree(page(21, site=8)))

    answers = [_update(service, each, DELETED="Y").error for each in (20, 21, 20)]

    assert answers == ["CANT_DELETE_MAIN", None, None]


@pytest.mark.rule("P7")
def test_P7_a_main_page_in_the_trash_may_be_trashed_again(service: Service) -> None:
    _update(service, 20, DELETED="Y")
    _update(service, 12, SITE_ID=8)

    assert _update(service, 20, DELETED="Y", TITLE="New").result is True
    assert row(service, 20)["title"] == "New"


@pytest.mark.rule("P3", "P8", f"{UPDATE} fields.DELETED")
def test_P3_a_restored_page_gets_another_code_where_its_own_is_taken(service: Service) -> None:
    _update(service, 12, DELETED="Y")
    _update(service, 14, FOLDER_ID=1, CODE="page-12")

    _update(service, 12, DELETED="N")

    assert row(service, 14)["code"] == "page-12"
    assert re.fullmatch("page-12_[a-z]{4}", row(service, 12)["code"])


@pytest.mark.rule("P3", "P4")
def test_P3_the_code_is_checked_where_a_restored_page_is_placed(service: Service) -> None:
    _update(service, 13, DELETED="N", SITE_ID=8, CODE="page-20")

    assert re.fullmatch("page-20_[a-z]{4}", row(service, 13)["code"])


@pytest.mark.rule("R4", "P4", f"{UPDATE} ACCESS_DENIED")
def test_R4_each_field_needs_its_own_right_and_without_it_none_is_written(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(users=USERS))
    sent = read_cases(__file__, "R4 fields", tuple[int, dict[str, Any], str | None])

    for who, fields, error in sent:
        _update(service, 12, TITLE="Old", DELETED="N")
        before = everything(service)
        assert _update(service, 12, who, TITLE="New", CODE="new", **fields).error == error, fields
        if error is not None:
            assert everything(service) == before
        else:
            assert row(service, 12)["title"] == "New"
