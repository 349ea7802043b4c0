"""`landyard plugins check` finds what is wrong with a plugin, and survives what it does."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from faulty.kit import Fault, install

from landyard import Console
from landyard.checks import Finding, UnknownPlugin, Verdict, examine
from landyard.cli.authoring import check

Examine = Callable[..., Verdict]

# Right in everything; the faults below are changes to it.
SOUND = '''
from datetime import timedelta

from landyard import Call, CallError, Example, Job, MethodGroup, MissingParams, WrongType, hookimpl
from msgspec import Struct

group = MethodGroup(scope="greeting")


class Nobody(CallError):
    code = "GREETING_NOBODY"
    text = "There is nobody of that name to greet."


class Hello(Struct, frozen=True):
    name: str


class Settings(Struct, frozen=True):
    """`word` is what is said."""

    word: str = "Hello"


@group.method(
    "greeting.hello",
    errors=[MissingParams, WrongType, Nobody],
    example=Example({"name": "Ann"}, "Hello, Ann!"),
)
def hello(call: Call, params: Hello) -> str:
    """Greet somebody by name."""
    if not params.name.strip():
        raise Nobody
    return f"{call.settings(Settings).word}, {params.name}!"


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_settings() -> type[Struct]:
    return Settings


@hookimpl
def register_jobs() -> list[Job]:
    return [Job("greeting.rest", timedelta(hours=1), lambda kernel: None)]
'''


def changed(*changes: tuple[str, str]) -> str:
    body = SOUND
    for old, new in changes:
        assert old in body
        body = body.replace(old, new)
    return body


@pytest.fixture
def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Examine:
    """Install a plugin with this body, and examine it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)

    def run(body: str, *, requirement: str = "landyard>=0.1", **options: float) -> Verdict:
        install(
            tmp_path, Fault("greeting", body, "", requirement=requirement, entry="faulty_greeting")
        )
        return examine("faulty_greeting", **options)

    return run


def failures(verdict: Verdict) -> list[Finding]:
    return [finding for finding in verdict.findings if finding.level == "failure"]


def only(verdict: Verdict) -> Finding:
    found = failures(verdict)
    assert len(found) == 1, found
    return found[0]


def test_a_sound_plugin_passes(examined: Examine) -> None:
    verdict = examined(SOUND)

    assert verdict.passed
    assert verdict.shipped_by == "faulty-greeting 1.0"
    assert [finding for finding in verdict.findings if finding.level == "warning"] == []
    assert {finding.check for finding in verdict.findings} >= {
        *("version gate", "import", "hooks", "methods", "settings", "jobs", "tables"),
        *("examples", "odd values", "strangers", "work", "company", "leftovers"),
    }


# What ends or holds up the process of a trial: where it happens, and what is told.
FATAL = {
    "exit at import": ("import os\nos._exit(3)", "import", "exit status 3"),
    "SystemExit at import": ("raise SystemExit(3)", "import", "SystemExit: 3"),
    "no such module": ("import there_is_no_such_module", "import", "ModuleNotFoundError"),
    "hangs at import": ("import time\ntime.sleep(600)", "import", "not done after 2 s"),
    "segmentation fault": (
        changed(("    if not params", "    import ctypes; ctypes.string_at(0)\n    if not params")),
        "examples",
        'greeting.hello with {"name":"Ann"}: it ended the process: SIGSEGV',
    ),
    "async hook": (changed(("def register_jobs", "async def register_jobs")), "start", "async def"),
    "unknown hook": (changed(("def register_jobs", "def register_job")), "start", "register_job"),
}


@pytest.mark.parametrize("fatal", FATAL)
def test_what_a_plugin_does_to_its_process_is_a_finding(examined: Examine, fatal: str) -> None:
    body, stage, reason = FATAL[fatal]
    found = only(examined(body, import_seconds=2.0))

    assert found.check == stage
    assert reason in found.reason


def test_what_is_declared_wrong_is_found(examined: Examine) -> None:
    body = changed(
        ('"greeting.hello"', '"hello"'),
        ("-> str:", "-> int:"),
        ('    text = "There is nobody of that name to greet."\n', ""),
        ('"GREETING_NOBODY"', '"MISSING_PARAMS"'),
        ('word: str = "Hello"', "word: str = 7"),
        ("hours=1", "hours=0"),
    )
    body += "\ndef call_finished(reply): ...\n"
    found = failures(examined(body))

    def told(check: str) -> list[str]:
        return [finding.reason for finding in found if finding.check == check]

    assert "call_finished is never called" in told("hooks")[0]
    assert "greeting.rest" in told("jobs")[0]
    assert "[faulty_greeting]" in told("settings")[0]
    named, result = told("methods")
    assert "'greeting.'" in named
    assert "Expected `int`" in result
    taken, without = told("errors")
    assert "MISSING_PARAMS, which is the kernel's" in taken
    assert "no text" in without
    assert told("examples")[0].startswith('hello with {"name":"Ann"}: ')


