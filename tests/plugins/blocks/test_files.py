"""Files of removed blocks are deleted a day later, unless something still uses them (U7, P10)."""

import base64
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import PAGE, stored
from plugins.blocks.drafts import ONE, TWO, do, two_pages

from landyard.testing import Service

GIF = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
REMOVE = "landing.landing.removeEntities"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=two_pages())


def upload(service: Service, block_id: int) -> Any:
    return service.result("landing.block.uploadfile", block=block_id, picture=["a.gif", GIF])


def files(service: Service) -> list[int]:
    """The files that remain a day later."""
    service.later(days=1, seconds=1)
    service.run_jobs()
    return [row["id"] for row in stored(service, "landing_file")]


@pytest.mark.rule("U7")
def test_U7_an_unused_file_is_deleted_with_its_block(service: Service) -> None:
    gone, used, kept = upload(service, ONE), upload(service, ONE), upload(service, TWO)
    service.later(days=3)
    do(service, "updatecontent", TWO, content=f'<img src="{used["src"]}" alt="">')

    do(service, "deleteblock", ONE)

    assert gone["id"] in [row["id"] for row in stored(service, "landing_file")]
    assert files(service) == [used["id"], kept["id"]]


@pytest.mark.rule("U7")
def test_U7_a_named_file_is_deleted_alone(service: Service) -> None:
    one, two = upload(service, ONE), upload(service, ONE)
    images = [
        {"block": ONE, "image": one["id"]},
        {"block": TWO, "image": two["id"]},  # a file of another block
        {"block": 99, "image": 99},
    ]

    assert service.result(REMOVE, {"lid": PAGE, "data": {"images": images}}) is True
    assert files(service) == [two["id"]]


def test_blocks_are_removed_and_unknown_ids_ignored(service: Service) -> None:
    data = {"blocks": [ONE, ONE, 99, 201, "110"]}

    assert service.result(REMOVE, {"lid": PAGE, "data": data}) is True
    assert service.result(REMOVE, {"lid": PAGE, "data": {}}) is True
    left = [row["id"] for row in stored(service, "landing_block", public=False)]
    assert left == [101, 102, 110]
    assert len(stored(service, "landing_history")) == 1


@pytest.mark.rule("U7")
def test_U7_a_removal_that_is_undone_keeps_its_files(service: Service) -> None:
    used = upload(service, ONE)
    do(service, "updatecontent", ONE, content=f'<img src="{used["src"]}" alt="">')
    do(service, "deleteblock", ONE)
    service.result("landing.landing.history.undo", {"lid": PAGE})

    assert files(service) == [used["id"]]
    assert not stored(service, "landing_file")[0]["temporary"]


@pytest.mark.rule("U7", "P10")
def test_U7_a_saved_block_keeps_its_files_after_its_page(make_service: MakeService) -> None:
    # undo would keep the files too
    service = make_service(world=two_pages(), plugins={"off": ["undo"]})
    used = upload(service, ONE)
    do(service, "updatecontent", ONE, content=f'<img src="{used["src"]}" alt="">')
    saved = [do(service, "favoriteBlock", ONE).result for _ in range(2)]
    left = []

    service.result("landing.landing.delete", {"lid": PAGE})
    for each in (None, *saved):
        if each is not None:
            service.result("landing.landing.unFavoriteBlock", {"blockId": each})
        left.append(files(service))

    assert left == [[used["id"]], [used["id"]], []]


@pytest.mark.rule("U7", "P10")
def test_U7_a_kept_file_is_deleted_with_the_last_page_that_uses_it(service: Service) -> None:
    used = upload(service, ONE)
    do(service, "updatecontent", ONE, content=f'<img src="{used["src"]}" alt="">')
    saved = do(service, "favoriteBlock", ONE).result
    service.result("landing.landing.unFavoriteBlock", {"blockId": saved})

    kept = files(service)
    service.result("landing.landing.delete", {"lid": PAGE})

    assert (kept, files(service)) == ([used["id"]], [])
