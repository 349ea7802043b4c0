"""Faults that a plugin has from the start: it fails, with the reason, and the rest serves."""

from faulty.kit import Fault

_HOOKS = "from landyard import Job, MethodGroup, Tables, hookimpl\n"


def _hook(name: str, does: str, takes: str = "") -> str:
    """A module with one hook."""
    return f"{_HOOKS}\n\n@hookimpl\ndef {name}({takes}):\n    {does}\n"


def _method(
    name: str, options: str = "", handler: str = "def go(call: Call, params: Nothing)"
) -> str:
    """A module with one method."""
    return f'''
from msgspec import Struct

from landyard import Call, CallError, MethodGroup, hookimpl

group = MethodGroup()


class Nothing(Struct, frozen=True):
    pass


class Nameless(CallError):
    pass


@group.method("{name}"{options})
{handler} -> bool:
    """Say yes."""
    return True


@hookimpl
def register_methods():
    return group
'''


def _tables(name: str) -> str:
    """A module with a branch of migrations of its own."""
    does = f'return Tables("faulty{name}", Path(__file__).parent / "faulty_{name}_migrations")'
    return "from pathlib import Path\n\n" + _hook("register_tables", does)


def _migration(name: str, upgrade: str, head: str = "") -> dict[str, str]:
    """The one revision of that branch."""
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


def _entry(name: str, value: str) -> str:
    return f"[landyard]\nfaulty_{name} = {value}\n"


IMPORTS = [
    Fault("import", "import there_is_no_such_module", "there_is_no_such_module"),
    Fault("name", "no_such_name", "NameError.*no_such_name"),
    Fault("syntax", "def (:", "SyntaxError"),
    Fault("nul", "x = '\0'", "null byte|SyntaxError|ValueError"),
    Fault("exit", "raise SystemExit(3)", "SystemExit"),
    Fault("interrupt", "raise KeyboardInterrupt", "KeyboardInterrupt"),
    Fault("bare", "class Odd(BaseException): ...\nraise Odd", "Odd"),
    Fault("deep", "def f(): f()\nf()", "RecursionError"),
    Fault("slow", "import time\ntime.sleep(60)", "ready after"),
    Fault("spinning", "while True: pass", "ready after", alone=True),
    Fault("patching", "import json\njson.dumps = lambda *_, **__: '1'", "json.dumps", alone=True),
    Fault("unloading", "import sys\ndel sys.modules['json']", "json", alone=True),
    Fault("limiting", "import sys\nsys.setrecursionlimit(150)", "recursion", alone=True),
    Fault(
        "taking_table",
        "from sqlmodel import Field, SQLModel\n\n\nclass Row(SQLModel, table=True):\n"
        "    __tablename__ = 'landyard_user'\n    id: int = Field(primary_key=True)\n",
        "landyard_user",
        alone=True,
    ),
]

KILLING = [
    Fault("killing", "import os\nos._exit(3)", "import", alone=True),
    Fault("crashing", "import ctypes\nctypes.string_at(0)", "import", alone=True),
]
"""They end the process that imports them: the next one knows."""

