"""Minutes of random calls: every answer is an envelope, nothing crashes, memory stays flat."""

import random
import resource
from typing import Any

import msgspec
import pytest
from contract.worlds import DRAFT, PAGE, one_page, webhook_of

from landyard.testing import Service
from landyard.wire import Incoming

CALLS = 50_000
WARM_UP = 10_000
GROWTH = 16 * 1024  # KiB
METHODS = ["methods", "landing.block.getlist", "LANDING.block.updateNodes", "no.such", ""]
NAMES = ["lid", "block", "data", "params", "start", "scope", "full", "additional", "auth", "é"]
PLAIN: list[Any] = [
    *[None, True, False, 0, 1, 10, 100, -1, 2**31, 2**63, 10**40, 1.5, 12.0, 1e308],
    *[
        "",
        "10",
        "100",
        "Y",
        "no",
        "x",
        "<b>",
        "\ud7ff",
        "[" * 100,
        "@",
        ".landing-block-node-title",
    ],
    *[[], {}, [10], [[]], {"a": {}}, {".landing-block-node-title": "x"}],
]


def value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth > 3 or kind < 0.7:
        return chance.choice(PLAIN)
    if kind < 0.85:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(NAMES): value(chance, depth + 1) for _ in range(chance.randrange(4))}


def incoming(chance: random.Random) -> Incoming:
    params = {name: value(chance) for name in chance.sample(NAMES, chance.randrange(6))}
    if chance.random() < 0.5:
        params |= {"lid": PAGE, "block": DRAFT}
    body = msgspec.json.encode(params)
    if chance.random() < 0.2:
        at = chance.randrange(len(body))
        body = body[:at] + chance.randbytes(chance.randrange(4)) + body[at + 1 :]
    return Incoming(
        verb=chance.choice(["POST", "POST", "GET", "PUT"]),
        path=f"/1/{webhook_of(1)}/{chance.choice(METHODS)}",
        query=chance.choice([b"", b"lid=10", b"data[.x][text]=1", b"a[]=%ff", b"&=&[", b"auth="]),
        content_type=chance.choice(
            ["application/json", "", "application/x-www-form-urlencoded", "multipart/form-data"]
        ),
        body=body,
    )


@pytest.mark.soak
def test_random_calls_are_answered_and_leave_nothing_behind() -> None:
    chance = random.Random(20261120)
    with Service(world=one_page()) as service:
        before = succeeded = 0
        for number in range(CALLS):
            answer = service.send(incoming(chance))
            assert answer.status < 500
            assert set(answer.body) in (
                {"error", "error_description"},
                {"result", "time"},
            ), answer.body
            succeeded += answer.status == 200
            if number == WARM_UP:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert succeeded > CALLS / 20  # the other calls did not all fail at the door
    assert grown < GROWTH
