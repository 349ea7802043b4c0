"""`landyard edges` lists edges and purges tags; commands that change pages purge them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.worlds import one_page
from contrib.edges.fake_edge import FakeEdge
from kernel.processes import Finished, landyard, serving
from kernel.supervised import until


@pytest.fixture
def settings(edge: FakeEdge) -> dict[str, Any]:
    fastly = {"pages": {"service": "abc", "token": "token-of-fastly", "url": edge.url}}
    return {
        "LANDYARD_PLUGINS__ON": "edges",
        "LANDYARD_EDGES__FASTLY": msgspec.json.encode(fastly).decode(),
    }


def run(folder: Path, settings: dict[str, Any], *words: str, given: bytes = b"") -> Finished:
    return landyard(folder, *words, given=given, **settings)


def listed(folder: Path, settings: dict[str, Any]) -> Any:
    (edge,) = msgspec.json.decode(run(folder, settings, "edges", "list", "--json").out)
    return edge


def test_commands_are_told_to_edges_once_a_service_runs(
    tmp_path: Path, edge: FakeEdge, settings: dict[str, Any]
) -> None:
    world = msgspec.json.encode(one_page())
    assert run(tmp_path, settings, "load", "-", given=world).status == 0
    assert run(tmp_path, settings, "page", "unpublish", "10").status == 0
    assert run(tmp_path, settings, "edges", "purge", "theme-harbour").status == 0
    assert listed(tmp_path, settings) | {"oldest": ""} == {
        "name": "fastly.pages",
        "last_success": None,
        "failing_since": None,
        "error": "",
        "waiting": 5,
        "oldest": "",
    }
    assert edge.received == []
    with serving(tmp_path, **settings):
        until(lambda: len(edge.received) == 2)
        until(lambda: listed(tmp_path, settings)["waiting"] == 0)
    assert edge.tags == {"landyard", "page-10", "site-7", "lists", "theme-harbour"}
    assert listed(tmp_path, settings)["last_success"]
    shown = run(tmp_path, settings, "settings")
    assert "token-of-fastly" not in shown.out
    assert edge.url in shown.out


def test_a_purge_needs_tags(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert "name tags" in run(tmp_path, settings, "edges", "purge").err
    assert "no tag" in run(tmp_path, settings, "edges", "purge", "a b").err
    assert run(tmp_path, settings, "edges", "purge", "--all").status == 0
    assert listed(tmp_path, settings)["waiting"] == 1
