"""`landyard methods show NAME` describes a method, for people and as JSON."""

import shlex
from datetime import date
from typing import Any

import msgspec
import pytest
from kernel.commands import Run, done
from kernel.sample import Brings, Kinds

from landyard import Call, CallError, Deprecation, Example, Kernel, MethodGroup, Plugin, Settings
from landyard_describe.commands import show_method
from landyard_describe.openrpc import method_object


@pytest.fixture
def methods(landyard: Run) -> Run:
    """Run `landyard methods` with further words."""
    return lambda *words: landyard("methods", *words)


def test_without_show_the_command_lists_methods(methods: Run) -> None:
    listed = msgspec.json.decode(done(methods("--json")))
    [row] = [row for row in listed if row["name"] == "landing.block.getlist"]

    assert row["right"] == "view"
    assert row["plugin"] == "blocks"
    assert row["name"] in done(methods())


def test_everything_about_a_method_is_shown(methods: Run) -> None:
    shown = done(methods("show", "LANDING.block.UPDATENODES"))  # C2: method names ignore case

    assert shown.startswith("landing.block.updatenodes\n")
    for said in ("Change nodes of a block", "scope landing", "right: edit", "writes", "8 MiB"):
        assert said in " ".join(shown.split())
    for parameter in ("lid", "additional.appendMenu", "default false"):
        assert parameter in shown
    for code in ("NODES_NOT_FOUND", "QUERY_LIMIT_EXCEEDED"):
        assert code in shown


def test_the_example_is_a_command_that_can_be_copied(methods: Run) -> None:
    shown = done(methods("show", "landing.block.updatenodes"))
    start = shown.index("curl")
    words = shlex.split(shown[start : shown.index("\n\n", start)].replace("\\\n", " "))

    assert words[:3] == [
        *("curl", "-s"),
        "http://127.0.0.1:8000/rest/USER/CODE/landing.block.updatenodes.json",
    ]
    assert msgspec.json.decode(words[-1])["lid"] == 10


def test_json_is_the_openrpc_object(methods: Run) -> None:
    described = msgspec.json.decode(done(methods("show", "methods", "--json")))
    with_schemas = described["components"]["schemas"]

    assert described["name"] == "methods"
    assert [each["name"] for each in described["params"]] == ["full", "scope"]
    assert described["params"][0]["schema"]["$ref"].rpartition("/")[2] in with_schemas


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("landing.block.getlst", "did you mean landing.block.getlist?"),
        ("Landing.Landing.Markdelet", "did you mean landing.landing.markDelete?"),
        ("zzz", "`landyard methods` lists"),
    ],
)
def test_an_unknown_name_gets_the_nearest_as_advice(methods: Run, name: str, message: str) -> None:
    result = methods("show", name)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert name in result.stderr
    assert message in result.stderr


def test_the_command_is_gone_with_the_plugin(landyard: Run, methods: Run) -> None:
    landyard("plugins", "disable", "describe")

    assert methods().exit_code == 2
    assert "No such command 'methods'. A plugin that is off brings no words" in methods().stderr


class Late(CallError):
    code = "LATE"
    status = 409
    text = "It is [too] late."


def test_a_third_party_method_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    group = MethodGroup()
    notice = Deprecation(since=date(2026, 1, 1), until=date(2027, 1, 1), instead="new.method")
    example = Example({"text": "it's [bold]"}, result="x" * 150)

    @group.method("old.method", deprecated=notice, example=example, seconds=2.5, errors=[Late])
    def old(call: Call, params: Kinds) -> str:
        """Answer [as] it always did."""
        return ""

    shown = shown_by(group, capsys)

    for said in (
        "2027-01-01",
        "new.method",
        "[as]",
        "[too]",
        "2.5 s",
        "409",
        "id, or array of ids",
    ):
        assert said in shown
    assert '"it\'"\'"\'s [bold]"' in shown
    assert "x" * 150 in shown  # a line to copy is not wrapped


def test_a_method_without_parameters_and_example_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    group = MethodGroup()

    @group.method("plain")
    def plain(call: Call, params: Nothing) -> bool:
        """Answer that it is so."""
        return True

    shown = shown_by(group, capsys)

    assert "open to every credential" in shown
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
