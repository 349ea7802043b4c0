"""Setting attributes of a block's elements changes no other byte, in any order (B8, B12, H2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from corpora import read_data
from hypothesis import given
from hypothesis import strategies as st
from plugins.html.corpus import HOSTILE, RICH
from plugins.html.sample import BLOCK, MANIFEST, RULES, update
from turbohtml import parse_fragment

from landyard_html.attributes import settable, update_attributes
from landyard_html.manifests import Manifest, parse_manifest
from landyard_html.policy import clean_block

WORDS = """
    title TITLE data-x data-t data-zoom href src srcset data-src class STYLE id onclick srcdoc
    sandbox allow aria-label lang
"""
NAMES = st.sampled_from(WORDS.split()) | st.text(max_size=6)
VALUES = (
    st.sampled_from([*HOSTILE, *RICH])
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.lists(st.text(max_size=4), max_size=2)
)
PLACES = """
    .title .text .text@1 .img .link .frame .lazy .icon .map .map@ section li .menu .a .absent
    #block7 #block8 #wrapper bitrix:catalog.section @ * .bro[ken
"""
SELECTORS = st.sampled_from(PLACES.split())
STYLED = parse_manifest({"style": {"block": {"additional": {"attrs": [{"attribute": "title"}]}}}})


def _set(
    data: Mapping[str, object], content: str = BLOCK, manifest: Manifest = MANIFEST
) -> str | None:
    return update_attributes(content, data, manifest, block_id=7, rules=RULES)


@pytest.mark.rule("B12")
@pytest.mark.parametrize("declared", [None, frozenset()])
def test_B12_where_no_attribute_is_declared_any_safe_one_may_be_set(
    declared: frozenset[str] | None,
) -> None:
    sent = {"Title": 1, "data-a.b_c-1": True, "onx": "", "1x": "", "\u212aind": "x", "hre f": ""}

    assert settable(sent, declared) == {"title": "1", "data-a.b_c-1": "true", "kind": "x"}


@pytest.mark.rule("B12")
def test_B12_where_attributes_are_declared_no_other_may_be_set() -> None:
    sent = {"title": "x", "data-one": [1], "onclick": "x", "data-null": None}
    declared = frozenset({"data-one", "data-two", "onclick", "data-null"})

    assert settable(sent, declared) == {"data-one": "[1]"}


@pytest.mark.rule("B12", "H2")
@pytest.mark.parametrize(
    ("html", "data", "written"),
    read_data(__file__, "H2 other bytes stay", list[tuple[str, dict[str, Any], str | None]]),
)
def test_H2_other_bytes_do_not_change(
    html: str, data: dict[str, object], written: str | None
) -> None:
    assert _set(data, html) == written


@pytest.mark.rule("B8")
def test_B8_later_keys_find_elements_that_earlier_ones_made() -> None:
    manifest = parse_manifest({"nodes": {"[data-x]": {"type": "text"}, "p": {"type": "text"}}})
    html = "<p>a</p><p>b</p>"

    found = _set({"p@1": {"data-x": 1}, "[data-x]": {"title": 2}}, html, manifest)
    other = _set({"[data-x]": {"title": 2}, "p@1": {"data-x": 1}}, html, manifest)

    assert found == '<p>a</p><p data-x="1" title="2">b</p>'
    assert other == '<p>a</p><p data-x="1">b</p>'


@pytest.mark.rule("B12")
@pytest.mark.parametrize(
    ("html", "written"),
    read_data(__file__, "B12 the block is its first element", list[tuple[str, str | None]]),
)
def test_B12_the_block_is_its_first_element(html: str, written: str | None) -> None:
    assert _set({"#block7": {"title": 1, "lang": "x"}}, html, STYLED) == written


@pytest.mark.rule("B12")
def test_B12_the_id_of_another_block_is_a_selector_like_others() -> None:
    manifest = parse_manifest({"nodes": {"#block8": {"type": "text"}}})

    assert _set({"#block8": {"title": 1}}, "<p id=block8>x</p>", manifest) == (
        '<p id=block8 title="1">x</p>'
    )
    assert _set({"#block8": {"title": 1}}, "<p id=block8>x</p>", STYLED) is None


@pytest.mark.rule("B7")
@given(st.dictionaries(SELECTORS, VALUES | st.dictionaries(NAMES, VALUES, max_size=4), max_size=4))
def test_H1_no_value_makes_a_block_dangerous(data: dict[str, object]) -> None:
    written = _set(data)

    if written is not None:
        assert clean_block(written) == written
        assert _outline(written) == _outline(BLOCK)


@pytest.mark.rule("B11", "B12")
@given(SELECTORS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_B12_updatenodes_sets_the_same_values(selector: str, sent: dict[str, object]) -> None:
    embeds = selector in {".frame", ".lazy"} and {"src", "data-src"} & {
        name.lower() for name in sent
    }
    if embeds or ":" in selector or selector.startswith("#"):
        return  # known differences: refused frames, components, the block element itself

    edited = update({selector: {"attrs": sent}})

    assert _set({selector: sent}) == (edited.content if edited.applied else None)


def _outline(html: str) -> list[tuple[str, str, str]]:
    """Every element with the attributes that callers cannot set."""
    return [
        (each.tag, str(each.attr("class")), str(each.attr("style")))
        for each in parse_fragment(html).iter_elements()
    ]
