"""updatenodes on a block's HTML: which entries apply, in which order, and to which elements (B7-B9,
H1, H2).
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from corpora import read_data
from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.html.corpus import HOSTILE, RICH, dangers
from plugins.html.sample import BLOCK, update
from turbohtml import parse_fragment

from landyard_html.nodes import Edited
from landyard_html.policy import clean_block
from landyard_html.values import WrongValue


@pytest.mark.rule("B7")
def test_B7_data_without_a_match_changes_nothing() -> None:
    for data in ({}, {".other": "x"}, {"": "x"}, {"p": "x"}, {".text@5": "x"}, {".absent": "x"}):
        assert update(data) == Edited(BLOCK, {}, 0)


@pytest.mark.rule("B7")
def test_B7_unknown_keys_are_ignored_beside_known_ones() -> None:
    assert update({".other": {"any": "shape"}, ".title": "New"}).applied == 1


@pytest.mark.rule("B7")
def test_B7_a_value_equal_to_the_current_one_counts_as_a_change() -> None:
    assert update({".title": "Old"}) == Edited(BLOCK, {}, 1)


@pytest.mark.rule("B7")
@pytest.mark.parametrize("key", [".bro[ken", ".bro[ken@1"])
def test_B7_a_broken_selector_finds_nothing(key: str) -> None:
    assert update({key: "x"}).applied == 0


@pytest.mark.rule("B8")
@pytest.mark.parametrize(
    ("key", "texts"),
    [
        (".text", ["X", "Two"]),
        (".text@0", ["X", "Two"]),
        (".text@1", ["One", "X"]),
        (".text@", ["X", "Two"]),
        (".text@one", ["X", "Two"]),
        (".text@-1", ["One", "Two"]),
        (".text@01", ["One", "X"]),
        (".text@2", ["One", "Two"]),
        (".text@" + "9" * 5000, ["One", "Two"]),
        (".text:last-of-type", ["X", "Two"]),
    ],
)
def test_B8_the_index_counts_what_the_selector_finds(key: str, texts: list[str]) -> None:
    found = parse_fragment(update({key: "X"}).content).select(".text")

    assert [element.text for element in found] == texts


@pytest.mark.rule("B9")
@pytest.mark.parametrize(
    ("key", "value"),
    read_data(__file__, "B9 a wrong shape is refused for the whole call", list[tuple[str, Any]]),
)
def test_B9_a_wrong_shape_refuses_the_whole_call(key: str, value: object) -> None:
    with pytest.raises(WrongValue) as refused:
        update({".text": "New", key: value})

    assert refused.value.parameter == f"data[{key}]"
    assert refused.value.expected


@pytest.mark.rule("B9")
def test_B9_the_block_and_the_parameters_are_not_modified() -> None:
    data = {"bitrix:catalog.section": {"attrs": {"COUNT": [1]}}, ".title": {"text": "x"}}
    params = {"bitrix:catalog.section": {"COUNT": 1}}
    before = copy.deepcopy((data, params))

    update(data, params=params)

    assert (data, params) == before


@pytest.mark.parametrize("value", ["New <b>text</b>", {"text": "New <b>text</b>"}])
def test_text_replaces_the_content_and_nothing_else(value: object) -> None:
    expected = BLOCK.replace(">Old<", ">New <b>text</b><")

    assert update({".title": value}) == Edited(expected, {}, 1)


def test_the_order_of_data_is_the_order_of_edits() -> None:
    data = {".text": '<b>a</b><i class="title">b</i>', ".title@1": "c", ".text@0": "d"}

    assert update({".text@1": '<i class="title">b</i>', ".title@1": "c"}).applied == 2
    assert update(data).content == BLOCK.replace("One", "d")


@pytest.mark.rule("H1")
@pytest.mark.parametrize("html", [html for html in RICH if "<a" not in html])
def test_H1_rich_text_survives_in_any_text_node(html: str) -> None:
    content = update({".title": html, ".text@0": html, ".text@1": html}).content

    assert content.count(html) == 3
    assert [element.tag for element in parse_fragment(content).select(".text, .title")]


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    ("html", "tag"), [("<b>x</b>", "p"), ("<ul><li>x</li></ul>", "div"), ("<p>x</p>", "div")]
)
def test_H2_a_paragraph_that_cannot_contain_the_text_becomes_a_div(html: str, tag: str) -> None:
    expected = BLOCK.replace('<p class="text">One</p>', f'<{tag} class="text">{html}</{tag}>')

    assert update({".text": html}).content == expected


@pytest.mark.rule("H2")
def test_H2_elements_that_an_ancestor_cannot_contain_become_inline_ones() -> None:
    content = '<p><span class="text">x</span></p>'
    value = "<ul><li>One</li><li>Two</li></ul>"

    expected = '<p><span class="text">One<br>Two</span></p>'
    assert update({".text": value}, content=content).content == expected


@pytest.mark.rule("H1")
@pytest.mark.parametrize("html", HOSTILE)
def test_H1_hostile_values_are_inert_in_every_node(html: str) -> None:
    data = {
        ".title": html,
        ".text": {"text": html},
        ".img": {"src": html, "src2x": html, "alt": html},
        ".bg": {"src": html, "src2x": html},
        ".link": {"text": html, "href": html, "target": html, "query": html},
        ".lazy": {"source": html, "preview": html},
        ".menu": [{"text": html, "href": html, "target": html}],
        "section": {"attrs": {"title": html, "onclick": html, "style": html, html: html}},
    }

    content = update(data).content

    assert dangers(content) == []
    assert clean_block(content) == content


VALUES = st.sampled_from([*HOSTILE, *RICH]) | st.text(max_size=20)


@pytest.mark.rule("H2")
@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([".title", ".text@1", ".img", ".bg", ".link", ".lazy", ".map", ".menu"]),
        st.fixed_dictionaries(
            {"text": VALUES},
            optional=dict.fromkeys(
                ("href", "query", "target", "src", "src2x", "alt", "id"), VALUES
            ),
        ),
        min_size=1,
    )
)
def test_H2_the_policy_leaves_an_edited_block_unchanged(
    data: dict[str, dict[str, object]],
) -> None:
    shaped: dict[str, object] = {**data}
    if ".menu" in data:
        shaped[".menu"] = [data[".menu"]]
    if ".lazy" in data:
        shaped[".lazy"] = {"source": data[".lazy"]["text"]}

    found = update(shaped)

    assert clean_block(found.content) == found.content
    assert dangers(found.content) == []


@pytest.mark.parametrize("value", ["x", "<b>x</b>", {"text": "<p>y</p>"}])
def test_many_keys_on_a_long_block_take_no_quadratic_time(value: object) -> None:
    content = '<p class="text">some words</p>' * 10_000

    found = update({f".text@{index}": value for index in range(10_000)}, content=content)

    assert found.applied == 10_000


def test_a_long_text_is_one_edit() -> None:
    assert update({".text@1": "words <b>and</b> more " * 20_000}).applied == 1
