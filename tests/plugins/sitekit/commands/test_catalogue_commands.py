"""The commands `blocks` and `templates`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from clients.serving import load
from contract.worlds import CODE, HTML, MANIFEST, world
from corpora import read_data
from plugins.catalogue.shipped import PAGES, TYPES

from landyard import Console
from landyard_content.blocks.blocktypes import catalogue
from landyard_content.pages.templates import builtin_templates
from landyard_sitekit.commands.catalogue import blocks, templates

Run = Callable[..., Result]
TEMPLATES = [
    {"code": "event", "title": "Ours", "blocks": [{"code": CODE}]},
    {"code": "promo", "type": "STORE", "title": "[b]Promo[/b]"},
]
CARDS = {"code": "ly.cards", "name": "Ours", "manifest": {"cards": {".c": {"name": "C"}}}}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, on a world with block types and templates of its own."""
    load(tmp_path, world(manifests=[MANIFEST, CARDS], templates=TEMPLATES))
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path))
    # Logging is set up for the whole process and would outlive the test.
    monkeypatch.setattr("landyard.cli.console.configure", lambda *_: None)

    def run(group: click.Group, *words: str) -> Result:
        return CliRunner().invoke(group, words, obj=Console())

    return run


def printed(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def parsed(result: Result) -> Any:
    return msgspec.json.decode(printed(result))


def test_blocks_list_shows_what_can_be_edited(run: Run) -> None:
    listed = {row["code"]: row for row in parsed(run(blocks, "list", "--json"))}

    assert listed.keys() == {*catalogue(), *TYPES, CODE, "forms.form"}
    assert list(listed) == sorted(listed)
    assert listed["ly.menu"] == read_data(__file__, "ly.menu", dict[str, object])
    assert listed[CODE] == read_data(__file__, "everything", dict[str, object])


def test_a_world_file_wins_over_a_built_in_block_type(run: Run) -> None:
    listed = {row["code"]: row for row in parsed(run(blocks, "list", "--json"))}

    assert (listed["ly.cards"]["name"], listed["ly.cards"]["source"]) == ("Ours", "world")
    assert parsed(run(blocks, "show", "ly.cards", "--json"))["cards"] == {".c": "C"}


def test_blocks_list_is_a_table_for_people(run: Run) -> None:
    lines = printed(run(blocks, "list")).splitlines()

    assert lines[0].split() == ["code", "name", "nodes", "cards", "menu", "source"]
    assert any(line.split()[:3] == ["ly.faq", "Questions", "and"] for line in lines[3:-1])


def test_blocks_show_lists_everything_about_a_block_type(run: Run) -> None:
    shown = parsed(run(blocks, "show", CODE, "--json"))

    assert shown.pop("nodes") == {
        **{selector: node["type"] for selector, node in MANIFEST["manifest"]["nodes"].items()},
        ".menu-link": "link",
    }
    assert shown == {
        "code": CODE,
        "name": "Everything",
        "source": "world",
        "cards": {},
        "menus": {".menu-list": "Menu"},
        "attributes": {
            ".text": ["data-mood", "title"],
            "bitrix:catalog.section": ["MESS_BTN_BUY", "SECTION_ID"],
        },
        "block_attributes": [],
        "css": ["/assets/a.css", "/assets/b.css"],
        "js": ["/assets/a.js"],
        "preview": "",
        "content": HTML,
    }


def test_blocks_show_is_a_readable_page(run: Run) -> None:
    text = printed(run(blocks, "show", "ly.product"))
    parts = text.split("\n\n")

    assert parts[0] == "ly.product: Product (built-in)"
    assert [part.splitlines()[0] for part in parts[1:-1]] == [
        "Nodes",
        "Attributes",
        "Block attributes",
    ]
    assert "  .landing-block-node-price    text" in parts[1].splitlines()
    assert "ELEMENT_ID, IBLOCK_ID, MESS_BTN_BUY, SECTION_ID" in parts[2]
    assert parts[3] == "Block attributes\n  data-layout, data-side, data-tone"
    assert parts[-1] == catalogue()["ly.product"].content + "\n"


def test_an_unknown_block_type_is_reported_plainly(run: Run) -> None:
    result = run(blocks, "show", "nobody")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: there is no block type 'nobody'; see `landyard blocks list`\n"


def test_templates_list_names_the_origin_of_each(run: Run) -> None:
    listed = {row.pop("code"): row for row in parsed(run(templates, "list", "--json"))}

    assert listed.keys() == {*builtin_templates(), *PAGES, "promo"}
    assert listed["restaurant/card"]["source"] == "plugin catalogue"
    assert listed["event"] == {"type": "PAGE", "title": "Ours", "blocks": 1, "source": "world"}
    assert listed["empty"] == {
        "type": "PAGE",
        "title": "Empty page",
        "blocks": 0,
        "source": "built-in",
    }
    assert listed["promo"]["type"] == "STORE"
    assert "[b]Promo[/b]" in printed(run(templates, "list"))
