"""Two third-party plugins that clash: one fails by name, and everything else answers."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from faulty.clashes import CLASHES, Clash
from faulty.guests import guests
from faulty.kit import Fault, install
from kernel.switching import reason, states

from landyard.testing import Service


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("faulty_")]:
        del sys.modules[name]


def written(text: str, word: str, own: str) -> str:
    table = f"faulty_{own}_guest"
    names = {"{k}": word, "{K}": word.upper(), "{own}": own, "{table}": table, "{{": "{", "}}": "}"}
    return re.sub(r"\{k\}|\{K\}|\{own\}|\{table\}|\{\{|\}\}", lambda found: names[found[0]], text)


def pair(kind: str, clash: Clash) -> list[Fault]:
    word = "x" + re.sub(r"\W", "", kind.lower())

    def plugin(own: str, values: Mapping[str, str]) -> Fault:
        return guests(own, **{key: written(text, word, own) for key, text in values.items()})

    return [
        plugin(f"{word}_one", clash.first),
        plugin(f"{word}_two", clash.second),
        plugin(f"{word}_witness", {}),
    ]


@pytest.mark.parametrize("kind", CLASHES)
def test_a_clash_fails_one_plugin_by_name_and_everything_else_answers(
    site: Path, kind: str
) -> None:
    clash = CLASHES[kind]
    first, second, witness = pair(kind, clash)
    install(site, first, second, witness)
    with Service(strict=False) as service:
        page = service.get("/healthz").status_code
        standing = states(service.kernel)
        failed = {name for name, state in standing.items() if state == "failed"}
        message = reason(service.kernel, second.plugin)
        methods = service.result("methods")
        own = re.compile(f"{first.name.removesuffix('_one')}[._]", re.IGNORECASE)
        mine = [each for each in methods if own.match(each)]
        counts = [service.call(name).body.get("result") for name in mine]
        ours = service.call("landing.block.getlist", lid=1).error

    expected = written(clash.told, first.name.removesuffix("_one"), second.name)
    assert failed == ({second.plugin} if clash.told else set()), message
    assert re.search(expected, message), message
    assert (page, ours) == (200, "LANDING_NOT_EXIST")
    assert f"{witness.name}.list" in mine
    assert len(mine) == 3 - len(failed)
    assert set(counts) == {0}


def test_there_are_forty_kinds_of_clashes() -> None:
    assert len(CLASHES) >= 40
