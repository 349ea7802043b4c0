"""`landyard plugins check` finds the mistakes of a plugin, and survives whatever the plugin
does.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from faulty.kit import Fault, install
from kernel.commands import Run

from landyard import Console
from landyard.cli import main
from landyard_authoring.check_commands import check
from landyard_authoring.findings import Finding, Verdict
from landyard_authoring.name_clashes import WORDS
from landyard_authoring.trial import UnknownPlugin, examine

Examine = Callable[..., Verdict]

# A correct plugin; each test changes one thing in it.
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
        *("import", "hooks", "methods", "tables", "examples", "odd values", "jobs", "leftovers"),
    }


# Code that ends or blocks the process of a check: its place, and the finding expected.
FATAL = {
    "exit at import": ("import os\nos._exit(3)", "import", "exit status 3"),
    "SystemExit at import": ("raise SystemExit(3)", "import", "SystemExit: 3"),
    "no such module": ("import there_is_no_such_module", "import", "ModuleNotFoundError"),
    "hangs at import": ("import time\ntime.sleep(600)", "import", "not done after 2 s"),
    "segmentation fault": (
        changed(("    if not params", "    import ctypes; ctypes.string_at(0)\n    if not params")),
        "examples",
        'greeting.hello with {"name":"Ann"}: it ended the process: Segmentation fault',
    ),
    "async hook": (
        changed(("def register_jobs", "async def register_jobs")),
        "import",
        "async def",
    ),
    "unknown hook": (changed(("def register_jobs", "def register_job")), "import", "register_job"),
}


@pytest.mark.parametrize("fatal", FATAL)
def test_a_plugin_that_ends_or_blocks_the_process_is_reported(
    examined: Examine, fatal: str
) -> None:
    body, stage, reason = FATAL[fatal]
    found = only(examined(body, import_seconds=2.0))

    assert found.check == stage
    assert reason in found.reason


def told(verdict: Verdict, check: str) -> str:
    return " ".join(finding.reason for finding in failures(verdict) if finding.check == check)


def test_an_undocumented_parameter_is_a_warning(examined: Examine) -> None:
    untold = ("    name: str\n", '    """Somebody; `name` is theirs."""\n\n    name: str\n')
    told = ("    name: str\n", '    """Somebody. `name`: theirs."""\n\n    name: str\n')
    (advice,) = [each for each in examined(changed(untold)).findings if each.level == "warning"]

    assert "write “`name`: what it is; …”" in advice.reason
    assert [each for each in examined(changed(told)).findings if each.level == "warning"] == []


def test_a_wrong_declaration_is_found(examined: Examine) -> None:
    body = changed(("-> str:", "-> int:"))
    verdict = examined(body + "\ndef call_finished(reply): ...\n")

    assert told(verdict, "hooks").startswith("call_finished is never called")
    assert "Expected `int`" in told(verdict, "methods")
    assert told(verdict, "examples").startswith('greeting.hello with {"name":"Ann"}: ')


def test_wrong_behaviour_is_found(examined: Examine) -> None:
    body = changed(
        ("    if not params", "    int(params.name[:5] == 'xxxxx') and 1 / 0\n    if not params"),
        ("lambda kernel: None", "lambda kernel: 1 / 0"),
    )
    body += """
import threading, time

threading.Thread(target=time.sleep, args=(600,), name="straggler", daemon=True).start()


@hookimpl
def call_finished(reply):
    raise KeyError("an observer")
"""
    verdict = examined(body)

    assert "ZeroDivisionError" in told(verdict, "odd values")
    assert '"xxxxx' in told(verdict, "odd values")
    assert "ZeroDivisionError" in told(verdict, "jobs")
    left = told(verdict, "leftovers")
    assert "straggler" in left
    assert "call_finished raised KeyError" in left


def test_a_writing_method_that_is_not_declared_as_writing_is_found(examined: Examine) -> None:
    write = 'call.session.execute(sqlalchemy.text("DELETE FROM landyard_token"))'
    body = changed(("    if not params", f"    {write}\n    if not params"))
    found = failures(examined(f"import sqlalchemy\n{body}"))

    assert found[0].check == "examples"
    assert found[0].reason.endswith("declare the method with writes=True")


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
# A table's name, the rest of the migration, and the finding; empty where it is correct.
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
    verdict = examined(TABLE.format(table=table))

    assert verdict.passed == (not reason), verdict
    assert reason in told(verdict, "tables")


def test_a_plugin_for_another_landyard_version_is_not_imported(examined: Examine) -> None:
    unfit = only(examined("raise SystemExit", requirement="landyard>=99"))

    assert unfit.check == "installation"
    assert ">=99" in unfit.reason


def test_a_plugin_that_is_not_installed_is_said_to_be_none() -> None:
    with pytest.raises(UnknownPlugin, match="catalogue, console, content, demos, describe"):
        examine("no_such_plugin")


def test_the_reserved_words_are_the_kernels_commands() -> None:
    assert set(main.main.commands) == WORDS


def test_the_command_works_without_importing_the_examined_plugin(
    examined: Examine, landyard: Run
) -> None:
    examined("import os\nos._exit(3)")  # importing it would end the process
    failed = landyard("plugins", "check", "faulty_greeting")

    assert failed.exit_code == 1
    assert "exit status 3" in failed.stdout


def test_the_command_prints_a_verdict_and_exits_with_1(examined: Examine) -> None:
    examined("raise SystemExit(3)")
    passed = CliRunner().invoke(check, ["general"], obj=Console())
    failed = CliRunner().invoke(check, ["faulty_greeting", "--json"], obj=Console())
    unknown = CliRunner().invoke(check, ["no_such_plugin"], obj=Console())

    assert passed.exit_code == 0, passed.output
    assert "general (landyard " in passed.stdout
    assert failed.exit_code == unknown.exit_code == 1
    assert '"verdict": "failure"' in failed.stdout
