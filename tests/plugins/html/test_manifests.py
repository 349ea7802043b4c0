"""Manifests are read tolerantly: entries of a wrong shape are ignored."""

from __future__ import annotations

import pytest
from corpora import read_data
from hypothesis import given
from hypothesis import strategies as st

from landyard_html.manifests import Manifest, Menu, MenuLevel, Node, parse_manifest

WORDS = """
    block nodes cards attrs style menu type name attribute selector additional root children
    .a .b bitrix:x skipContent ulClassName
"""
KEYS = st.sampled_from(WORDS.split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.rule("B7")
def test_B7_a_manifest_names_the_selectors_of_all_its_maps() -> None:
    manifest = parse_manifest(read_data(__file__, "selectors in all maps", dict[str, object]))

    named = [".node", ".card", ".attr", ".style", ".menu", ".menu a"]
    assert [name for name in (*named, ".other", "") if manifest.place(name)] == named
    assert manifest.cards == {".card": "Card"}


@pytest.mark.rule("B12")
def test_B12_attributes_are_collected_from_every_section_that_declares_them() -> None:
    manifest = parse_manifest(read_data(__file__, "attributes everywhere", dict[str, object]))

    assert manifest.attrs == {
        ".a": {"data-a", "data-group", "data-style"},
        ".b": {"data-moved"},
        ".c": {"data-card"},
    }
    assert manifest.block_attrs == {"data-block"}


@pytest.mark.rule("B11")
def test_B11_a_component_parameter_may_be_declared_by_its_name() -> None:
    manifest = parse_manifest({"attrs": {"bitrix:x": [{"name": "ONE"}, {"attribute": "TWO"}]}})

    assert manifest.attrs == {"bitrix:x": {"ONE", "TWO"}}


@pytest.mark.rule("B16")
def test_B16_a_menu_has_class_names_for_each_level() -> None:
    manifest = parse_manifest(read_data(__file__, "a menu of three levels", dict[str, object]))

    below = MenuLevel("u2", children=MenuLevel("u3"))
    assert manifest.menu == {".m": Menu(".i", "Main", MenuLevel("u", "l", "a", below))}
    assert manifest.nodes == {".m a": Node("link")}


@pytest.mark.parametrize("empty", [[], {}, None, "x", 5])
def test_C7_a_value_that_is_no_map_counts_as_an_empty_map(empty: object) -> None:
    names = ("block", "nodes", "cards", "attrs", "style", "menu")

    document = dict.fromkeys(names, empty)
    assert parse_manifest(document) == Manifest(document=document)


def test_entries_of_the_wrong_shape_are_dropped() -> None:
    manifest = parse_manifest(
        {"nodes": {".a": "text", ".b": {"type": 1}, ".c": {"type": "img", "skipContent": True}}}
    )

    assert manifest.nodes == {".c": Node("img", skip_content=True)}


@given(st.dictionaries(KEYS, JSON))
def test_any_document_can_be_read_as_a_manifest(document: dict[str, object]) -> None:
    assert isinstance(parse_manifest(document), Manifest)
