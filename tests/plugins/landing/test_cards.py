"""A card taken out of a block's HTML leaves every other byte and the tree around it (B13, H2)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.landing.test_markup import blocks
from turbohtml import parse_fragment

from landyard_landing.cards import remove_card
from landyard_landing.manifests import Card, Manifest
from landyard_landing.markup import Markup
from landyard_landing.policy import clean_block

MANIFEST = Manifest(cards={".c": Card(), ".at@x": Card(), "[title='@']": Card(), "tbody": Card()})


def _without(html: str, key: str = ".c@0") -> str | None:
    return remove_card(html, key, MANIFEST)


@pytest.mark.rule("B13", "H2")
@pytest.mark.parametrize(
    ("html", "left"),
    [
        # alone on its lines: they go with it
        ("<div>\n  <p class=c>a</p>\n  <p>b</p>\n</div>", "<div>\n  <p>b</p>\n</div>"),
        ("<div>\r\n\t<p class=c>a\r\n</p> \t\r\n</div>", "<div>\r\n</div>"),
        ("<p class=c>a</p>\n<p>b</p>", "<p>b</p>"),
        ("<p>b</p>\n  <p class=c>a</p>", "<p>b</p>\n"),
        (" <p class=c>a</p> ", ""),
        ("\n\n<p class=c>a</p>\n\n", "\n\n\n"),
        # beside something else: that stays as it is
        ("<div>\n  <p class=c>a</p></div>", "<div>\n  </div>"),
        ("<div>\n  x <p class=c>a</p>\n</div>", "<div>\n  x \n</div>"),
        ("<div>\n  &nbsp;<p class=c>a</p>\n</div>", "<div>\n  &nbsp;\n</div>"),
        ("<div>\n  \u00a0<p class=c>a</p>\n</div>", "<div>\n  \u00a0\n</div>"),
        ("<!-- x --><p class=c>a</p>\n<p>b</p>", "<!-- x -->\n<p>b</p>"),
        ("<i class=c>a</i> <i>b</i>", " <i>b</i>"),
        ("x<i class=c>a</i>y", "xy"),
        ("<div><P CLASS='c'>a</P ><BR></div>", "<div><BR></div>"),
        ("\U0001f600<i class=c>\U0001f600</i>&eacute;", "\U0001f600&eacute;"),
        # no inside, no end tag
        ("<p>a<br class=c>b</p>", "<p>ab</p>"),
        ("<img class=c src=a/><b>x</b>", "<b>x</b>"),
        ("<ul>\n<li class=c>a\n<li>b\n</ul>", "<ul>\n<li>b\n</ul>"),
        ("<ul>\n<li>a\n<li class=c>b\n</ul>", "<ul>\n<li>a\n</ul>"),
        ("<ul>\n<li>a\n<li class=c>b</li>\n<LI>d</ul>", "<ul>\n<li>a\n\n<LI>d</ul>"),
        ("<p>a<p class=c>b", "<p>a"),
        ("<p class=c>a<p>b", "<p>b"),
        ("<dl><dt>a<dd class=c>b<dt>d</dl>", "<dl><dt>a<dt>d</dl>"),
        ("<table><tr class=c><td>1<tr><td>2</table>", "<table><tr><td>2</table>"),
        ("<table><tr><td>1<tr class=c><td>2</table>", "<table><tr><td>1</table>"),
        # what ended where the card began does not go on behind it
        ("<p>a<div class=c>b</div>d", "<p>a</p>d"),
        ("<p>a<div class=c>b</div><p>d", "<p>a<p>d"),
        ("<p>a<div class=c>b</div><pre>d</pre>", "<p>a</p><pre>d</pre>"),
        ("<ul><li>a<p>x<li class=c>b</li>d</ul>", "<ul><li>a<p>x</p></li>d</ul>"),
        ("<dl><dt>a<dd class=c>b<dd>d</dl>", "<dl><dt>a</dt><dd>d</dd></dl>"),
        (
            "<table><tr><td>1<tbody class=c><tr><td>2</tbody><tr><td>3</table>",
            "<table><tbody><tr><td>1</td></tr></tbody><tbody><tr><td>3</td></tr></tbody></table>",
        ),
        # text in front of it that would be read differently then
        ("<div>&am<i class=c>x</i>p;</div>", "<div>&amp;amp;</div>"),
        ("<div>&#6<i class=c>x</i>0;</div>", "<div>\x060;</div>"),
        ("<div><<i class=c>x</i>script>y</div>", "<div>&lt;script&gt;y</div>"),
        # the last one
        ("<div><p class=c>a</p></div>", "<div></div>"),
        ("<section class=c>a</section>", ""),
    ],
)
def test_B13_what_is_left_is_what_was_around(html: str, left: str) -> None:
    assert _without(html) == left


@pytest.mark.rule("B13")
def test_B13_a_card_without_tags_of_its_own() -> None:
    html = "<table><tr><td>1</table><p title=kept>x"

    assert _without(html, "tbody@0") == "<table></table><p title=kept>x"


@pytest.mark.rule("B13")
def test_B13_misnested_html_goes_through_the_policy_first() -> None:
    html = "<table>foo<tr><td class=c>x</td></tr></table><b><i class=c>y</b>z</i>"

    assert _without(html) == clean_block(html).replace('<td class="c">x</td>', "")


@pytest.mark.rule("B13", "landing.block.removecard selector")
@pytest.mark.parametrize(
    ("key", "left"),
    [
        ("[title='@']@0", "<p class=at>b</p>"),
        ("[title='@']@", "<p class=at>b</p>"),
        ("[title='@']", None),
        ("[title='@']@1", None),
        (".at@x", None),
        (".at@x@0", None),
        (".at@0", None),
    ],
)
def test_B13_the_position_is_behind_the_last_at(key: str, left: str | None) -> None:
    assert _without("<p title='@'>a</p><p class=at>b</p>", key) == left


@pytest.mark.rule("B13", "H2")
@settings(max_examples=300)
@given(blocks())
def test_B13_the_tree_is_that_without_the_card(block: tuple[str, str, str, str]) -> None:
    html = "".join(block)
    markup = Markup(html)

    markup.remove(markup.select(".t")[0])

    expected = parse_fragment(html)
    expected.select(".t")[0].extract()
    assert _shape(markup.source()) == _shape(expected.inner_html)


@pytest.mark.rule("H2")
@given(blocks(), blocks(), st.integers(0, 7))
def test_H2_other_edits_and_a_removal_go_together(
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
    # Renaming may let an element out of what cannot hold it: then the order of tags tells.
    found = parse_fragment(markup.source())
    assert [each.attr("title") for each in found.select(".t")] == [
        each.attr("title") for each in expected.select(".t")
    ]
    assert found.text.split() == expected.text.split()


def test_a_removal_inside_of_what_is_written_anew_is_in_that() -> None:
    markup = Markup("<div class=a><p class=c>x</p><i>y</i></div>")
    markup.remove(markup.select(".c")[0])
    markup.set_content(markup.select(".a")[0], "<b>new</b>")

    assert markup.source() == "<div class=a><b>new</b></div>"


def test_a_removal_from_what_an_edit_brought() -> None:
    markup = Markup("<div class=a>x</div>")
    markup.set_content(markup.select(".a")[0], "<p class=c>y</p><i>z</i>")
    markup.remove(markup.select(".c")[0])

    assert markup.source() == "<div class=a><i>z</i></div>"


def test_a_removal_behind_a_renamed_element_that_had_no_end() -> None:
    markup = Markup("<p class=a>x<div class=c>y</div>z")
    markup.rename(markup.select(".a")[0], "div")
    markup.remove(markup.select(".c")[0])

    assert markup.source() == '<div class="a">x</div>z'


def _shape(html: str) -> str:
    """The tree, but for white space."""
    return re.sub(r"\s+", "", parse_fragment(html).inner_html)


def test_an_end_tag_is_written_once() -> None:
    markup = Markup("<div class=a><p class=b>x</div>")
    markup.rename(markup.select(".b")[0], "h2")
    markup.set_attribute(markup.select(".b")[0], "title", "y")
    markup.set_content(markup.select(".a")[0], "new")

    assert markup.source() == "<div class=a>new</div>"


def test_a_removal_behind_an_element_that_goes_on_to_the_next() -> None:
    markup = Markup("<ul><li class=a>1<li class=c>2<li>3</ul>")
    markup.remove(markup.select(".c")[0])
    markup.set_content(markup.select(".a")[0], "new")

    assert markup.source() == "<ul><li class=a>new<li>3</ul>"
