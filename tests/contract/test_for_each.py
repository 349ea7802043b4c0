"""`for_each`: it runs each row, passes fixtures along, and reports each row that fails."""

from typing import Any

import pytest
from tables import for_each

RUN: list[tuple[str, int]] = []


@pytest.fixture
def given() -> str:
    return "given"


@for_each("number", [1, 2, 3])
def test_pytest_takes_the_row_for_no_fixture(given: str, number: int) -> None:
    assert given == "given"
    assert number


def test_all_rows_run_with_the_values_of_fixtures() -> None:
    def note(given: str, number: int) -> None:
        RUN.append((given, number))

    whole: Any = for_each("number", [1, 2])(note)

    RUN.clear()
    whole(given="x")

    assert RUN == [("x", 1), ("x", 2)]


def test_a_failed_row_is_reported_and_the_others_run() -> None:
    def check(name: str, number: int) -> None:
        RUN.append((name, number))
        assert number == 2, name

    whole: Any = for_each("name, number", [("a", 1), ("b", 2), pytest.param("c", 3)])(check)

    RUN.clear()
    with pytest.raises(ExceptionGroup, match="2 of 3 rows of check") as failed:
        whole()

    assert [name for name, _ in RUN] == ["a", "b", "c"]
    notes = [note for error in failed.value.exceptions for note in error.__notes__]
    assert notes[0] == "in the row ('a', 1)"
    assert len(notes) == 2


def test_a_table_without_rows_fails() -> None:
    whole: Any = for_each("number", [])(lambda number: None)

    with pytest.raises(AssertionError):
        whole()
