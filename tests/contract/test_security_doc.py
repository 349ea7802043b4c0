"""docs/security.md answers each requirement of levels 1 and 2 once, and cites existing files and
tests.
"""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from contract.asvs import LEVELS
from msgspec import Struct

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "security.md").read_text()
NUMBER = r"\d+\.\d+\.\d+"
ROW = re.compile(
    rf"^\| ({NUMBER}(?:, {NUMBER})*) \| [^|]+ \| (\w[\w/]*): ([^|]+) \|$", re.MULTILINE
)
CITED = re.compile(r"`((?:kernel|plugins|contrib|tests|docs|pyproject)[\w/.-]*)(?:::(\w+))?`")
# The paths that each kind of answer must cite.
KINDS = {
    "test": ("tests/",),
    "code": ("kernel/", "plugins/", "contrib/", "pyproject.toml"),
    "docs": ("docs/",),
    "operator": None,
    "gap": None,
    "n/a": None,
}


class Answer(Struct, frozen=True):
    numbers: tuple[str, ...]
    kind: str
    text: str

    @property
    def cited(self) -> list[tuple[str, str]]:
        """The cited paths, each with the name of a test or an empty name."""
        return CITED.findall(self.text)


ANSWERS = [Answer(tuple(row[1].split(", ")), row[2], row[3]) for row in ROW.finditer(DOCUMENT)]


def test_the_register_is_as_large_as_the_standard() -> None:
    assert Counter(LEVELS.values()) == {1: 70, 2: 183, 3: 92}


def test_each_requirement_of_levels_1_and_2_is_answered_once() -> None:
    answered = Counter(number for answer in ANSWERS for number in answer.numbers)

    assert answered == Counter(number for number, level in LEVELS.items() if level < 3)


def test_each_row_is_an_answer() -> None:
    rows = re.findall(rf"^\|\s*({NUMBER})", DOCUMENT, re.MULTILINE)

    assert rows == [answer.numbers[0] for answer in ANSWERS]


def test_an_answer_cites_the_paths_that_its_kind_needs() -> None:
    wanting = [
        answer.numbers
        for answer in ANSWERS
        for needed in [KINDS[answer.kind]]
        if needed and not any(path.startswith(needed) for path, _ in answer.cited)
    ]

    assert wanting == []


def test_each_cited_file_and_test_exists() -> None:
    cited = sorted({each for answer in ANSWERS for each in answer.cited})

    assert len(cited) > 100
    assert [each for each in cited if not is_there(*each)] == []


def test_the_summary_names_the_unmet_requirements() -> None:
    text = " ".join(DOCUMENT.split())

    assert [part for part in summary() if part not in text] == []


def is_there(path: str, name: str) -> bool:
    """Tell whether a path exists, and the named test in it; a file of tests must contain a test."""
    file = ROOT / path
    if not path.startswith("tests/") or file.suffix != ".py":
        return file.exists() and not name
    return file.exists() and (name in names_in(file) if name else bool(names_in(file)))


@functools.cache
def names_in(file: Path) -> frozenset[str]:
    functions = (
        node.name
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return frozenset(name for name in functions if name.startswith("test_"))


def summary() -> Iterator[str]:
    """The sentences of the document's summary, as its rows imply them."""
    counted = Counter(answer.kind for answer in ANSWERS for _ in answer.numbers)
    gaps = [number for answer in ANSWERS if answer.kind == "gap" for number in answer.numbers]
    yield f"Of {counted.total()} requirements {counted['test']} are proven by tests,"
    yield f"{counted['code']} hold by construction, {counted['docs']} ask for documentation,"
    yield f"{counted['operator']} fall to the operator, {counted['n/a']} have nothing here to apply"
    yield f"to, and {counted['gap']} are not met, or not wholly."
    for level in (1, 2):
        yield f"Level {level}: {', '.join(n for n in gaps if LEVELS[n] == level)}."
