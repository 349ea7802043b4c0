"""Publication copies the draft to the version that visitors see (B1, B17)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, PUBLISHED, block, everything, one_page, page, stored, world
from kernel.processes import landyard

from landyard.testing import Service
from landyard_content.pages.publication import publish, unpublish
from landyard_landing.errors import LandingNotExist

PATH = "/site-7/page-10/"
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)
COPIED = ("code", "content", "sort", "active", "anchor", "params")


def _publish(service: Service, page_id: int = PAGE) -> None:
    with service.kernel.store.session(writes=True) as session:
        publish(session.connection(), page_id, service.kernel.now())


def _unpublish(service: Service, page_id: int = PAGE) -> None:
    with service.kernel.store.session(writes=True) as session:
        unpublish(session.connection(), page_id, service.kernel.now())


def _published(service: Service) -> dict[int, int | None]:
    """The published blocks, and the drafts they were copied from."""
    rows = stored(service, "landing_block", public=True)
    return {row["id"]: row["draft_id"] for row in rows}


def _edit(service: Service, title: str) -> None:
    data = {".title": title}
    service.result("landing.block.updatenodes", {"lid": PAGE, "block": DRAFT, "data": data})


@pytest.mark.rule("B1", "state: draft edit")
def test_B1_edits_are_visible_after_publication(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    _edit(service, "Changed")
    before = service.get(PATH).text

    _publish(service)

    after = service.get(PATH).text
    assert [">Old<" in before, ">Changed<" in before] == [True, False]
    assert [">Old<" in after, ">Changed<" in after] == [False, True]


@pytest.mark.rule("B1")
def test_B1_published_ids_live_as_long_as_their_drafts(make_service: MakeService) -> None:
    blocks = [block(DRAFT, published_id=PUBLISHED), block(101)]
    service = make_service(world=world(page(PAGE, *blocks)))
    _publish(service)
    first = _published(service)
    _edit(service, "Changed")

    _publish(service)

    assert _published(service) == first
    assert first[PUBLISHED] == DRAFT
    assert sorted(filter(None, first.values())) == [DRAFT, 101]


@pytest.mark.rule("B1")
def test_B1_everything_visible_is_copied(make_service: MakeService) -> None:
    now = {"sort": 7, "active": False, "anchor": "a", "params": {"x:y": {"A": [1]}}}
    last = {"content": "<p>x</p>", "sort": 1, "active": True, "anchor": None, "params": {}}
    copy_of = {"published_id": PUBLISHED, **{f"published_{key}": last[key] for key in last}}
    built = world(page(PAGE, block(DRAFT, **now, **copy_of)))
    service = make_service(world=built, now=NOW)

    _publish(service)

    rows = stored(service, "landing_block")
    draft, copy = ({name: row[name] for name in COPIED} for row in rows)
    assert copy == draft
    assert copy["params"] == {"x:y": {"A": [1]}}


@pytest.mark.rule("B1")
def test_B1_a_draft_marked_deleted_is_not_published(make_service: MakeService) -> None:
    blocks = [block(DRAFT, published_id=PUBLISHED), block(101, deleted=True, published_id=201)]
    service = make_service(world=world(page(PAGE, *blocks)))

    _publish(service)

    assert _published(service) == {PUBLISHED: DRAFT}


@pytest.mark.rule("B1")
def test_B1_a_copy_whose_draft_is_gone_is_removed(make_service: MakeService) -> None:
    gone = {"id": None, "code": "x", "content": "<p>gone</p>", "published_id": 201}
    service = make_service(world=world(page(PAGE, block(DRAFT, published_id=PUBLISHED), gone)))

    _publish(service)

    assert _published(service) == {PUBLISHED: DRAFT}


@pytest.mark.rule("B1")
def test_B1_an_inactive_block_is_published_and_not_shown(make_service: MakeService) -> None:
    service = make_service(world=world(page(PAGE, block(DRAFT, active=False), block(101))))

    _publish(service)

    assert len(_published(service)) == 2
    assert service.get(PATH).text.count("block-wrapper") == 1


@pytest.mark.rule("B1")
def test_B1_an_empty_page_can_be_published(make_service: MakeService) -> None:
    service = make_service(world=world(page(PAGE)))

    _publish(service)

    assert service.get(PATH).status_code == 200


@pytest.mark.rule("B1")
def test_B1_both_kinds_share_one_id_space(make_service: MakeService) -> None:
    service = make_service(world=world(page(PAGE, block(DRAFT), block(101), block(102))))

    _publish(service)

    ids = [row["id"] for row in stored(service, "landing_block")]
    assert len(set(ids)) == 6


@pytest.mark.rule("B17")
def test_B17_unpublishing_keeps_the_published_version(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    before = _published(service)

    _unpublish(service)

    (item,) = service.result("landing.block.getlist", lid=PAGE)
    assert (service.get(PATH).status_code, item["id"]) == (404, PUBLISHED)
    assert _published(service) == before


@pytest.mark.rule("B17")
def test_B17_publishing_again_keeps_the_ids(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    before = _published(service)
    _unpublish(service)

    _publish(service)

    assert (_published(service), service.get(PATH).status_code) == (before, 200)


@pytest.mark.rule("B17")
@pytest.mark.parametrize("act", [_publish, _unpublish])
@pytest.mark.parametrize("page_id", [11, 99])
def test_B17_missing_and_trashed_pages_do_not_change(
    make_service: MakeService, act: Any, page_id: int
) -> None:
    service = make_service(world=world(page(11, block(110), deleted=True)))
    before = everything(service)

    with pytest.raises(LandingNotExist):
        act(service, page_id)

    assert everything(service) == before


@pytest.mark.rule("B1")
def test_B1_other_pages_do_not_change(make_service: MakeService) -> None:
    others = page(11, block(110, published_id=210, published_content="<p>old</p>"), active=True)
    service = make_service(world=world(page(PAGE, block(DRAFT)), others))
    before = stored(service, "landing_block", page_id=11), stored(service, "landing_page", id=11)

    _publish(service)

    assert before == (
        stored(service, "landing_block", page_id=11),
        stored(service, "landing_page", id=11),
    )


def test_world_a_dump_after_a_publication_is_complete(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    _edit(service, "Changed")
    _publish(service)
    before = everything(service)

    done = service.kernel.load(b"".join(service.kernel.dump()))

    assert (done.created, done.updated) == (0, 0)
    assert everything(service) == before


@pytest.mark.rule("B1")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_B1_the_commands_publish_and_unpublish(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service(world=one_page())
    _edit(service, "Changed")
    data = str(service.kernel.settings.data)

    hidden = landyard(tmp_path, "page", "unpublish", str(PAGE), LANDYARD_DATA=data).status
    gone = service.get(PATH).status_code
    shown = landyard(tmp_path, "page", "publish", str(PAGE), LANDYARD_DATA=data).status
    missing = landyard(tmp_path, "page", "publish", "99", LANDYARD_DATA=data)

    assert (hidden, gone, shown, missing.status) == (0, 404, 0, 1)
    assert ">Changed<" in service.get(PATH).text
    assert "Traceback" not in missing.err
