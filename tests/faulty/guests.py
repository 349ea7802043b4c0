"""Two third-party plugins: each has a table, a class, a method, a page, and so on; one property may
clash.
"""

from faulty.kit import Fault

_BASE = """
class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    pass
"""
BARE = {"base": "", "parent": "SQLModel"}
"""For a class without a base of its own, in the registry of all bare classes."""
_BODY = '''
from datetime import timedelta
from pathlib import Path
from typing import List, Optional

import click
from litestar import get
from msgspec import Struct
from sqlalchemy import Column, Integer, MetaData, String, Table
from sqlalchemy.orm import registry
from sqlmodel import Field, Relationship, SQLModel, select

from landyard import METADATA, Alias, Call, Event, Job, MethodGroup, MissingParams
from landyard import Subscriber, Tables, WorldList, hookimpl
{base}
{before}

class {kind}({parent}, table=True):
    __tablename__ = "{table}"
    {keywords}
    id: int | None = Field(default=None, primary_key=True)
    host_id: int | None = Field(default=None, foreign_key="{table}.id")
    {field}


group = MethodGroup(scope="{scope}")


class Nothing(Struct, frozen=True):
    pass


@group.method("{method}")
def listing(call: Call, params: Nothing) -> int:
    """Count the guests."""
    return len(call.session.exec(select({kind})).all())


@hookimpl
def register_methods():
    return group


@hookimpl
def register_tables():
    return Tables("{branch}", Path(__file__).parent / "{folder}")

{after}
'''
_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "{branch}_0001"
down_revision = None
branch_labels = ("{branch}",)
depends_on = None


def upgrade():
    op.create_table(
        "{table}",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("host_id", sa.Integer, sa.ForeignKey("{table}.id")),
    )
    {migrates}


def downgrade():
    op.drop_table("{table}")
"""


def family(kind: str = "Guest") -> dict[str, str]:
    """Source text for a model with this name, and a relationship that finds its class by that
    name.
    """
    found = f'{{"remote_side": "{kind}.host_id"}}'
    text = f'others: List["{kind}"] = Relationship(sa_relationship_kwargs={found})'
    return {"kind": kind, "field": text}


def guests(name: str, *, requirement: str = "landyard>=0.1", **said: str) -> Fault:
    """A sound plugin, except for the properties that `said` replaces."""
    usual = {
        "base": _BASE,
        "before": "",
        "kind": f"Guest{name.title().replace('_', '')}",
        "parent": "Base",
        "table": f"faulty_{name}_guest",
        "keywords": "",
        "field": "",
        "scope": "landing",
        "method": f"{name}.list",
        "branch": f"faulty_{name}",
        "folder": f"faulty_{name}_migrations",
        "migrates": "pass",
        "after": "",
    }
    words = {**usual, **said}
    path = f"{words['folder']}/{words['branch']}_0001.py"
    files = {path: _MIGRATION.format(**words)}
    return Fault(name, _BODY.format(**words), "", "enabled", requirement, files=files)
