"""A faulty block type or type of node of a plugin is reported when the plugin is switched on."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from kernel.switching import reason
from msgspec.structs import replace
from plugins.content.blocks.reviews import reviews, write_reviews

from landyard import PluginError
from landyard.testing import Service
from landyard_content.blocks import NodeType
from landyard_content.blocks.folders import read_block_types
from landyard_html.node_types import NodeElement

__all__ = ["reviews"]

Change = Callable[[Path], object]
HTML, JSON = "block.html", "block.json"


def clean(value: Any) -> Any:
    if not isinstance(value, str) or not value.isdigit():
        raise ValueError(value)
    return value


def write(element: NodeElement, value: str) -> None:
    element.set_attribute("data-stars", value)


STARS = NodeType("stars", "digits", lambda element: element.attribute("data-stars"), clean, write)


def refusal(folder: Path, types: Mapping[str, NodeType]) -> str:
    """The reason that the block types in a folder are refused."""
    try:
        for kind in read_block_types(folder):
            kind.check({NodeType: types})
    except PluginError as refused:
        return str(refused)
    return ""


def rewritten(file: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))

    return change


def part(name: str, value: object) -> Change:
    """Write another part of the manifest."""

    def change(folder: Path) -> None:
        described = json.loads((folder / JSON).read_text())
        described["manifest"][name] = value
        (folder / JSON).write_text(json.dumps(described))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: folder.rename(folder.with_name("ly.cover")), "a built-in block type has"),
        (lambda folder: folder.rename(folder.with_name("quote")), "words with dots between them"),
        (lambda folder: (folder / HTML).unlink(), "there is no file block.html in its folder"),
        (lambda folder: (folder / "preview.svg").unlink(), "needs one picture of it, named"),
        (rewritten(JSON, '"name"', '"title"'), "contains unknown field `title`"),
        (
            rewritten(JSON, '"manifest": {', '"manifest": '),
            "block.json cannot be read: Expected `o",
        ),
        (part("nodes", {".review-text": "text"}), "nodes['.review-text'] must be an object with a"),
        (part("cards", {".review": "Card"}), "cards['.review'] must be an object"),
        (part("meaning", {"type": "party"}), "its 'meaning' must have a 'type' of these: address,"),
        (part("meaning", {"type": "product"}), "its 'meaning' of type 'product' must have 'name'"),
        (
            part("meaning", {"type": "product", "name": ".none@title"}),
            "the selector '.none' of its manifest finds no element",
        ),
        (part("nodes", {".title": {"type": "text"}}), "'.title' of its manifest finds no element"),
        (part("cards", {".review >": {}}), "'.review >' of its manifest cannot be used"),
        (part("attrs", {".lost": {"attribute": "title"}}), "'.lost' of its manifest finds no"),
        (part("nodes", {".review-text": {"type": "txt"}}), "there is no type of node 'txt'"),
        (
            rewritten(HTML, "</section>", "<script>alert(1)</script></section>"),
            "policy changes its HTML: write '</section>' in place of '<script>alert(1)</script>",
        ),
        (rewritten(HTML, "<section", "<section onclick='x()'"), "write '<section class=\"landing"),
    ],
)
def test_a_faulty_block_type_is_refused(change: Change, message: str, tmp_path: Path) -> None:
    change(write_reviews(tmp_path))

    assert message in refusal(tmp_path / "landyard_reviews" / "blocks", {"stars": STARS})


def raising(*_: object) -> Any:
    raise LookupError("oh")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (replace(STARS, name="text"), "none of the built-in names (component, embed"),
        (replace(STARS, name="My stars"), "name it with lower-case letters, digits and _"),
        (replace(STARS, clean=int), "clean(None) raised TypeError"),
    ],
)
def test_a_faulty_type_of_node_is_refused(kind: NodeType, message: str) -> None:
    with pytest.raises(PluginError) as refused:
        kind.check({})

    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (replace(STARS, read=lambda element: element.text), "node type 'stars': ValueError: ★"),
        (replace(STARS, write=raising), "LookupError: oh; it must read a value from the element '"),
        (
            replace(STARS, write=lambda element, _: element.set_attribute("onclick", "x()")),
            "no <p> may have the attribute 'onclick'",
        ),
        (
            replace(STARS, write=lambda element, _: element.set_attribute("data-stars", "0")),
            "it wrote '5' into '.review-stars' and read '0' from there",
        ),
    ],
)
def test_a_type_of_node_that_edits_html_itself_is_refused(
    kind: NodeType, message: str, tmp_path: Path
) -> None:
    write_reviews(tmp_path)

    assert message in refusal(tmp_path / "landyard_reviews" / "blocks", {"stars": kind})


def test_the_plugin_has_failed_with_the_reason(reviews: Any, tmp_path: Path) -> None:
    rewritten(HTML, "review-text", "text")(tmp_path / "landyard_reviews/blocks/reviews.quote")
    with Service(reviews.PLUGINS, strict=False) as service:
        assert reason(service.kernel, "reviews") == (
            "block type 'reviews.quote': the selector '.review-text' of its manifest finds no"
            " element in its HTML"
        )
        assert service.call("landing.block.getlist", lid=1).error == "LANDING_NOT_EXIST"
