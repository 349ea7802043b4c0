"""What the terminal shows: tables for people, however narrow; everything for programs."""

import io
import re
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from landyard import Console
from landyard.audit import AuditRow
from landyard.cli import main
from landyard.testing import Service

AT = datetime(2026, 11, 21, 19, 36, 29, 123456, tzinfo=timezone(timedelta(hours=2)))


class Screen(io.StringIO):
    """Standard output that somebody looks at."""

    def isatty(self) -> bool:
        return True


def seen(patch: pytest.MonkeyPatch, width: int, *words: str) -> list[str]:
    """The lines of a command on a terminal of so many columns, without its bold letters."""
    screen = Screen()
    patch.setattr(sys, "stdout", screen)
    patch.setattr("landyard.console.configure", lambda *_: None)
    for name, text in {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        patch.setenv(name, text)
    main(words, standalone_mode=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()


def test_a_moment_is_shown_in_utc_to_the_second(capsys: pytest.CaptureFixture[str]) -> None:
    Console().table(("at",), [(AT,)])
    shown = capsys.readouterr().out
    Console().table(("at",), [(AT,)], as_json=True)

    assert shown.split()[-2:] == ["2026-11-21", "17:36:29"]
    [row] = msgspec.json.decode(capsys.readouterr().out)
    assert msgspec.convert(row["at"], datetime) == AT


ROW: dict[str, Any] = {
    "at": AT.astimezone(UTC),
    "user_id": 1,
    "credential": "webhook:3",
    "address": "203.0.113.7",
    "method": "landing.block.updatenodes",
    "plugin": "blocks",
    "version": "1.0",
    "subject": "page:10",
    "outcome": "BLOCK_NOT_FOUND",
    "seconds": 0.012345,
}


@pytest.fixture
def audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Service(data=tmp_path) as service, service.kernel.store.session(writes=True) as session:
        session.add(AuditRow(**ROW))
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path))


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (119, "at credential method subject outcome"),
        (120, "at user_id credential address method subject outcome seconds"),
    ],
)
def test_the_audit_shows_what_a_terminal_has_room_for(
    monkeypatch: pytest.MonkeyPatch, width: int, shown: str
) -> None:
    lines = seen(monkeypatch, width, "audit", "--user", "1")

    heads = [re.split(" {2,}", line.strip()) for line in lines if "outcome" in line]
    assert heads == [[name.replace("_", " ") for name in shown.split()]]
    assert [line.split()[:2] for line in lines if "webhook:3" in line] == [
        ["2026-11-21", "17:36:29"]
    ]


@pytest.mark.usefixtures("audited")
def test_a_moment_stays_on_one_line_of_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = seen(monkeypatch, 80, "audit")

    assert sum("2026-11-21 17:36:29" in line for line in lines) == 1
    assert max(map(len, lines)) <= 80


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(
    "words",
    [("--since", "0001-01-01"), ("--since", "99999d"), ("--last", str(2**63 - 1))],
)
def test_the_audit_is_asked_for_all_there_ever_was(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    assert any("webhook:3" in line for line in seen(monkeypatch, 80, "audit", *words))
