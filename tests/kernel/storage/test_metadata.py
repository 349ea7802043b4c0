"""All tables are in one metadata object, including those of bare SQLModel classes."""

import subprocess
import sys

import pytest

BARE = """
class Guest(SQLModel, table=True):
    id: int = Field(primary_key=True, foreign_key="landyard_user.id")
    at: str = ""
"""
TOLD = """
assert Guest.metadata is SQLModel.metadata is landyard.METADATA
assert landyard.METADATA.tables["guest"] is landyard.table_of(Guest) is Guest.__table__
(key,) = Guest.__table__.c.id.foreign_keys
assert key.column is landyard.credentials.USER.c.id
"""
LANDYARD = "import landyard"
SQLMODEL = "from sqlmodel import Field, SQLModel"


@pytest.mark.parametrize("lines", [[LANDYARD, SQLMODEL, BARE], [SQLMODEL, BARE, LANDYARD]])
def test_bare_classes_of_sqlmodel_are_among_our_tables(lines: list[str]) -> None:
    # In a process of its own that has imported neither.
    subprocess.run([sys.executable, "-c", "\n".join([*lines, TOLD])], check=True)
