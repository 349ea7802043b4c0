"""`landing.landing.` publication, unpublic and markUnDelete: the result for visitors (B1, B17,
P8).
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EVERY_RIGHT,
    NO_INTEGERS,
    OUTSIDER,
    VIEWER,
    everything,
    need_refused,
    page,
    row,
    stored,
    tree,
    user,
)

import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
from landyard import CallError, Method, Plugin, hookimpl
from landyard.testing import Service
from landyard_landing.sites.refusals import PUBLICATION_REFUSALS

PUBLISH, HIDE = "landing.landing.publication", "landing.landing.unpublic"
RESTORE = "landing.landing.markUnDelete"
NOT_THERE, DENIED = "LANDING_NOT_EXIST", "ACCESS_DENIED"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
USERS = [
    user(
        VIEWER, sites_access=True, rights={"*": [each for each in EVERY_RIGHT if each != "publish"]}
    ),
    user(OUTSIDER, rights={"*": EVERY_RIGHT}),
]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree(users=USERS), now=NOW)


def edit(service: Service, page_id: int, text: str) -> None:
    data = {".title": text}
    sent = {"lid": page_id, "block": page_id * 10, "data": data}
    assert service.result("landing.block.updatenodes", sent) is True


@pytest.mark.rule("B1")
def test_B1_visitors_see_the_draft_after_its_publication(service: Service) -> None:
    edit(service, 14, "Tide tables")

    before = service.get("/site-7/page-14/").text
    assert service.result(PUBLISH, lid=14) is True
    after = service.get("/site-7/page-14/").text

    assert ("Tide tables" in before, "Tide tables" in after) == (False, True)
    copies = stored(service, "landing_block", page_id=14, public=True)
    assert [(copy["id"], copy["draft_id"]) for copy in copies] == [(141, 140)]
    found = row(service, 14)
    assert (str(found["date_public"])[:19], found["modified_by"]) == ("2026-03-01 12:00:05", 1)


def test_B1_publishing_a_page_activates_its_folders_and_its_site(
    make_service: MakeService,
) -> None:
    world = tree(page(21, folder=2))
    world["folders"][0]["active"] = world["folders"][1]["active"] = False
    world["sites"][0]["active"] = False
    service = make_service(world=world)

    service.result(PUBLISH, lid=21)

    assert service.get("/site-7/catalog/inner/page-21/").status_code == 200


@pytest.mark.rule("P8")
def test_P8_a_folder_in_the_trash_stays_hidden(service: Service) -> None:
    """Even if one of its pages was restored alone."""
    service.result("landing.site.markFolderDelete", id=1)
    service.result(RESTORE, lid=12)

    service.result(PUBLISH, lid=12)

    (folder,) = stored(service, "landing_folder", id=1)
    assert (bool(folder["active"]), bool(folder["deleted"])) == (False, True)
    assert bool(row(service, 12)["active"])


@pytest.mark.rule("B17")
def test_B17_a_hidden_page_keeps_its_published_blocks(service: Service) -> None:
    blocks = stored(service, "landing_block")

    assert service.result(HIDE, lid=14) is True

    assert service.get("/site-7/page-14/").status_code == 404
    assert stored(service, "landing_block") == blocks
    assert [each["id"] for each in service.result("landing.block.getlist", lid=14)] == [141]
    assert service.result(HIDE, lid=14) is True


@pytest.mark.rule("P8")
def test_P8_a_restored_page_is_inactive(service: Service) -> None:
    before = everything(service)
    assert service.result(RESTORE, lid=12) == 12
    assert everything(service) == before

    assert service.result(RESTORE, lid="13") == 13

    found = row(service, 13)
    assert (bool(found["deleted"]), bool(found["active"])) == (False, False)


@pytest.mark.rule("P8", "P3")
def test_P8_P3_a_restored_page_gets_another_code_where_its_own_is_taken(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(page(21, code="page-13")))

    service.result(RESTORE, lid=13)

    assert re.fullmatch("page-13_[a-z]{4}", row(service, 13)["code"])


@pytest.mark.rule("R5")
def test_R5_without_a_scope_markUnDelete_finds_every_type(service: Service) -> None:
    assert service.result(RESTORE, lid=30) == 30
    assert service.call(PUBLISH, lid=30).error == NOT_THERE
    assert service.result(PUBLISH, lid=30, scope="Knowledge") is True


def test_callers_without_the_right_and_missing_pages_are_refused(service: Service) -> None:
    for method, missing, denied in [
        (PUBLISH, NOT_THERE, NOT_THERE),
        (HIDE, NOT_THERE, DENIED),
    ]:
        cases: list[tuple[int, Any, str]] = [
            (1, {}, "MISSING_PARAMS"),
            (1, {"lid": None}, "MISSING_PARAMS"),
            (1, {"lid": []}, "MISSING_PARAMS"),
            (1, {"lid": 99}, missing),
            (1, {"lid": 13}, missing),
            (1, {"lid": 30}, missing),
            (1, {"lid": 14, "scope": "GROUP"}, missing),
            (1, {"lid": 2**70}, missing),
            (VIEWER, {"lid": 14}, denied),
            (OUTSIDER, {"lid": 14}, denied),
            (OUTSIDER, {"lid": 99}, denied),
            *((1, {"lid": each}, "TYPE_ERROR") for each in NO_INTEGERS if each != []),
        ]
        need_refused(service, method, cases)
    need_refused(
        service,
        RESTORE,
        [
            (1, {}, "MISSING_PARAMS"),
            (1, {"lid": 99}, DENIED),
            (1, {"lid": "x"}, "TYPE_ERROR"),
            (OUTSIDER, {"lid": 13}, DENIED),
        ],
    )


# ------------------------------------------------------------- limits of public pages


def test_the_number_of_public_pages_is_limited(make_service: MakeService) -> None:
    service = make_service(world=tree(), publication={"most_pages": 9})

    need_refused(service, PUBLISH, [(1, {"lid": 17}, "PUBLIC_PAGE_REACHED")])
    assert service.result(PUBLISH, lid=14) is True
    service.result(HIDE, lid=14)
    assert service.result(PUBLISH, lid=17) is True


def test_the_number_of_public_sites_is_limited(make_service: MakeService) -> None:
    world = tree()
    world["sites"][0]["active"] = False
    service = make_service(world=world, publication={"most_sites": 3})

    need_refused(service, PUBLISH, [(1, {"lid": 14}, "PUBLIC_SITE_REACHED")])
    assert service.result(PUBLISH, lid=20) is True


# ------------------------------------------------------- refusals of other plugins


class Refusing:
    """A plugin that refuses publications with the chosen error."""

    error: type[CallError] = CallError

    @hookimpl
    def before_call(self, method: Method) -> None:
        if method.name == PUBLISH:
            raise self.error


REFUSING = Refusing()


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_pages,
        Plugin("refusing", REFUSING),
    ]
    with Service(plugins, data=tmp_path_factory.mktemp("refusing"), world=tree()) as service:
        yield service


def test_the_hook_of_a_plugin_may_give_the_platforms_other_refusals(refusing: Service) -> None:
    before = everything(refusing)
    messages = []
    for REFUSING.error in PUBLICATION_REFUSALS:
        messages.append(refusing.call(PUBLISH, lid=14).error)

    assert messages == [each.code for each in PUBLICATION_REFUSALS]
    assert everything(refusing) == before
