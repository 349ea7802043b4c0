"""All tables are in one metadata object, including those of SQLModel classes, whenever it is
imported.
"""

import subprocess
import sys

import pytest

CLASS = """
class Guest(SQLModel, table=True):
    id: int = Field(primary_key=True, foreign_key="landyard_user.id")
    at: str = ""
"""
TOLD = """
assert Guest.metadata is SQLModel.metadata is landyard.METADATA
assert landyard.METADATA.tables["guest"] is landyard.table_of(Guest) is Guest.__table__
(key,) = Guest.__table__.c.id.foreign_keys
assert key.column is landyard.credentials.USER.c.id
assert SQLModel.model_config["defer_build"]
"""
LANDYARD = "import landyard"
SQLMODEL = "from sqlmodel import Field, SQLModel"
SEVERAL = """
import threading

def bring():
    from sqlmodel import SQLModel

    found.append(SQLModel.metadata is landyard.METADATA)

found = []
threads = [threading.Thread(target=bring) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert found == [True] * 8
"""


@pytest.mark.parametrize(
    "lines",
    [
        [LANDYARD, SQLMODEL, CLASS, TOLD],
        [SQLMODEL, LANDYARD, CLASS, TOLD],
        [SQLMODEL, CLASS, LANDYARD, TOLD],
        [LANDYARD, SEVERAL],
    ],
)
def test_classes_of_sqlmodel_are_among_our_tables(lines: list[str]) -> None:
    # In a process of its own that has imported neither.
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)
