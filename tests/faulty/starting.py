"""Plugins that are faulty from the start: each fails with a reason, and the rest serves."""

from faulty.kit import Fault

_HOOKS = "from landyard import Job, MethodGroup, Tables, hookimpl\n"


def _hook(name: str, does: str, takes: str = "") -> str:
    """A module with one hook."""
    return f"{_HOOKS}\n\n@hookimpl\ndef {name}({takes}):\n    {does}\n"


def _tables(name: str) -> str:
    """A module with a branch of migrations of its own."""
    does = f'return Tables("faulty{name}", Path(__file__).parent / "faulty_{name}_migrations")'
    return "from pathlib import Path\n\n" + _hook("register_tables", does)


def _migration(name: str, upgrade: str, head: str = "") -> dict[str, str]:
    """The single revision of that branch."""
    revision = f"faulty{name}_0001"
    text = f"""
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = None
branch_labels = ("faulty{name}",)
depends_on = None
{head}

def upgrade():
    op.create_table("faulty{name}_row", sa.Column("id", sa.Integer, primary_key=True))
    {upgrade}


def downgrade():
    op.drop_table("faulty{name}_row")
"""
    return {f"faulty_{name}_migrations/{revision}.py": text}


_MODEL = """
from landyard import hookimpl
from sqlmodel import Field, SQLModel


class Row(SQLModel, table=True):
    __tablename__ = "faulty_{}"
    id: int | None = Field(default=None, primary_key=True)


@hookimpl
def map_error(error):
    return None
"""
_METHOD = '''
from msgspec import Struct

from landyard import Call, MethodGroup, hookimpl

group = MethodGroup()


class Nothing(Struct, frozen=True):
    pass


@group.method("landing.block.getlist")
def go(call: Call, params: Nothing) -> bool:
    """Say yes."""
    return True


@hookimpl
def register_methods():
    return group
'''
_ROUTE = """
from litestar import get
from landyard import hookimpl


@get("/faulty/async")
async def page() -> str:
    return "blocks the loop"


@hookimpl
def register_routes(host):
    return [page]
"""

ENDING = [
    Fault("ends", "import os\nos._exit(3)", "ended the process with status 3"),
    Fault("dies", "import os\nos.kill(os.getpid(), 11)", "ended the process with status -11"),
    Fault("hangs", "import time\ntime.sleep(3600)", "hangs: not ready after 4 s"),
]
"""Faults that end or block the process that imports the plugin."""

LOADING = [
    *ENDING,
    Fault("import", "import there_is_no_such_module", "there_is_no_such_module"),
    Fault("syntax", "def (:", "SyntaxError"),
    Fault("exit", "raise SystemExit(3)", "SystemExit"),
    Fault("bare", "class Odd(BaseException): ...\nraise Odd", "Odd"),
    Fault("deep", "def f(): f()\nf()", "RecursionError"),
    Fault("future", "import never_tried", "landyard *>= *99", requirement="landyard>=99"),
    Fault("missing", "requires = ('not_there',)", "not_there"),
    Fault("async_route", _ROUTE, "/faulty/async comes with 'async def'"),
]
"""The rows of the containment table about plugins that are faulty while they are loaded."""

_SERVE = """
import time
from landyard import hookimpl


class Keeper:
    def serve(self):
        {}


@hookimpl
def register_hooks(host):
    return Keeper()
"""
BEGINNING = [
    Fault("serve_raises", _SERVE.format("1 / 0"), "", "enabled"),
    Fault("serve_hangs", _SERVE.format("time.sleep(3600)"), "", "enabled"),
    Fault("routes_end", _hook("register_routes", "import os; os._exit(3)", "host"), "twice"),
    Fault(
        "migration_ends",
        _tables("migration_ends"),
        "twice",
        files=_migration("migration_ends", "import os; os._exit(3)"),
    ),
]
"""Plugins that fail when a worker starts, in a hook or a migration that runs after the loading."""

STARTING = [
    *LOADING[len(ENDING) :],
    Fault("typo", _hook("register_metods", "return MethodGroup()"), "register_metods"),
    Fault("argument", _hook("map_error", "return None", "eror"), "eror"),
    Fault("leaving", _hook("register_methods", "raise SystemExit(3)"), "methods.*SystemExit"),
    Fault("no_group", _hook("register_methods", "return 42"), "register_methods"),
    Fault("no_jobs", _hook("register_jobs", "return iter(int, 1)"), "register_jobs"),
    Fault("no_routes", _hook("register_routes", "return [42]", "host"), "register_routes"),
    Fault("raising_routes", _hook("register_routes", "1 / 0", "host"), "register_routes"),
    Fault("duplicate", _METHOD, "landing.block.getlist.*blocks"),
    Fault("circle", "requires = ('faulty_circle',)", "faulty_circle"),
    Fault("odd_requirement", "import never_tried", "requirement", requirement="landyard ~~ odd"),
    Fault("twin_one", "", "", "enabled", entry="faulty_twin"),
    Fault("twin_two", "", "faulty-twin-one 1.0", entry="faulty_twin"),
    Fault(
        "halfway",
        _tables("halfway"),
        "tables.*no such table",
        files=_migration("halfway", "op.execute('INSERT INTO not_there VALUES (1)')"),
    ),
    Fault(
        "leaving_migration",
        _tables("leaving_migration"),
        "tables.*SystemExit",
        files=_migration("leaving_migration", "raise SystemExit(3)"),
    ),
    Fault(
        "unreadable",
        _tables("unreadable"),
        "syntax",
        files=_migration("unreadable", "pass", head="def (:"),
    ),
    Fault("no_folder", _tables("no_folder"), "migrat"),
    Fault("no_migration", _MODEL.format("no_migration"), "register_tables"),
]
"""Text of the containment table: a plugin faulty from the start is `failed`, with distribution and
reason.
"""
