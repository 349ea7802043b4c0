"""`landyard plugins check` finds forty mistakes of authors, each with file, line and advice."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from faulty.kit import Fault, install
from msgspec import Struct

from landyard_authoring.findings import Finding
from landyard_authoring.trial import examine


class Mistake(Struct, frozen=True):
    """One entry of `forty_mistakes.toml`; that file explains the keys."""

    what: str
    told: str
    code: str
    batch: str = ""
    place: str = ""
    requirement: str = "landyard>=0.1"
    tables: bool = False
    files: Mapping[str, str] = {}
    change: tuple[str, str] = ("", "")


# A correct plugin.
SOUND = """
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from landyard import Call, CallError, Example, Job, MethodGroup, MissingParams, Tables, WrongType
from landyard import hookimpl
from msgspec import Meta, Struct
from sqlmodel import Field, SQLModel

group = MethodGroup(scope="mistaken")


class Named(Struct, frozen=True):
    name: str = ""


@hookimpl
def register_methods() -> MethodGroup:
    return group
"""
TABLES = """
class First(SQLModel, table=True):
    __tablename__ = "mistaken_first"
    id: int | None = Field(default=None, primary_key=True)
    text: str


RULES = []


@hookimpl
def register_tables():
    return Tables("mistaken", Path(__file__).parent / "migrations", RULES)
"""
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "mistaken_0001"
down_revision = None
branch_labels = ("mistaken",)
depends_on = None


def upgrade():
    text = sa.Column("text", sa.String, nullable=False)
    op.create_table("mistaken_first", sa.Column("id", sa.Integer, primary_key=True), text)


def downgrade():
    op.drop_table("mistaken_first")
"""
FILE = Path(__file__).with_name("forty_mistakes.toml")
MISTAKES = msgspec.convert(tomllib.loads(FILE.read_text())["mistake"], list[Mistake])
PLUGINS: dict[str, list[Mistake]] = defaultdict(list)
for mistake in MISTAKES:
    PLUGINS[mistake.batch or mistake.what].append(mistake)


def findings(folder: Path, mistakes: list[Mistake]) -> tuple[str, list[Finding]]:
    """Examine a plugin with these mistakes; return the findings and the source."""
    has_tables = any(each.tables or each.batch == "tables" for each in mistakes)
    files = {"migrations/mistaken_0001.py": MIGRATION} if has_tables else {}
    body = SOUND + TABLES * has_tables
    for each in mistakes:
        body = body.replace(*each.change) if each.change[0] else body
        body += f"\n\n{each.code.strip()}\n"
        files |= each.files
    plugin = Fault(
        "greeting",
        body,
        "",
        requirement=mistakes[0].requirement,
        entry="faulty_greeting",
        files=files,
    )
    install(folder, plugin)
    found = examine("faulty_greeting").findings
    return body, [each for each in found if each.level != "ok"]


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_mistake_is_found_with_its_place_and_advice(
    plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    body, found = findings(tmp_path, PLUGINS[plugin])

    told = [(each.place, each.reason) for each in found]
    missed = {}
    for mistake in PLUGINS[plugin]:
        place = mistake.place or f"faulty_greeting.py:{line(body, mistake)}"
        if not any(where == place and mistake.told in reason for where, reason in told):
            missed[mistake.what] = (place, mistake.told)
    assert missed == {}, "\n".join(map(str, told))


def line(body: str, mistake: Mistake) -> int:
    """Find the number of the marked line."""
    marked = next(each for each in mistake.code.splitlines() if each.endswith("# here"))
    return body.splitlines().index(marked) + 1


def test_there_are_at_least_forty_mistakes() -> None:
    assert len(MISTAKES) >= 40
    assert len({each.what for each in MISTAKES}) == len(MISTAKES)
