"""Editing a block's HTML changes no byte beside the edit (H2)."""

from __future__ import annotations

import pytest
from corpora import read_data
from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.html.corpus import HOSTILE, RICH
from turbohtml import Element, parse_fragment

from landyard_html.markup import Markup
from landyard_html.policy import clean_block

ODD = st.sampled_from(read_data(__file__, "ODD", list[str]))
FILLING = st.lists(ODD, max_size=3).map("".join)
CONTAINERS = st.sampled_from(read_data(__file__, "CONTAINERS", list[tuple[str, str]]))
TAGS = st.sampled_from(["div", "DIV", "span", "p", "h2", "blockquote"])
ATTRIBUTES = st.sampled_from(
    ["class=t", "CLASS='t'", 'id=a class="t  u" title', "data-a='&quot;'\r\n class=t"]
)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A block in four parts: before the element `.t`, its start tag, its content, the rest."""
    around = draw(st.lists(CONTAINERS, max_size=3))
    tag = draw(TAGS)
    before = "".join(start + draw(FILLING) for start, _ in around)
    after = "".join(draw(FILLING) + end for _, end in reversed(around))
    inside = draw(st.sampled_from(["", "old", "<b>old</b> &amp; so", "a<br>\r\nb", "<i>x</i>"]))
    return before, f"<{tag} {draw(ATTRIBUTES)}>", inside, f"</{tag}>{after}"


VALUES = st.sampled_from([*HOSTILE, *RICH]) | st.text(max_size=20)


@pytest.mark.rule("H2")
@given(blocks(), st.text(alphabet=st.characters(exclude_characters="\r\x00"), max_size=20))
def test_H2_a_new_content_changes_only_the_content(
    block: tuple[str, str, str, str], text: str
) -> None:
    before, start, inside, after = block
    markup = Markup(before + start + inside + after)

    markup.set_content(markup.select(".t")[0], text.replace("&", "&amp;").replace("<", "&lt;"))

    written = markup.source()
    assert written.startswith(before + start)
    assert written.endswith(after)
    assert parse_fragment(written).select(".t")[0].text == text


@pytest.mark.rule("H2")
@given(blocks(), st.text(alphabet=st.characters(exclude_characters="\r\x00"), max_size=20))
def test_H2_a_new_attribute_changes_only_that_attribute(
    block: tuple[str, str, str, str], text: str
) -> None:
    before, start, inside, after = block
    markup = Markup(before + start + inside + after)

    markup.set_attribute(markup.select(".t")[0], "title", text)

    written = markup.source()
    assert written.startswith(before)
    assert written.endswith(inside + after)
    (element,) = parse_fragment(written).select(".t")
    assert element.attr("title") == text
    assert {**dict(_pairs(element)), "title": ""} == {
        **dict(_pairs(parse_fragment(before + start + inside + after).select(".t")[0])),
        "title": "",
    }


@pytest.mark.rule("H2")
@settings(max_examples=120, deadline=None)
@given(blocks(), VALUES)
def test_H2_no_text_changes_the_structure_around_it(
    block: tuple[str, str, str, str], value: str
) -> None:
    html = "".join(block)
    markup = Markup(html)

    markup.set_text(markup.select(".t")[0], value)

    assert _outline(markup.source()) == _outline(html)


@pytest.mark.rule("H1")
@settings(deadline=None)
@given(st.lists(VALUES | ODD, max_size=6).map("".join), VALUES)
def test_H1_any_html_may_be_edited(html: str, value: str) -> None:
    markup = Markup(html + "<div class=t>x</div>")

    for element in markup.select(".t"):
        markup.set_text(element, value)
        markup.set_attribute(element, "title", value)

    assert _is_stable(clean_block(markup.source()))


@pytest.mark.rule("H2")
@given(blocks())
def test_H2_without_an_edit_nothing_changes(block: tuple[str, str, str, str]) -> None:
    html = "".join(block)

    assert Markup(html).source() == html


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    ("html", "selector", "written"),
    read_data(__file__, "H2 the inside ends where the source ends it", list[tuple[str, str, str]]),
)
def test_H2_the_content_ends_where_the_source_ends_it(
    html: str, selector: str, written: str
) -> None:
    markup = Markup(html)

    markup.set_content(markup.select(selector)[0], "X")

    assert markup.source() == written


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    ("html", "name", "value", "written"),
    read_data(
        __file__, "H2 other attributes keep their spelling", list[tuple[str, str, str | None, str]]
    ),
)
def test_H2_other_attributes_keep_their_spelling(
    html: str, name: str, value: str | None, written: str
) -> None:
    markup = Markup(html)

    markup.set_attribute(markup.select(".t")[0], name, value)

    assert markup.source() == written


def test_later_edits_see_earlier_ones() -> None:
    markup = Markup("<div class=t><b>1</b></div><div class=t>2</div>")
    first, second = markup.select(".t")

    markup.set_content(first, "<i class=t>new</i>")
    inner = markup.select(".t")[1]
    markup.set_attribute(inner, "id", "x")
    markup.append(inner, "<u>er</u>")
    markup.set_attribute(second, "class", "s")

    assert [element.tag for element in markup.select(".t")] == ["div", "i"]
    assert markup.source() == (
        '<div class=t><i class="t" id="x">new<u>er</u></i></div><div class="s">2</div>'
    )


@pytest.mark.parametrize(
    ("selector", "html", "kept"),
    read_data(__file__, "what a selector found", list[tuple[str, str, bool]]),
)
def test_the_elements_of_a_selector_are_kept_while_they_are_valid(
    selector: str, html: str, kept: bool
) -> None:
    markup = Markup("<div>" + "<p class=t>x</p>" * 9 + "</div>")
    found = markup.select(selector)

    markup.set_content(markup.select(".t")[4], html)

    assert (markup.select(selector) is found) is kept


@pytest.mark.rule("H2")
def test_H2_appending_leaves_the_present_content_unchanged() -> None:
    markup = Markup("<ul class=t><li>a<LI>b</ul>")
    (menu,) = markup.select(".t")

    markup.append(menu, "<li>c</li>")
    markup.append(menu, "<li>d</li>")

    assert markup.source() == "<ul class=t><li>a<LI>b<li>c</li><li>d</li></ul>"


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    ("html", "value", "written"),
    read_data(__file__, "H2 an element holds what it can", list[tuple[str, str, str]]),
)
def test_H2_content_that_an_element_cannot_contain_is_changed(
    html: str, value: str, written: str
) -> None:
    markup = Markup(html)

    markup.set_text(markup.select(".t")[0], value)

    assert markup.source() == written


@pytest.mark.rule("H2")
def test_H2_the_content_of_an_edit_may_be_edited_too() -> None:
    markup = Markup("<div class=t>x</div>")
    markup.set_content(markup.select(".t")[0], '<p class="u">y</p>')

    markup.set_text(markup.select(".u")[0], "<hr>")

    assert markup.source() == '<div class=t><div class="u"><hr></div></div>'


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    "html",
    read_data(__file__, "H2 misnested html", list[str]),
)
def test_H2_misnested_html_goes_through_the_policy_first(html: str) -> None:
    markup = Markup(html)

    markup.set_attribute(markup.select(".t")[0], "title", "x")

    cleaned = clean_block(html)
    assert markup.source().replace(' title="x"', "") == cleaned


@pytest.mark.rule("B7")
@pytest.mark.parametrize("selector", ["", "..x", ":has(", "bitrix:catalog.section", "\x00", "a||b"])
def test_B7_a_selector_that_cannot_be_read_finds_nothing(selector: str) -> None:
    assert Markup("<p>x</p>").select(selector) == []


def _pairs(element: Element) -> list[tuple[str, str]]:
    return [(name, element.attr(name) or "") for name in element.attrs]


def _outline(html: str) -> list[tuple[str, int]]:
    """Every element outside `.t`: its tag (that of `.t` may change) and its depth."""
    return [
        ("" if element.has_class("t") else element.tag, len(list(element.ancestors)))
        for element in parse_fragment(html).iter_elements()
        if element.parent is None
        or not isinstance(element.parent, Element)
        or element.parent.closest(".t") is None
    ]


def _is_stable(html: str) -> bool:
    return clean_block(html) == html
