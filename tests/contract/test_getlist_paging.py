"""`landing.block.getlist` answers fifty blocks at a time (contract section 8; B3)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import CODE, page, world
from corpora import read_data

METHOD = "landing.block.getlist"
DRAFT = {"params": {"edit_mode": True}}
Item = dict[str, Any]


def _many(count: int, first: int) -> list[Item]:
    return [{"id": first + i, "code": CODE, "content": "<p>x</p>"} for i in range(count)]


def _answer(numbers: range, following: int | None = None, total: int | None = None) -> Item:
    more = {} if following is None else {"next": following, "total": total}
    return {"ids": list(numbers), **more}


def _asked(answer: Any) -> Item:
    body = dict(answer.body)
    body.pop("time")
    return {"ids": [item["id"] for item in body.pop("result")], **body}


ONE_PAGE = read_data(__file__, "ONE_PAGE", list[tuple[int, Any, Item]])

SEVERAL: list[tuple[int, list[int]]] = [
    (0, [*range(3000, 3030), *range(1000, 1020)]),
    (20, [*range(3020, 3030), *range(1000, 1040)]),
    (30, [*range(1000, 1040), *range(2000, 2010)]),
    (70, [*range(2000, 2045)]),
    (75, [*range(2005, 2045)]),
    (115, []),
]


@pytest.mark.rule("B3", "limit: records per call", "landing.block.getlist start")
def test_B3_one_page_is_answered_fifty_blocks_at_a_time(make_service: MakeService) -> None:
    # The page's id is the number of its blocks.
    pages = [page(count, *_many(count, count * 1000)) for count in (50, 51, 100, 101)]
    service = make_service(world=world(*pages))

    answers = [
        (count, start, _asked(service.call(METHOD, {"lid": count, "start": start, **DRAFT})))
        for count, start, _ in ONE_PAGE
    ]

    assert answers == ONE_PAGE


@pytest.mark.rule(
    "B3", "limit: records per call", "landing.block.getlist lid", "landing.block.getlist start"
)
def test_B3_blocks_of_several_pages_form_one_list(make_service: MakeService) -> None:
    pages = [
        page(10, *_many(40, 1000)),
        page(11, *_many(45, 2000)),
        page(12, *_many(30, 3000)),
        page(13),
    ]
    service = make_service(world=world(*pages))

    answers = [
        (start, _asked(service.call(METHOD, {"lid": [12, 13, 10, 11], "start": start, **DRAFT})))
        for start, _ in SEVERAL
    ]

    assert answers == [
        (start, {"ids": ids} | ({"next": start + 50, "total": 115} if start < 65 else {}))
        for start, ids in SEVERAL
    ]


@pytest.mark.rule("B3")
def test_B3_total_counts_the_blocks_of_the_mode(make_service: MakeService) -> None:
    deleted = [each | {"deleted": True} for each in _many(5, 5000)]
    service = make_service(world=world(page(10, *_many(60, 1000), *deleted)))

    got = service.call(METHOD, {"lid": 10, **DRAFT})

    assert (got.body["next"], got.body["total"]) == (50, 60)
