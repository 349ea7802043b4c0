"""`landyard.file.list` for editors lists files of pages that they may view, and nothing of
others.
"""

from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.pictures import upload
from contract.worlds import (
    DRAFT,
    OUTSIDER,
    PAGE,
    SITE,
    STRANGER,
    VIEWER,
    as_user,
    block,
    page,
    site,
    user,
    world,
)

from landyard.testing import Service

OTHER, HIDDEN, TRASHED = 8, 20, 11
HOSTILE = '"><script>ran(1)</script>'
USERS = [
    user(VIEWER, sites_access=True, rights={str(SITE): ["view"]}),
    user(STRANGER, sites_access=True),
    user(OUTSIDER, sites_access=False, rights={"*": ["view"]}),
]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """A site that the viewer may view, and one that the viewer may not; both have a page."""
    made = world(
        page(PAGE, block(DRAFT)),
        page(TRASHED, block(101), deleted=True),
        page(HIDDEN, block(200), site=OTHER),
        users=USERS,
        sites=[site(OTHER)],
    )
    made["webhooks"].append({"user": 1, "code": "admin-webhook-0123", "scopes": ["admin"]})
    return make_service(world=made)


def listed(service: Service, who: int = VIEWER, **sent: Any) -> list[dict[str, Any]]:
    answer = service.call("landyard.file.list", sent, **as_user(who))
    assert isinstance(answer.result, list), answer
    return answer.result


def use(service: Service, src: str, page_id: int, block_id: int) -> None:
    data = {".pic": {"src": src}}
    service.result("landing.block.updatenodes", lid=page_id, block=block_id, data=data)


def test_only_files_of_visible_pages_are_listed(service: Service) -> None:
    own = upload(service, name="own.png").result
    upload(service, name="secret.png", block=200)

    assert [each["id"] for each in listed(service)] == [own["id"]]
    assert listed(service, page_id=HIDDEN) == listed(service, STRANGER) == []
    assert [each["page_id"] for each in listed(service, 1)] == [HIDDEN, PAGE]


def test_uses_by_invisible_pages_are_not_answered(service: Service) -> None:
    own = upload(service).result
    use(service, own["src"], HIDDEN, 200)
    fields = {"ADDITIONAL_FIELDS": {"METAOG_IMAGE": own["src"]}}
    service.result("landing.site.update", id=OTHER, fields=fields)

    (seen,) = listed(service)
    (file,) = listed(service, 1)

    assert (seen["pages"], seen["sites"]) == ([], [])
    assert (file["pages"], file["sites"]) == ([HIDDEN], [OTHER])
    assert (listed(service, unused=True), listed(service, 1, unused=True)) == ([seen], [])
    use(service, own["src"], PAGE, DRAFT)
    assert listed(service)[0]["pages"] == [PAGE]
    assert listed(service, unused=True) == []


def test_uses_by_invisible_pages_are_not_counted(service: Service) -> None:
    add(service, [(PAGE, "own.png")] * 52 + [(HIDDEN, "secret.png")] * 60)

    answer = service.call("landyard.file.list", {}, **as_user(VIEWER))
    last = service.call("landyard.file.list", {"start": 50}, **as_user(VIEWER))

    assert (answer.body["next"], answer.body["total"]) == (50, 52)
    assert (len(last.result), "next" in last.body) == (2, False)
    assert {each["page_id"] for each in (*answer.result, *last.result)} == {PAGE}


def test_files_of_deleted_pages_are_listed_only_with_the_scope_admin(service: Service) -> None:
    add(service, [(0, "kept.png"), (999, "left.png"), (PAGE, "own.png")])

    assert [each["page_id"] for each in listed(service)] == [PAGE]
    assert [each["page_id"] for each in listed(service, 1)] == [PAGE]


def test_files_of_a_page_in_the_trash_are_listed(service: Service) -> None:
    add(service, [(TRASHED, "own.png")])

    assert [each["page_id"] for each in listed(service)] == [TRASHED]


def test_pages_of_every_type_of_site_count(service: Service) -> None:
    service.result("landing.site.update", id=SITE, fields={"TYPE": "STORE"})
    service.load({"sites": [site(SITE, type="KNOWLEDGE")]})
    add(service, [(PAGE, HOSTILE)])

    assert [each["src"].rpartition("/files/")[2][33:] for each in listed(service)] == [HOSTILE]


def test_a_caller_without_access_to_sites_is_refused(service: Service) -> None:
    answer = service.call("landyard.file.list", {}, **as_user(OUTSIDER))
    refused = service.call("landyard.file.list", {}, webhook="admin-webhook-0123")

    assert (answer.error, refused.error) == ("ACCESS_DENIED", "insufficient_scope")


@pytest.mark.parametrize("method", ["remove", "replace"])
def test_methods_that_change_files_stay_for_administrators(service: Service, method: str) -> None:
    sent = {"ids": [1], "id": 1, "by": 2}

    assert service.call(f"landyard.file.{method}", sent, **as_user(VIEWER)).error is not None


def add(service: Service, files: Sequence[tuple[int, str]]) -> None:
    """Add rows of files, as uploads would, by their pages and names."""
    with service.kernel.store.session(writes=True) as session:
        for number, (page_id, name) in enumerate(files):
            session.execute(
                sa.text(
                    "insert into landing_file (key, name, type, size, page_id, block_id, temporary,"
                    " created_at, created_by) values (:key, :name, 'image/png', 9, :page_id, 0,"
                    " :no, '2026-01-01 00:00:00', 1)"
                ),
                {"key": f"{number:032x}", "name": name, "page_id": page_id, "no": False},
            )
