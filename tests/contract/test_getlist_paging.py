"""`landing.block.getlist` in pages of fifty (contract section 8; B3)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import CODE, page, world

METHOD = "landing.block.getlist"
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


@pytest.mark.parametrize(
    ("count", "start", "answer"),
    [
        (50, 0, _answer(range(1000, 1050))),
        (51, 0, _answer(range(1000, 1050), 50, 51)),
        (51, 50, _answer(range(1050, 1051))),
        (51, 1, _answer(range(1001, 1051))),
        (100, 0, _answer(range(1000, 1050), 50, 100)),
        (100, 50, _answer(range(1050, 1100))),
        (101, 50, _answer(range(1050, 1100), 100, 101)),
        (101, 100, _answer(range(1100, 1101))),
        (51, 51, _answer(range(0))),
        (51, 2**63, _answer(range(0))),
        (51, -1, _answer(range(1000, 1050), 50, 51)),
        (51, "50", _answer(range(1050, 1051))),
        (51, 50.0, _answer(range(1050, 1051))),
        (51, None, _answer(range(1000, 1050), 50, 51)),
    ],
)
def test_B3_one_page_is_answered_in_fifties(
    make_service: MakeService, count: int, start: Any, answer: Item
) -> None:
    service = make_service(world=world(page(10, *_many(count, 1000))))

    got = service.call(METHOD, {"lid": 10, "start": start, "params": {"edit_mode": True}})

    assert _asked(got) == answer


@pytest.mark.parametrize(
    ("start", "answer"),
    [
        (0, [*range(3000, 3030), *range(1000, 1020)]),
        (20, [*range(3020, 3030), *range(1000, 1040)]),
        (30, [*range(1000, 1040), *range(2000, 2010)]),
        (70, [*range(2000, 2045)]),
        (75, [*range(2005, 2045)]),
        (115, []),
    ],
)
def test_B3_several_pages_are_one_list(
    make_service: MakeService, start: int, answer: list[int]
) -> None:
    pages = [
        page(10, *_many(40, 1000)),
        page(11, *_many(45, 2000)),
        page(12, *_many(30, 3000)),
        page(13),
    ]
    service = make_service(world=world(*pages))

    got = service.call(METHOD, {"lid": [12, 13, 10, 11], "start": start, "params": {"edit_mode": True}})

    more = {} if start + 50 >= 115 else {"next": start + 50, "total": 115}
    assert _asked(got) == {"ids": answer, **more}


def test_B3_total_counts_what_the_mode_lists(make_service: MakeService) -> None:
    deleted = [each | {"deleted": True} for each in _many(5, 5000)]
    service = make_service(world=world(page(10, *_many(60, 1000), *deleted)))

    got = service.call(METHOD, {"lid": 10, "params": {"edit_mode": True}})

    assert (got.body["next"], got.body["total"]) == (50, 60)
