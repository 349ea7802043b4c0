"""Types of the journal's row values: the digest for a long one, and which columns hold JSON."""

from typing import Any, Final

from sqlalchemy import JSON
from sqlmodel import SQLModel

DIGEST: Final = "landyard_sha256"
SHORT: Final = 200
"""Characters: of a longer value that a call has made its digest is kept."""
Values = dict[str, Any]
"""The values of a row, by its columns; one that is an object with a `DIGEST` stands for another."""


def holds_json(table: str, name: str) -> bool:
    """Tell whether a column holds JSON: what an object in it says is a caller's."""
    declared = SQLModel.metadata.tables.get(table)
    return declared is not None and name in declared.c and isinstance(declared.c[name].type, JSON)
