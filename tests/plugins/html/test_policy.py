"""The sanitising policy leaves tidy HTML unchanged and makes any HTML inert, also when repeated
(H1-H3).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import read_data
from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.html.corpus import HOSTILE, RICH, dangers
from tables import for_each

import landyard_content
import landyard_html.policy
from landyard_html.allowed import attribute_allowed
from landyard_html.policy import POLICY_VERSION, clean_alike, clean_block, clean_phrase, clean_text
from landyard_html.styles import safe_style, with_background

CATALOGUE = Path(landyard_content.__file__).parent / "catalogue" / "blocks"
PIECES = """
    <svg> </svg> <math> </math> <mtext> <mglyph> <annotation-xml> <foreignObject> <noscript>
    </noscript> <template> </template> <style> </style> <xmp> </xmp> <textarea> </textarea>
    <title> </title> <select> <option> </select> <form> </form> <table> </table> <tr> <td>
    <caption> <p> </p> <b> </b> <i> </i> <a> </a> <div> </div> <h1> </h2> <li> <ul> </ul> <pre>
    </pre> <button> <nobr> <iframe> <br> </br> <!-- --> --!> <![CDATA[ ]]> <? & &lt; < > " ' ` =
"""
MORE = ['<a href="', "<img src=x ", "onerror=alert(1)>", 'style="', '<p title="', "text"]
FRAGMENTS = st.sampled_from([*HOSTILE, *RICH, *PIECES.split(), *MORE, "\xa0", "\x00", "\r\n", "\n"])
SOUP = st.lists(FRAGMENTS | st.text(max_size=5), max_size=12).map("".join)


def test_H2_the_policy_has_a_version() -> None:
    assert POLICY_VERSION >= 1


@pytest.mark.rule("H2")
@pytest.mark.parametrize("path", sorted(CATALOGUE.glob("*.html")), ids=lambda path: path.stem)
def test_H2_the_catalogue_survives_byte_for_byte(path: Path) -> None:
    html = path.read_text(encoding="utf-8")

    assert clean_block(html) == html


def test_H2_the_catalogue_is_not_empty() -> None:
    assert list(CATALOGUE.glob("*.html"))


@pytest.mark.rule("H1")
@settings(max_examples=120, deadline=None)
@given(SOUP)
def test_H1_cleaned_html_is_inert(html: str) -> None:
    assert dangers(clean_block(html)) == []
    assert dangers(clean_text(html)) == []
    assert dangers(clean_phrase(html)) == []


@pytest.mark.rule("H2")
@settings(max_examples=120, deadline=None)
@given(SOUP)
def test_H2_cleaning_is_idempotent(html: str) -> None:
    for clean in (clean_block, clean_text, clean_phrase):
        assert clean(clean(html)) == clean(html)


@pytest.mark.rule("H2")
@settings(max_examples=100, deadline=None)
@given(SOUP)
def test_H2_a_cleaned_text_does_not_change_its_surroundings(html: str) -> None:
    around = f"<section><div>{clean_text(html)}</div><p>after</p></section>"

    assert clean_block(around) == around


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    "html",
    read_data(__file__, "H2 tidy harmless html is not touched", list[str]),
)
def test_H2_tidy_harmless_html_is_unchanged(html: str) -> None:
    assert clean_block(html) == html


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("html", "cleaned"),
    read_data(__file__, "H3 frames are sandboxed and foreign", list[tuple[str, str]]),
)
def test_H3_frames_are_sandboxed_and_foreign(html: str, cleaned: str) -> None:
    assert clean_block(html) == cleaned


@pytest.mark.rule("H3")
def test_H3_a_text_contains_no_frame() -> None:
    assert clean_text('a<iframe src="https://example.org/v"></iframe>b') == "ab"


@pytest.mark.rule("H2")
@settings(max_examples=25, deadline=None)
@given(SOUP, st.lists(FRAGMENTS, min_size=1, max_size=3).map("".join))
def test_H2_a_block_like_a_known_one_is_cleaned_as_by_itself(html: str, text: str) -> None:
    for block in (clean_block(html), html):  # the cleaned block, then the block as written
        for alike in (block, block.replace(">x<", f">{text}<"), block.replace("text", text)):
            assert clean_alike(alike) == clean_block(alike)


@pytest.mark.rule("H2")
def test_H2_blocks_that_differ_only_in_text_are_cleaned_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert clean_alike("<h6>One</h6><pre>two</pre>") == "<h6>One</h6><pre>two</pre>"
    monkeypatch.setattr(landyard_html.policy, "clean_block", lambda _html: "cleaned")

    assert clean_alike("<h6>1 word</h6><pre>z</pre>") == "<h6>1 word</h6><pre>z</pre>"
    different = [
        "<h6> 1</h6><pre>2</pre>",
        "<h6>1</h6><pre>\n2</pre>",
        "<h6>&#49;</h6><pre>2</pre>",
    ]
    assert {clean_alike(html) for html in different} == {"cleaned"}


@pytest.mark.rule("H1")
@pytest.mark.parametrize("value", ["", "_new", "popup", "x y"])
def test_H1_a_target_is_one_of_the_keywords(value: str) -> None:
    assert clean_block(f'<a target="{value}">x</a>') == "<a>x</a>"


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("style", "kept"),
    read_data(__file__, "H1 a text style keeps what only looks", list[tuple[str, str | None]]),
)
def test_H1_a_text_style_keeps_only_declarations_of_appearance(
    style: str, kept: str | None
) -> None:
    assert safe_style(style, pictures=False) == kept


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "style",
    read_data(__file__, "H1 a block style loads nothing but background pictures", list[str]),
)
def test_H1_a_block_style_loads_nothing_but_background_pictures(style: str) -> None:
    assert safe_style(style, pictures=True) is None


@pytest.mark.rule("B10")
@given(st.text(max_size=40), st.sampled_from(["/a.jpg", None]), st.sampled_from(["/b.jpg", None]))
def test_B10_a_background_leaves_other_declarations_unchanged(
    value: str, src: str | None, src2x: str | None
) -> None:
    word = "".join(letter for letter in value if letter.isalnum())
    style = f"color: {word}; background-image: url(/old.jpg); --y:{word}"

    changed = with_background(style, src, src2x) or ""

    assert changed.startswith(f"color: {word}; --y:{word}")
    assert "/old.jpg" not in changed


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "".join(f"<b id={n}>" for n in range(500)) + "</p>" + "<p>x</p>" * 500,
        "<div>" * 40_000,
        "<p " + "".join(f"data-a{n}=1 " for n in range(20_000)) + ">x",
        "<table><tr><td>" * 3_000,
        "<b><marquee></b></marquee>" * 2_000 + "<p>x" * 2_000,
    ],
    ids=["formatting", "depth", "attributes", "tables", "markers"],
)
def test_H1_tangled_html_becomes_its_text(html: str) -> None:
    assert "<" not in clean_text(html)
    assert "<" not in clean_block(html)


@pytest.mark.rule("H1")
def test_H1_a_long_tidy_text_is_not_treated_as_tangled() -> None:
    html = "<p>One <b>bold</b> word,<br>a line</p><ul><li>x</li><li>y</li></ul>" * 5_000

    assert clean_text(html) == html


@pytest.mark.rule("H1")
def test_H1_a_long_sloppy_text_is_not_treated_as_tangled() -> None:
    html = "<p>One<p><b><i>bold</b></i><ul><li>x<li>y</ul><table><tr><td>1<td>2</table>" * 200

    assert clean_text(html).count("<b><i>bold</i></b>") == 200


@pytest.mark.rule("B12")
@pytest.mark.parametrize(
    ("tag", "name", "allowed"),
    read_data(__file__, "B12 safe attributes", list[tuple[str, str, bool]]),
)
def test_B12_the_policy_decides_which_attributes_are_safe(
    tag: str, name: str, allowed: bool
) -> None:
    assert attribute_allowed(tag, name) is allowed


@pytest.mark.rule("H3b")
@for_each("value", ["unsafe-url", "UNSAFE-URL", "no-referrer-when-downgrade", "", "x", " origin"])
def test_H3b_a_referrer_policy_that_may_send_a_path_is_removed(value: str) -> None:
    for html in (f'<img referrerpolicy="{value}">', f'<iframe referrerpolicy="{value}"></iframe>'):
        assert "referrerpolicy" not in clean_block(html)
        assert "referrerpolicy" not in clean_text(html)


@pytest.mark.rule("H3b")
@for_each("value", ["no-referrer", "origin", "same-origin", "Strict-Origin-When-Cross-Origin"])
def test_H3b_a_referrer_policy_that_never_sends_a_path_stays(value: str) -> None:
    assert f'referrerpolicy="{value}"' in clean_block(f'<img referrerpolicy="{value}">')
