"""Tables of test data can be read in a diff: a row has a line of its own."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
WIDTH = 300
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def test_a_long_line_of_json_is_one_long_text() -> None:
    tables = [each for each in TESTS.rglob("*.json") if "node_modules" not in each.parts]

    assert len(tables) > 50
    assert [
        f"{table.relative_to(TESTS)}:{number} can be split into lines of at most {WIDTH} characters"
        for table in tables
        for number, line in enumerate(table.read_text().splitlines(), 1)
        if len(line) > WIDTH and can_be_split(line)
    ] == []


def test_rows_on_one_line_are_refused_and_a_long_text_is_not() -> None:
    assert can_be_split(f'  "ROWS": [{", ".join(map(str, range(WIDTH)))}],')
    assert can_be_split(f'  ["{"a" * WIDTH}", {", ".join(map(str, range(WIDTH)))}],')
    assert not can_be_split(f'    {{"id": 1, "content": "{"a " * WIDTH}"}},')


def can_be_split(line: str) -> bool:
    longest = max(map(len, STRING.findall(line)), default=0)
    return len(line) - longest > WIDTH
