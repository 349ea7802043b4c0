"""Of `for_each`: each row is run, fixtures come along, and each row that fails is told."""

import pytest
from tables import for_each

RUN: list[tuple[str, int]] = []


@pytest.fixture
def given() -> str:
    return "given"


@for_each("number", [1, 2, 3])
def test_each_row_is_run(given: str, number: int) -> None:
    RUN.append((given, number))


def test_all_rows_were_run() -> None:
    RUN.clear()
    for_each("number", [1, 2])(test_each_row_is_run.__wrapped__)(given="x")  # type: ignore[attr-defined]

    assert RUN == [("x", 1), ("x", 2)]


def test_a_row_that_fails_is_told_and_the_others_are_run() -> None:
    @for_each("name, number", [("a", 1), ("b", 2), pytest.param("c", 3)])
    def check(name: str, number: int) -> None:
        RUN.append((name, number))
        assert number == 2, name

    RUN.clear()
    with pytest.raises(ExceptionGroup, match="2 of 3 rows of check") as failed:
        check()

    assert [name for name, _ in RUN] == ["a", "b", "c"]
    notes = [note for error in failed.value.exceptions for note in error.__notes__]
    assert notes[0] == "in the row ('a', 1)"
    assert len(notes) == 2


def test_a_table_without_rows_proves_nothing() -> None:
    with pytest.raises(AssertionError):
        for_each("number", [])(lambda number: None)()
