"""Two to four writers edit one block at once: all edits survive, in whatever order they arrive."""

import random

import pytest
from conftest import MakeService
from plugins.blocks.concurrent_edits import Edit, any_edit, begin, lost, merged_world, read, write

from landyard.testing import Service

BASES = ("abc", "abcd", "ab", "aab", "abb", "aaa")


def run(service: Service, cards: str, edits: list[Edit]) -> tuple[list[bool], str]:
    """Make edits based on one revision; return the accepted ones and the final block."""
    seen = begin(service, cards)
    kept = [write(service, edit, seen) for edit in edits]
    done = [edit for edit, was_kept in zip(edits, kept, strict=True) if was_kept]
    assert lost(service, cards, done) == [], (cards, edits, kept, read(service)[0])
    return kept, read(service)[0]


def compare(service: Service, number: int, writers: int) -> tuple[int, int]:
    """Make edits in two orders; return how many were made and how many were refused."""
    chance = random.Random(number)
    cards = chance.choice(BASES)
    edits = [any_edit(chance, cards, at) for at in range(1, writers + 1)]
    # a copy and a removal may cancel out; a later copy of the same card is then another one
    if writers > 2:
        edits = [*{(edit.place, edit.value): edit for edit in edits}.values()]
    kept, block = run(service, cards, edits)
    other = edits[::-1] if writers == 2 else chance.sample(edits, len(edits))
    kept_then, block_then = run(service, cards, other)
    context = (number, cards, edits, block, block_then)
    if writers == 2:
        assert all(kept) == all(kept_then), context
    if all(kept) and all(kept_then):
        assert block == block_then, context
    return len(edits), kept.count(False)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_order_of_two_edits_makes_no_difference_and_neither_is_lost(
    make_service: MakeService,
) -> None:
    service = make_service(world=merged_world())

    counts = [compare(service, number, 2) for number in range(200)]

    refused = sum(each for _, each in counts)
    assert 0 < refused < 60  # edits that collide by chance


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_histories_of_two_to_four_writers(
    make_service: MakeService, part: int
) -> None:
    service = make_service(world=merged_world())

    numbers = range(part * 1000, (part + 1) * 1000)
    counts = [compare(service, number, 2 + number % 3) for number in numbers]

    print(
        f"{sum(made for made, _ in counts)} edits, {sum(refused for _, refused in counts)} refused"
    )
