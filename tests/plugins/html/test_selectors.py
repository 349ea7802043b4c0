"""The selectors of manifests: which are supported, in every section, and their cost (B18)."""

import time
from typing import Any

import pytest
from tables import for_each
from turbohtml import parse_fragment

from landyard_html.manifests import Manifest, parse_manifest
from landyard_html.microdata import read_meaning
from landyard_html.selectors import LONGEST, MOST, is_plain, wrong_selectors

NODE = {"type": "text"}
PLAIN = [
    *(".landing-block-node-text", "p", "*", "#block8", "[data-x]", "section .text", "a > b > c"),
    *("a[href^='x' i]", 'a[title="a > (b)"]', ".g-pt-40.g-pb-40 p", "li:first-child", "tr:empty"),
    *("bitrix:catalog.section", ".a, .b", "p:nth-child(2n + 1)", "p:nth-of-type(odd)", ".\\31 a"),
    *(".text:not(.x)", "p:not([hidden])", ".кнопка", "." + "a" * (LONGEST - 1), "p::before"),
]
REFUSED = [
    *(":has(b)", "p:has(~ p:has(~ p:has(~ b)))", "p:HAS(b)", ".a:has(> .b)", ":is(.a, .b) p"),
    *(":where(.a)", ":not(:not(.a))", "p:not(.a .b)", "p:not(:has(b))", "p:nth-child(2 of p)"),
    *("p ~ p", "p + p", "p || p", ":is(" + "*," * 50 + "*)", "a" * (LONGEST + 1), ".a " * 100),
    *("p:h\\61s(b)", "p:\\68 as(b)", "p:has (b)", "p:has/**/(b)", "p[", "p:has(", "::", ">", "a >"),
    *(" ", "@", ".a@0", "a,,b", "<script>", "\x00", "p:nth-child(2n of :has(b))", ":lang(en)"),
]
BAD = "p:has(~ p:has(~ b))"


@pytest.mark.rule("B18")
@for_each("selector", PLAIN)
def test_B18_compound_and_descendant_selectors_are_supported(selector: str) -> None:
    assert is_plain(selector)


@pytest.mark.rule("B18")
@for_each("selector", REFUSED)
def test_B18_no_other_selector_is_supported(selector: str) -> None:
    assert not is_plain(selector)


WAYS: list[dict[str, Any]] = [
    {"nodes": {BAD: NODE}},
    {"cards": {BAD: {"name": "Card"}}},
    {"attrs": {BAD: {"attribute": "title"}}},
    {"attrs": {".a": [{"attribute": "title", "selector": BAD}]}},
    {"attrs": {".a": {"attrs": [{"attrs": [{"attribute": "title", "selector": BAD}]}]}}},
    {"cards": {".a": {"additional": {"attrs": [{"attribute": "title", "selector": BAD}]}}}},
    {"style": {"nodes": {BAD: {"type": "box"}}}},
    {"style": {BAD: {"type": "box"}}},
    {"style": {"nodes": {".a": {"additional": {"attrs": [{"name": "x", "selector": BAD}]}}}}},
    {"style": {"block": {"additional": {"attrs": [{"attribute": "id", "selector": BAD}]}}}},
    {"menu": {BAD: {"item": ".a"}}},
    {"menu": {".a": {"nodes": {BAD: {"type": "link"}}}}},
    {"meaning": {"type": "article", "title": BAD}},
    {"meaning": {"type": "article", "title": f"{BAD}@title"}},
    {"meaning": {"type": "article", "title": ".a", "each": BAD}},
]


@pytest.mark.rule("B18")
@for_each("document", WAYS)
def test_B18_one_limit_holds_in_every_section_of_a_manifest(document: dict[str, Any]) -> None:
    assert "cannot be used" in wrong_selectors(document)
    manifest = parse_manifest({**document, "nodes": {".kept": NODE, **document.get("nodes", {})}})

    assert BAD not in str((manifest.places, manifest.document, manifest.block_attrs))
    assert read_meaning(manifest.document) is None
    assert ".kept" in manifest.places


@pytest.mark.rule("B18")
def test_B18_the_number_of_a_manifests_selectors_is_limited() -> None:
    nodes = {f".a{number}": NODE for number in range(MOST + 5)}

    assert "more than" in wrong_selectors({"nodes": nodes, "style": {"nodes": nodes}})
    assert len(parse_manifest({"nodes": nodes}).places) == MOST


@for_each(
    "document", [{"nodes": []}, {"style": [], "attrs": 1, "menu": None}, {"style": {"nodes": []}}]
)
def test_a_section_without_selectors_is_left_unchanged(document: dict[str, Any]) -> None:
    assert wrong_selectors(document) == ""
    assert parse_manifest(document) == Manifest(document=document, style_block=False)


@pytest.mark.rule("B18")
@for_each("selector", [each for each in PLAIN if ":" not in each or "(" in each])
def test_B18_a_supported_selector_takes_linear_time(selector: str) -> None:
    nested = "<p class=a>" + "<div class='a text'><a href=x>" * 60 + "</a></div>" * 60 + "</p>"
    root = parse_fragment((nested + "<p>x</p>" * 100) * 300)
    began = time.process_time()

    root.select(selector)

    assert time.process_time() - began < 0.5


@for_each("text", ["p" + ":not(.x)" * 20, "[" * 199, "a " * 99 + "(", ":not(" * 40, "\\" * 199])
def test_reading_a_selector_takes_little_time(text: str) -> None:
    began = time.process_time()

    is_plain(text)

    assert time.process_time() - began < 0.05
