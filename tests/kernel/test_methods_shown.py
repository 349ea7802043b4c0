"""`landyard methods show NAME`: all about one method, for people and for programs."""

import shlex
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from kernel.sample import Brings, Kinds

from landyard import Call, CallError, Deprecation, Example, Kernel, MethodGroup, Plugin, Settings
from landyard.cli import main
from landyard.cli.showing import show_method
from landyard.openrpc import method_object

Run = Callable[..., Result]


@pytest.fixture
def landyard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a word in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANDYARD_LOG_LEVEL", "error")
    # Logs are set up for a whole process; here they would outlive the test's output.
    monkeypatch.setattr("landyard.console.configure", lambda *_: None)
    return lambda *words: CliRunner().invoke(main, ["methods", *words])


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_bare_word_lists(landyard: Run) -> None:
    listed = msgspec.json.decode(done(landyard("--json")))
    [row] = [row for row in listed if row["name"] == "landing.block.getlist"]

    assert row["right"] == "view"
    assert row["plugin"] == "blocks"
    assert row["name"] in done(landyard())


def test_all_about_a_method_is_shown(landyard: Run) -> None:
    shown = done(landyard("show", "LANDING.block.UPDATENODES"))  # C2

    assert shown.startswith("landing.block.updatenodes\n")
    for said in ("Change nodes of a block", "scope landing", "right edit", "writes", "8 MiB"):
        assert said in " ".join(shown.split())
    for parameter in ("lid", "additional.appendMenu", "default false"):
        assert parameter in shown
    for code in ("NODES_NOT_FOUND", "QUERY_LIMIT_EXCEEDED"):
        assert code in shown


def test_the_example_is_a_command_to_copy(landyard: Run) -> None:
    shown = done(landyard("show", "landing.block.updatenodes"))
    start = shown.index("curl")
    words = shlex.split(shown[start : shown.index("\n\n", start)].replace("\\\n", " "))

    assert words[:3] == [
        *("curl", "-s"),
        "http://127.0.0.1:8000/rest/USER/CODE/landing.block.updatenodes.json",
    ]
    assert msgspec.json.decode(words[-1])["lid"] == 10


def test_json_is_the_openrpc_object(landyard: Run) -> None:
    described = msgspec.json.decode(done(landyard("show", "methods", "--json")))
    with_schemas = described["components"]["schemas"]

    assert described["name"] == "methods"
    assert [each["name"] for each in described["params"]] == ["full", "scope"]
    assert described["params"][0]["schema"]["$ref"].rpartition("/")[2] in with_schemas


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("landing.block.getlst", "did you mean landing.block.getlist?"),
        ("Landing.Landing.Markdelet", "did you mean landing.landing.markDelete?"),
        ("zzz", "`landyard methods` lists"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(landyard: Run, name: str, said: str) -> None:
    result = landyard("show", name)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert name in result.stderr
    assert said in result.stderr


class Late(CallError):
    code = "LATE"
    status = 409
    text = "It is [too] late."


def test_what_a_stranger_brings_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    group = MethodGroup()
    notice = Deprecation(since=date(2026, 1, 1), until=date(2027, 1, 1), instead="new.method")
    example = Example({"text": "it's [bold]"}, result="x" * 150)

    @group.method("old.method", deprecated=notice, example=example, seconds=2.5, errors=[Late])
    def old(call: Call, params: Kinds) -> str:
        """Answer [as] it always did."""
        return ""

    shown = shown_by(group, capsys)

    for said in ("2027-01-01", "new.method", "[as]", "[too]", "2.5 s", "409", "id, or array"):
        assert said in shown
    assert '"it\'"\'"\'s [bold]"' in shown
    assert "x" * 150 in shown  # what is copied is not broken


def test_a_method_without_parameters_and_example_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    group = MethodGroup()

    @group.method("plain")
    def plain(call: Call, params: Nothing) -> bool:
        """Answer that it is so."""
        return True

    shown = shown_by(group, capsys)

    assert "none: open to every credential" in shown
    assert "Parameters" not in shown
    assert "Example" not in shown


class Nothing(msgspec.Struct, frozen=True):
    pass


def shown_by(group: MethodGroup, capsys: pytest.CaptureFixture[str]) -> str:
    kernel = Kernel(Settings(), [Plugin("sample", Brings(group))])
    kernel.close()
    [method] = kernel.methods
    described: dict[str, Any] = method_object(method)
    show_method(method, base="http://127.0.0.1:8000")
    assert described["name"] == method.name
    return capsys.readouterr().out
