"""Attributes, component parameters and menus as updatenodes writes them (B11, B12, B16)."""

from __future__ import annotations

import pytest
from corpora import read_data
from plugins.html.sample import BLOCK, edited, update

from landyard_html.nodes import Edited


@pytest.mark.rule("B11")
def test_B11_component_parameters_are_those_the_manifest_lists() -> None:
    value = {"attrs": {"MESS_BTN_BUY": "Buy", "COUNT": [1, {"a": True}], "OTHER": "x"}}
    params = {"bitrix:catalog.section": {"COUNT": 5, "KEPT": 1}, "x:y": {}}

    found = update({"bitrix:catalog.section@4": value}, params=params)

    assert found.params == {
        "bitrix:catalog.section": {"COUNT": [1, {"a": True}], "KEPT": 1, "MESS_BTN_BUY": "Buy"},
        "x:y": {},
    }
    assert (found.content, found.applied) == (BLOCK, 1)


@pytest.mark.rule("B11")
def test_B11_a_component_without_a_listed_parameter_is_ignored() -> None:
    nothing: list[object] = [{}, [], {"OTHER": 1}, {"COUNT": None}]
    for attributes in nothing:
        assert update({"bitrix:catalog.section": {"attrs": attributes}}) == Edited(BLOCK, {}, 0)


@pytest.mark.rule("B11")
def test_B11_attributes_are_set_on_all_matches_or_the_one_at_the_position() -> None:
    everywhere = update({".text": {"attrs": {"data-x": "1"}}}).content
    one = update({".text@1": {"attrs": {"data-x": "1"}}}).content

    assert everywhere.count('data-x="1"') == 2
    assert one == BLOCK.replace('<div class="text">', '<div class="text" data-x="1">')


@pytest.mark.rule("B12")
@pytest.mark.parametrize(
    ("value", "text"),
    read_data(__file__, "B12 attribute values", list[tuple[object, str]]),
)
def test_B12_attribute_values_are_stored_as_text(value: object, text: str) -> None:
    assert edited({".title": {"attrs": {"data-t": value}}}, ".title").attr("data-t") == text


@pytest.mark.rule("B12")
def test_B12_declared_attributes_are_the_only_ones() -> None:
    assert update({".map": {"attrs": {"data-map": "x", "title": "x"}}}) == Edited(BLOCK, {}, 0)
    assert update({".map": {"attrs": {"data-zoom": "3", "title": "x"}}}).applied == 1


@pytest.mark.rule("B12")
@pytest.mark.parametrize(
    "name", ["class", "STYLE", "id", "onclick", "OnClick", "srcdoc", "sandbox", "x y", "a=b", ""]
)
def test_B12_some_attributes_can_never_be_set(name: str) -> None:
    assert update({"section": {"attrs": {name: "x"}}, ".frame": {"attrs": {name: "x"}}}) == (
        Edited(BLOCK, {}, 0)
    )


@pytest.mark.rule("H1")
def test_H1_addresses_in_attributes_follow_their_rules() -> None:
    assert edited({".link": {"attrs": {"href": "javascript:x"}}}, ".link").attr("href") == "#"
    assert edited({".img": {"attrs": {"src": "javascript:x"}}}, ".img").attr("src") is None
    assert edited({".img": {"attrs": {"src": "http://a.b/c"}}}, ".img").attr("src") == (
        "https://a.b/c"
    )


@pytest.mark.rule("B16")
def test_B16_a_menu_is_replaced_by_a_list_of_items() -> None:
    value = [{"text": "A & B", "href": "/a", "children": [{"text": "C", "target": "_blank"}]}]

    assert update({".menu": value}).content.endswith(
        '<ul class="menu"><li class="li"><a class="a" href="/a">A &amp; B</a><ul class="ul2">'
        '<li><a href="#" target="_blank">C</a></li></ul></li></ul></section>'
    )


@pytest.mark.rule("B16")
def test_B16_append_menu_adds_to_the_present_items() -> None:
    expected = BLOCK.replace("</ul>", '<li class="li"><a class="a" href="#">2</a></li></ul>')

    assert update({".menu": [{"text": "2"}]}, append_menu=True).content == expected


@pytest.mark.rule("B16")
def test_B16_append_menu_changes_no_other_node() -> None:
    assert update({".title": "x"}, append_menu=True) == update({".title": "x"})


@pytest.mark.rule("B16")
def test_B16_the_links_of_a_menu_are_link_nodes() -> None:
    assert edited({".a@0": {"text": "One", "href": "/one"}}, ".a").attr("href") == "/one"
