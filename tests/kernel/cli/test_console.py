"""The output of commands: tables for people, every value for programs."""

import re
import sys
from datetime import datetime, timedelta, timezone

import msgspec
import pytest

from landyard import Console

AT = datetime(2026, 11, 21, 19, 36, 29, 123456, tzinfo=timezone(timedelta(hours=2)))


def test_a_time_is_shown_in_utc_to_the_second(capsys: pytest.CaptureFixture[str]) -> None:
    Console().table(("at",), [(AT,)])
    shown = capsys.readouterr().out
    Console().table(("at",), [(AT,)], as_json=True)

    assert shown.splitlines() == ["at", "2026-11-21 17:36:29"]
    [row] = msgspec.json.decode(capsys.readouterr().out)
    assert msgspec.convert(row["at"], datetime) == AT


def test_values_are_formatted_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    Console().table(("a", "b", "c", "d_e"), [(True, None, ["x", "y"], "z\x1b[2J"), (1, 2, 3, 4)])

    head, first, second = capsys.readouterr().out.splitlines()
    assert re.split("  +", head) == ["a", "b", "c", "d e"]
    assert re.split("  +", first) == ["yes", "x, y", "z\ufffd[2J"]
    assert [second.index(text) for text in "1234"] == [head.index(text) for text in "abcd"]


@pytest.mark.parametrize("width", [3, 40, 80, 120])
def test_no_word_is_broken_on_a_terminal_of_any_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    words = (
        "7",
        "a title of a few words " * 5,
        "yes",
        "https://pages.example.org/a-b/c-d/" * 2,
        "",
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    Console().table(("id", "title", "active", "address", "replaced_by"), [words])
    shown = capsys.readouterr().out

    assert shown.split() == [
        "id",
        "title",
        "active",
        "address",
        "replaced",
        "by",
        *" ".join(words).split(),
    ]
    assert [line for line in shown.splitlines() if len(line) > width and " " in line.strip()] == []


def test_an_empty_listing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    Console().table(("a",), [])

    assert capsys.readouterr().out == "none\n"


@pytest.mark.usefixtures("landyard")
@pytest.mark.parametrize(("level", "logged"), [("info", "warning"), ("debug", "debug")])
def test_a_command_logs_nothing_unless_it_is_asked_to(
    monkeypatch: pytest.MonkeyPatch, level: str, logged: str
) -> None:
    levels: list[str] = []
    monkeypatch.setattr("landyard.cli.console.configure", lambda name, _: levels.append(name))
    monkeypatch.setenv("LANDYARD_LOG_LEVEL", level)

    with Console().kernel(prepare=False):
        pass

    assert levels[-1] == logged
