"""Menus are written with the class names of the manifest (B16)."""

from __future__ import annotations

from typing import Any

import pytest
from corpora import read_data

from landyard_html.manifests import Menu, MenuLevel
from landyard_html.menus import MAX_LEVELS, MenuItem, read_items, render_items

MENU = Menu(root=MenuLevel("u1", "l1", "a1", MenuLevel("u2", "l2", "a2")))


def nested(levels: int) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    for level in range(levels):
        items = [{"text": str(level), "children": items}]
    return items


@pytest.mark.rule("B16")
def test_B16_every_level_has_its_class_names() -> None:
    items = read_items([{"text": "A", "href": "/a", "children": [{"text": "B"}]}])

    assert render_items(items or (), MENU) == (
        '<li class="l1"><a class="a1" href="/a">A</a>'
        '<ul class="u2"><li class="l2"><a class="a2" href="#">B</a></li></ul></li>'
    )


@pytest.mark.rule("B16")
def test_B16_deeper_levels_use_the_class_names_of_the_last_described_level() -> None:
    items = (MenuItem("A", children=(MenuItem("B", children=(MenuItem("C"),)),)),)

    assert render_items(items, MENU).count('<ul class="u2">') == 2


@pytest.mark.rule("B16")
def test_B16_without_class_names_no_class_is_written() -> None:
    assert render_items((MenuItem("A"),), Menu()) == '<li><a href="#">A</a></li>'


@pytest.mark.rule("H1")
def test_H1_an_items_text_is_text_and_its_address_safe() -> None:
    items = read_items([{"text": "<b>A</b> & B", "href": "java\tscript:x", "target": "_top"}])

    drawn = '<a class="a1" href="#" target="_top">&lt;b&gt;A&lt;/b&gt; &amp; B</a>'
    assert render_items(items or (), MENU) == f'<li class="l1">{drawn}</li>'


@pytest.mark.rule("H1")
def test_H1_an_address_cannot_leave_its_attribute() -> None:
    assert 'href="/&quot;&gt;x"' in render_items((MenuItem("A", '/">x'),), MENU)


@pytest.mark.rule("B16")
@pytest.mark.parametrize("value", [[], [{"text": "A", "children": []}], [{"text": ""}]])
def test_B16_lists_of_items_are_read(value: list[object]) -> None:
    assert len(read_items(value) or ()) == len(value)


@pytest.mark.rule("B9")
@pytest.mark.parametrize(
    "value",
    read_data(__file__, "B9 anything else has the wrong shape", list[Any]),
)
def test_B9_a_value_of_another_shape_is_refused(value: object) -> None:
    assert read_items(value) is None


@pytest.mark.rule("B16")
def test_B16_the_depth_is_limited() -> None:
    assert read_items(nested(MAX_LEVELS)) is not None
    assert read_items(nested(MAX_LEVELS + 1)) is None
