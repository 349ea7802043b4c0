"""Tables of rows: a single test runs all rows of a table and reports each row that fails.

Use it for rows that share their fixtures; a row with a database of its own is a test of its own.
"""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

import pytest

Test = TypeVar("Test", bound=Callable[..., None])
_PARAM = type(pytest.param())


def for_each(
    names: str, rows: Collection[Any], ids: Callable[[Any], str] = ascii
) -> Callable[[Test], Test]:
    """Run a test with each of `rows` as its parameter, or parameters, of these names.

    It is written like `pytest.mark.parametrize`, and costs a hundredth for each row.
    """
    taken = names.replace(" ", "").split(",")

    def values_of(row: Any) -> tuple[Any, ...]:
        if isinstance(row, _PARAM):
            assert not row.marks
            return tuple(row.values)
        return tuple(row) if len(taken) > 1 else (row,)

    def tabled(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def whole(**fixtures: Any) -> None:
            assert rows
            failed: list[Exception] = []
            for row in rows:
                try:
                    test(**fixtures, **dict(zip(taken, values_of(row), strict=True)))
                except Exception as error:
                    error.add_note(f"in the row {ids(row)[:200]}")
                    failed.append(error)
            if failed:
                text = f"{len(failed)} of {len(rows)} rows of {test.__name__}"
                raise ExceptionGroup(text, failed)

        given = [each for name, each in signature.parameters.items() if name not in taken]
        vars(whole)["__signature__"] = signature.replace(parameters=given)
        return cast("Test", whole)

    return tabled