HOOKS = [
    Fault("typo", _hook("register_metods", "return MethodGroup()"), "register_metods"),
    Fault("argument", _hook("map_error", "return None", "eror"), "eror"),
    Fault(
        "async",
        f"{_HOOKS}\n\n@hookimpl\nasync def authenticate(credential):\n    return None\n",
        "authenticate.*async def",
    ),
    Fault(
        "raising",
        _hook("register_methods", "raise OSError('no disk')"),
        "register_methods.*no disk",
    ),
    Fault(
        "leaving", _hook("register_methods", "raise SystemExit(3)"), "register_methods.*SystemExit"
    ),
    Fault(
        "hanging",
        "import time\n" + _hook("register_methods", "time.sleep(60)"),
        "ready after",
    ),
    Fault("no_group", _hook("register_methods", "return 42"), "register_methods"),
    Fault("no_settings", _hook("register_settings", "return 42"), "register_settings"),
    Fault("no_tables", _hook("register_tables", "return 'tables'"), "register_tables"),
    Fault("no_world", _hook("register_world", "return [42]"), "register_world"),
    Fault("no_jobs", _hook("register_jobs", "return 42"), "register_jobs"),
    Fault("endless_jobs", _hook("register_jobs", "return iter(int, 1)"), "register_jobs"),
    Fault(
        "no_routes",
        _hook("register_routes", "return [42]", "kernel"),
        "register_routes",
        served=True,
    ),
    Fault(
        "raising_routes",
        _hook("register_routes", "1 / 0", "kernel"),
        "register_routes",
        served=True,
    ),
    Fault(
        "needy",
        "from msgspec import Struct\n\n\nclass Needy(Struct):\n    height: int\n\n\n"
        + _hook("register_settings", "return Needy"),
        "register_settings",
    ),
    Fault(
        "taking_section",
        "from msgspec import Struct\n\n\nclass Mine(Struct):\n    height: int = 1\n\n\n"
        + _hook("register_settings", "return {'limits': Mine}"),
        "limits",
    ),
    Fault(
        "taking_job",
        "from datetime import timedelta\n"
        + _hook("register_jobs", "return [Job('landyard.audit', timedelta(hours=1), print)]"),
        "landyard.audit",
    ),
    Fault(
        "taking_page",
        "from litestar import get\n\n\n@get('/healthz', sync_to_thread=False)\n"
        "def healthz() -> str:\n    return 'mine'\n\n\n"
        + _hook("register_routes", "return [healthz]", "kernel"),
        "healthz",
        served=True,
    ),
    Fault(
        "raising_settings",
        "from msgspec import Struct\n\n\nclass Odd(Struct):\n    height: int = 1\n\n"
        "    def __post_init__(self):\n        1 / 0\n\n\n"
        + _hook("register_settings", "return Odd"),
        "ZeroDivisionError",
    ),
    Fault(
        "odd_method",
        _hook("register_methods", "group = MethodGroup(); group.methods.append(42); return group"),
        "register_methods|AttributeError",
    ),
    Fault(
        "wrapping",
        f"{_HOOKS}\n\n@hookimpl(wrapper=True)\ndef map_error():\n    return (yield)\n",
        "wrapper",
    ),
]

METHODS = [
    Fault("duplicate", _method("landing.block.getlist"), "landing.block.getlist.*blocks"),
    Fault("methods", _method("Methods"), "Methods.*legacy"),
    Fault("nameless", _method("faulty.nameless", ", errors=[Nameless]"), "Nameless has no code"),
    Fault(
        "coroutine",
        _method("faulty.coroutine", handler="async def go(call: Call, params: Nothing)"),
        "async def",
    ),
    Fault(
        "careless",
        _method("faulty.careless", handler="def go(call, params)"),
        "msgspec Struct",
    ),
]

PACKAGING = [
    Fault("future", "import never_tried", "landyard *>= *99", requirement="landyard>=99"),
    Fault("missing", "requires = ('not_there',)", "not_there"),
    Fault("circle", "requires = ('faulty_circle',)", "faulty_circle"),
    Fault("odd_requires", "requires = 42", "requires"),
    Fault("odd_entry", "", "entry|import", files={"/entry_points.txt": _entry("odd_entry", ": !")}),
    Fault(
        "no_module",
        "",
        "there_is_no",
        files={"/entry_points.txt": _entry("no_module", "there_is_no")},
    ),
    Fault("odd_requirement", "import never_tried", "requirement", requirement="landyard ~~ odd"),
    Fault("kernel", "import never_tried", "'kernel'", entry="kernel"),
]
TWINS = [
    Fault("twin_one", "", "", "enabled", entry="faulty_twin"),
    Fault("twin_two", "", "faulty-twin-one 1.0", entry="faulty_twin"),
]

MIGRATIONS = [
    Fault(
        "migrating",
        _tables("migrating"),
        "tables.*ZeroDivisionError",
        files=_migration("migrating", "1 / 0"),
    ),
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
        "migrations.*syntax",
        files=_migration("unreadable", "pass", head="def (:"),
    ),
    Fault("no_folder", _tables("no_folder"), "migrat"),
]

STARTING = [*IMPORTS, *HOOKS, *METHODS, *PACKAGING, *TWINS, *MIGRATIONS]
