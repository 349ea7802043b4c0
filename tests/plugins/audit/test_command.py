"""The command `audit`: its filters, and its output on a terminal."""

import io
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from corpora import read_data

import landyard_audit
from landyard import Console
from landyard.testing import Service, as_plugin
from landyard_audit.command import audit
from landyard_audit.rows import AUDIT_ROW

NOW = datetime.now(UTC)
ROW: dict[str, Any] = read_data(__file__, "ROW", dict[str, Any])


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with audit rows of three days."""
    folder = tmp_path_factory.mktemp("audited")
    with (
        Service([as_plugin(landyard_audit)], data=folder) as service,
        service.kernel.store.session(writes=True) as session,
    ):
        for days, outcome in ((9, "ok"), (3, "BLOCK_NOT_FOUND"), (0, "ok")):
            row = {**ROW, "at": NOW - timedelta(days=days), "outcome": outcome, "user_id": 1}
            more = {"subject": f"page:{days}", "request_id": f"request-{days}"}
            session.execute(AUDIT_ROW.insert().values(**row, **more))
    return folder


@pytest.fixture(autouse=True)
def audited(three_days: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDYARD_DATA", str(three_days))
    monkeypatch.chdir(three_days)


def run(*options: str) -> Result:
    return CliRunner().invoke(audit, options, obj=Console())


class Screen(io.StringIO):
    """Standard output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def seen(patch: pytest.MonkeyPatch, width: int, *options: str) -> list[str]:
    """The output lines on a terminal of this width, without codes for bold text."""
    screen = Screen()
    patch.setattr(sys, "stdout", screen)
    patch.setattr("landyard.cli.console.configure", lambda *_: None)
    for name, text in {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        patch.setenv(name, text)
    audit.main(options, standalone_mode=False, obj=Console())
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()


@pytest.mark.parametrize(
    ("options", "days"),
    [
        ([], [9, 3, 0]),
        (["--about", "page:3"], [3]),
        (["--user", "1"], [9, 3, 0]),
        (["--user", "2"], []),
        (["--credential", "webhook:2"], []),
        (["--address", "203.0.113.7", "--last", "1"], [0]),
        (["--method", "Landing.Block.UpdateNodes"], [9, 3, 0]),
        (["--method", "landing.%"], []),
        (["--outcome", "ok"], [9, 0]),
        (["--failed"], [3]),
        (["--request", "request-3", "--since", "4d"], [3]),
        (["--since", "2999-01-01"], []),
        (["--since", "99999d"], [9, 3, 0]),
        (["--since", "0001-01-01"], [9, 3, 0]),
        (["--last", str(2**63 - 1)], [9, 3, 0]),
    ],
)
def test_it_filters(options: list[str], days: list[int]) -> None:
    outcome = run("--json", *options)

    assert outcome.exit_code == 0, outcome.output
    rows = msgspec.json.decode(outcome.output)
    assert [row["subject"] for row in rows] == [f"page:{each}" for each in days]


@pytest.mark.parametrize(
    "option",
    [
        ["--since", "yesterday"],
        ["--since", "0001-01-01T00:00+05:00"],
        ["--since", "9999-12-31T23:59-05:00"],
        ["--last", "0"],
        ["--last", str(2**63)],
        ["--user", "Ann"],
        ["--user", "-1"],
        ["--user", str(2**63)],
    ],
)
def test_a_value_that_cannot_be_read_is_named(option: list[str]) -> None:
    outcome = run(*option)

    assert outcome.exit_code == 2
    assert option[0] in outcome.output


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (119, "at credential method subject outcome"),
        (120, "at user_id credential address method subject outcome seconds"),
    ],
)
def test_the_columns_fit_the_terminal(
    monkeypatch: pytest.MonkeyPatch, width: int, shown: str
) -> None:
    lines = seen(monkeypatch, width, "--user", "1")

    heads = [re.split(" {2,}", line.strip()) for line in lines if "outcome" in line]
    assert heads == [[name.replace("_", " ") for name in shown.split()]]


def test_a_moment_stays_on_one_line_of_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = seen(monkeypatch, 80)

    assert sum(f"{NOW:%Y-%m-%d %H:%M:%S}" in line for line in lines) == 1
