"""Removing a card from a block's HTML leaves every other byte and the tree around it (B13, H2)."""

from __future__ import annotations

import re

import pytest
from corpora import read_cases, read_data
from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.html.test_markup import blocks
from turbohtml import parse_fragment

from landyard_html.cards import remove_card
from landyard_html.manifests import Manifest
from landyard_html.markup import Markup
from landyard_html.policy import clean_block

MANIFEST = Manifest(cards={".c": "", ".at@x": "", "[title='@']": "", "tbody": ""})


def _without(html: str, key: str = ".c@0") -> str | None:
    return remove_card(html, key, MANIFEST)


@pytest.mark.rule("B13", "H2")
@pytest.mark.parametrize(
    ("html", "left"),
    read_cases(__file__, "B13 what is left is what was around", tuple[str, str]),
)
def test_B13_the_html_around_the_card_is_left(html: str, left: str) -> None:
    assert _without(html) == left


@pytest.mark.rule("B13")
def test_B13_a_card_without_tags_of_its_own_is_removed() -> None:
    html = "<table><tr><td>1</table><p title=kept>x"

    assert _without(html, "tbody@0") == "<table></table><p title=kept>x"


@pytest.mark.rule("B13")
def test_B13_misnested_html_goes_through_the_policy_first() -> None:
    html = "<table>foo<tr><td class=c>x</td></tr></table><b><i class=c>y</b>z</i>"

    assert _without(html) == clean_block(html).replace('<td class="c">x</td>', "")


@pytest.mark.rule("B13", "landing.block.removecard selector")
@pytest.mark.parametrize(
    ("key", "left"),
    read_data(__file__, "B13 the position is behind the last at", list[tuple[str, str | None]]),
)
def test_B13_the_position_follows_the_last_at_sign(key: str, left: str | None) -> None:
    assert _without("<p title='@'>a</p><p class=at>b</p>", key) == left


@pytest.mark.rule("B13", "H2")
@settings(max_examples=120)
@given(blocks())
def test_B13_the_tree_is_the_former_one_without_the_card(block: tuple[str, str, str, str]) -> None:
    html = "".join(block)
    markup = Markup(html)

    markup.remove(markup.select(".t")[0])

    expected = parse_fragment(html)
    expected.select(".t")[0].extract()
    assert _shape(markup.source()) == _shape(expected.inner_html)


@pytest.mark.rule("H2")
@given(blocks(), blocks(), st.integers(0, 7))
def test_H2_other_edits_and_a_removal_combine(
    first: tuple[str, str, str, str], second: tuple[str, str, str, str], edits: int
) -> None:
    html = f"<div class=x>{''.join(first)}</div><div class=y>{''.join(second)}</div>"
    markup = Markup(html)
    gone, *left = markup.select(".t")

    for number, element in enumerate((gone, *left)):
        if edits & 1:
            markup.set_attribute(element, "title", str(number))
        if edits & 2:
            markup.append(element, "<u>more</u>")
        if edits & 4:
            markup.rename(element, "div")
    markup.remove(gone)

    assert markup.select(".t") == left
    expected = parse_fragment(html)
    expected.select(".t")[0].extract()
    for number, element in enumerate(expected.select(".t"), 1):
        if edits & 1:
            element.attrs["title"] = str(number)
        if edits & 2:
            element.insert_adjacent_html("beforeend", "<u>more</u>")
        if edits & 4:
            element.tag = "div"
    # Renaming may move an element out of one that cannot contain it; then the order of tags
    # decides.
    found = parse_fragment(markup.source())
    assert [each.attr("title") for each in found.select(".t")] == [
        each.attr("title") for each in expected.select(".t")
    ]
    assert found.text.split() == expected.text.split()


def test_a_removal_inside_new_content_changes_that_content() -> None:
    markup = Markup("<div class=a><p class=c>x</p><i>y</i></div>")
    markup.remove(markup.select(".c")[0])
    markup.set_content(markup.select(".a")[0], "<b>new</b>")

    assert markup.source() == "<div class=a><b>new</b></div>"


def test_a_removal_from_the_content_of_an_earlier_edit() -> None:
    markup = Markup("<div class=a>x</div>")
    markup.set_content(markup.select(".a")[0], "<p class=c>y</p><i>z</i>")
    markup.remove(markup.select(".c")[0])

    assert markup.source() == "<div class=a><i>z</i></div>"


def test_a_removal_after_a_renamed_element_without_an_end_tag() -> None:
    markup = Markup("<p class=a>x<div class=c>y</div>z")
    markup.rename(markup.select(".a")[0], "div")
    markup.remove(markup.select(".c")[0])

    assert markup.source() == '<div class="a">x</div>z'


def _shape(html: str) -> str:
    """The tree without white space."""
    return re.sub(r"\s+", "", parse_fragment(html).inner_html)


def test_an_end_tag_is_written_once() -> None:
    markup = Markup("<div class=a><p class=b>x</div>")
    markup.rename(markup.select(".b")[0], "h2")
    markup.set_attribute(markup.select(".b")[0], "title", "y")
    markup.set_content(markup.select(".a")[0], "new")

    assert markup.source() == "<div class=a>new</div>"


def test_a_removal_after_an_element_that_extends_to_the_next() -> None:
    markup = Markup("<ul><li class=a>1<li class=c>2<li>3</ul>")
    markup.remove(markup.select(".c")[0])
    markup.set_content(markup.select(".a")[0], "new")

    assert markup.source() == "<ul><li class=a>new<li>3</ul>"
