"""The check finds names that another installed plugin already has, and names that plugin."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty.guests import BARE, family, guests
from faulty.kit import Fault, install

from landyard_authoring.findings import Verdict
from landyard_authoring.trial import examine


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("faulty_")]:
        del sys.modules[name]


def named(verdict: Verdict, neighbour: str, level: str = "failure") -> list[str]:
    """List the reasons that name another plugin."""
    findings = [each for each in verdict.findings if f"'{neighbour}'" in each.reason]
    return [each.reason for each in findings if each.level == level]


WORD = '@click.command("{}")\ndef word():\n    pass\n\n@hookimpl\ndef register_commands():\n'
WORD += "    return [word]"
ROUTE = '@get("{}")\ndef page() -> str:\n    return ""\n\n@hookimpl\ndef register_routes(host):\n'
ROUTE += "    return [page]"
JOB = "@hookimpl\ndef register_jobs():\n"
JOB += '    return [Job("{}", timedelta(hours=1), lambda kernel: None)]'
EVENT = 'class Came(Event, frozen=True):\n    topic = "{}"'
HEARD = "class Came(Event, frozen=True):\n    topic = 'came.{name}'\n\n@hookimpl\n"
HEARD += 'def register_subscribers():\n    return [Subscriber(Came, lambda *_: None, "{}")]'
SECTION = "class Walls(Struct):\n    height: int = 2\n\n@hookimpl\ndef register_settings():\n"
SECTION += '    return {{"{}": Walls}}'
BLOCK = "from landyard_content.blocks.blocktypes import BlockType\nrequires = ('content',)\n"
# By kind: the name that both plugins have, and the code that declares it.
SAME = {
    "table": ("same_guest", {"table": "{}"}),
    "branch": ("same", {"branch": "{}"}),
    "method": ("same.list", {"method": "{}"}),
    "command": ("same-word", {"after": WORD}),
    "page": ("/same", {"after": ROUTE}),
    "job": ("same.job", {"after": JOB}),
    "event": ("same.came", {"after": EVENT}),
    "subscriber": ("same.hears", {"after": HEARD}),
    "section": ("same", {"after": SECTION}),
    "model": ("Same", {"kind": "{}", **BARE}),
}


def both(kind: str) -> list[Fault]:
    name, same = SAME[kind]
    return [
        guests(
            word,
            **{key: text.replace("{name}", word).format(name) for key, text in same.items()},
        )
        for word in ("left", "right")
    ]


@pytest.mark.parametrize("kind", SAME)
@pytest.mark.parametrize("examined", ["left", "right"])
def test_the_plugin_that_already_has_the_name_is_named(
    site: Path, kind: str, examined: str
) -> None:
    install(site, *both(kind))
    neighbour = {"left": "right", "right": "left"}[examined]

    verdict = examine(f"faulty_{examined}")

    assert any(SAME[kind][0] in each for each in named(verdict, f"faulty_{neighbour}")), verdict
    assert not verdict.passed


OURS = {
    "method": ({"method": "landing.block.getlist"}, "blocks"),
    "alias": ({"method": "LANDING.block.getlist"}, "blocks"),
    "table": ({"table": "landing_page"}, "landing"),
    "command": ({"after": WORD.format("page")}, "sitekit"),
    "page": ({"after": ROUTE.format("/openrpc.json")}, "describe"),
    "section": ({"after": SECTION.format("blocks")}, "landing"),
    "event": ({"after": EVENT.format("landing.page.published")}, "landing"),
}


@pytest.mark.parametrize("kind", OURS)
def test_a_clash_with_a_built_in_plugin_is_named(site: Path, kind: str) -> None:
    said, owner = OURS[kind]
    install(site, guests("left", **said))

    assert named(examine("faulty_left"), owner)


@pytest.mark.parametrize("neighbour", ["import os\nos._exit(3)", "while True: pass", "def (:"])
def test_another_plugin_that_cannot_be_loaded_does_not_disturb(
    site: Path, monkeypatch: pytest.MonkeyPatch, neighbour: str
) -> None:
    monkeypatch.setattr("landyard_authoring.neighbours.SECONDS", 5.0)
    install(site, guests("left", scope="left"), Fault("right", neighbour, ""))
    verdict = examine("faulty_left")

    found = [each.level for each in verdict.findings if each.check == "names"]

    assert found == ["ok"], verdict
    assert named(verdict, "faulty_right") == []


def test_models_with_bases_of_their_own_may_share_a_name(site: Path) -> None:
    own = family()
    install(site, guests("left", **own, scope="left"), guests("right", **own, scope="right"))

    assert named(examine("faulty_left"), "faulty_right") == []


def test_a_scope_of_two_plugins_is_only_advice(site: Path) -> None:
    install(site, guests("left", scope="same"), guests("right", scope="same"))
    verdict = examine("faulty_left")

    assert named(verdict, "faulty_right") == []
    assert named(verdict, "faulty_right", "warning")