def test_what_it_does_wrong_is_found(examined: Examine) -> None:
    body = changed(
        ("    if not params", "    int(params.name[:5] == 'xxxxx') and 1 / 0\n    if not params"),
        ("lambda kernel: None", "lambda kernel: 1 / 0"),
    )
    body += """
import json, threading, time

json.dumps = lambda *given, **more: "{}"
threading.Thread(target=time.sleep, args=(600,), name="straggler", daemon=True).start()


@hookimpl
def authenticate(credential):
    from landyard import Actor
    return Actor(1, "anybody", frozenset(["greeting"]))


@hookimpl
def call_finished(reply):
    raise KeyError("an observer")
"""
    found = failures(examined(body))

    def told(check: str) -> str:
        return " ".join(finding.reason for finding in found if finding.check == check)

    assert "ZeroDivisionError" in told("odd values")
    assert '"xxxxx' in told("odd values")
    assert "ZeroDivisionError" in told("work")
    assert "ERROR_METHOD_NOT_FOUND" in told("strangers")
    assert "json.dumps" in told("leftovers")
    assert "straggler" in told("leftovers")
    assert "call_finished raised KeyError" in told("leftovers")


def test_what_is_taken_and_what_is_hoarded_is_found(examined: Examine) -> None:
    body = changed(
        ('scope="greeting"', 'scope=""'),
        ('"greeting.hello"', '"methods"'),
        ("    if not params", "    HOARD.append(bytearray(10 * 1024 * 1024))\n    if not params"),
    )
    verdict = examined(body + "HOARD = []\n")

    assert only(verdict).check == "company"
    assert "method methods" in only(verdict).reason
    assert any("grown by" in f.reason for f in verdict.findings if f.level == "warning")


def test_an_undeclared_code_and_a_wrong_example_are_found(examined: Examine) -> None:
    body = changed(("WrongType, Nobody]", "WrongType]"), ('{"name": "Ann"}', '{"nam": "Ann"}'))
    found = failures(examined(body))

    assert any("GREETING_NOBODY" in finding.reason for finding in found)
    assert any(f.check == "examples" and "MISSING_PARAMS" in f.reason for f in found)


TABLE = """
from pathlib import Path

from landyard import Tables, hookimpl
from sqlmodel import Field, SQLModel


class Guest(SQLModel, table=True):
    __tablename__ = "{table}"

    id: int | None = Field(default=None, primary_key=True)
    name: str


@hookimpl
def register_tables() -> Tables:
    return Tables("guests", Path(__file__).parent / "guests")
"""
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "guests_0001"
down_revision = None
branch_labels = ("guests",)
depends_on = None


def upgrade():
    op.create_table("guests_guest", sa.Column("id", sa.Integer, primary_key=True){more})


def downgrade():
    {down}
"""
NAME = ', sa.Column("name", sa.String, nullable=False)'
DROP = 'op.drop_table("guests_guest")'
# The table's name, the rest of the migration, and what is told; nothing where it is right.
MIGRATIONS = {
    "right": ("guests_guest", NAME, DROP, ""),
    "drift": ("guests_guest", "", DROP, "other tables than the models"),
    "no way back": ("guests_guest", NAME, "raise NotImplementedError", "NotImplementedError"),
    "left behind": ("guests_guest", NAME, "pass", "leave guests_guest behind"),
    "another's name": ("landing_guest", NAME, DROP, "landing_guest"),
}


@pytest.mark.parametrize("case", MIGRATIONS)
def test_tables_are_migrated_up_and_down(examined: Examine, tmp_path: Path, case: str) -> None:
    table, more, down, reason = MIGRATIONS[case]
    (tmp_path / "guests").mkdir()
    (tmp_path / "guests" / "guests_0001.py").write_text(MIGRATION.format(more=more, down=down))
    found = failures(examined(TABLE.format(table=table)))

    assert bool(found) == bool(reason), found
    assert reason in " ".join(finding.reason for finding in found if finding.check == "tables")


def test_the_version_gate_is_looked_at(examined: Examine) -> None:
    missing = examined("raise SystemExit", requirement="click")
    unfit = examined("raise SystemExit", requirement="landyard>=99")

    gate = missing.findings[0]
    assert (gate.check, gate.level) == ("version gate", "warning")
    assert only(unfit).check == "installation"
    assert ">=99" in only(unfit).reason


def test_a_plugin_that_is_not_installed_is_said_to_be_none() -> None:
    with pytest.raises(UnknownPlugin, match="blocks, landing"):
        examine("no_such_plugin")


def test_the_word_prints_a_verdict_and_exits_with_1() -> None:
    passed = CliRunner().invoke(check, ["legacy"], obj=Console())
    unknown = CliRunner().invoke(check, ["no_such_plugin"], obj=Console())

    assert passed.exit_code == 0, passed.output
    assert "legacy (landyard " in passed.stdout
    assert "passes: 1 warning" in passed.stdout
    assert unknown.exit_code == 1


def test_the_word_exits_with_1_for_a_plugin_that_fails(examined: Examine) -> None:
    examined("raise SystemExit(3)")
    failed = CliRunner().invoke(check, ["faulty_greeting", "--json"], obj=Console())

    assert failed.exit_code == 1
    assert '"verdict": "failure"' in failed.stdout
