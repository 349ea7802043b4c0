"""Two edits of the same HTML, merged three ways: what each changed is there, or neither is done."""

import pytest

from landyard_landing.html.merging import SamePlace, merge_html

BASE = (
    '<section class="s">\r\n <h2 class="t">A &amp; <b>b</b></h2><img src="/a.png">\r\n'
    " <ul>\r\n  <li>1</li>\r\n  <li>2</li>\r\n  <li>3</li>\r\n </ul>\r\n"
    ' <p class="t">One <a href="/x">x</a></p>\r\n</section>'
)
CARDS = ["  <li>1</li>\r\n", "  <li>2</li>\r\n", "  <li>3</li>\r\n"]


def put(old: str, new: str, html: str = BASE) -> str:
    assert old in html
    return html.replace(old, new, 1)


def ordered(*places: int) -> str:
    return put("".join(CARDS), "".join(CARDS[each] for each in places))


def both(theirs: str, yours: str, base: str = BASE) -> str:
    """Merge, in either order: it is the same."""
    one, other = (merge_html(base, *each, [".t"]) for each in ((theirs, yours), (yours, theirs)))
    assert one == other
    return one


@pytest.mark.parametrize(
    ("theirs", "yours", "merged"),
    [
        (put("b</b>", "c</b>"), put("/a.", "/b."), put("b</b>", "c</b>", put("/a.", "/b."))),
        (put("<h2", "<h3").replace("/h2", "/h3"), put(CARDS[0], ""), None),
        (put(CARDS[0], ""), put(">2<", ">two<"), put(CARDS[0], "", put(">2<", ">two<"))),
        (put(CARDS[1], CARDS[1] * 2), put(CARDS[0], ""), None),
        (put(CARDS[1], ""), put(CARDS[1], ""), put(CARDS[1], "")),
        (ordered(2, 0, 1), put(">3<", ">three<"), put(">3<", ">three<", ordered(2, 0, 1))),
        (ordered(2, 1, 0), put(CARDS[1], ""), ordered(2, 0)),
        (ordered(1, 0, 2), ordered(1, 0, 2), ordered(1, 0, 2)),
    ],
)
def test_what_each_changed_is_there(theirs: str, yours: str, merged: str | None) -> None:
    found = both(theirs, yours)

    assert merged is None or found == merged
    assert found.count("\r\n") == found.count("\n")


def test_attributes_of_one_element_are_merged_by_name() -> None:
    theirs, yours = put("<img ", '<img alt="a" '), put('.png">', '.png" data-x="1">')

    assert '<img alt="a" data-x="1" src="/a.png">' in both(theirs, yours)


@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        (put("A", "B"), put("b</b>", "c</b>")),
        (put("/a.png", "/b.png"), put("/a.png", "/c.png")),
        (put('"/x"', '"/y"'), put("One", "Two")),  # a text node is one place
        (put("<h2", "<h3").replace("/h2", "/h3"), put("<h2", "<h4").replace("/h2", "/h4")),
        (put(CARDS[1], ""), put(">2<", ">two<")),
        (put(CARDS[1], CARDS[1] + "<li>new</li>"), put(CARDS[1], CARDS[1] + "<li>other</li>")),
        (ordered(2, 0, 1), ordered(1, 2, 0)),
        (ordered(0, 2, 1), put(CARDS[1], "")),  # what was moved is gone
        (ordered(2, 0), put(CARDS[1], CARDS[1] + "<li>new</li>")),  # behind what is gone
        ("<p>all of it</p>", put("A", "B")),
    ],
)
def test_the_same_place_is_told(theirs: str, yours: str) -> None:
    with pytest.raises(SamePlace):
        both(theirs, yours)


@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        ("<ul><li>1</li><li>1</li></ul>", "<ul><li>1</li><li>1</li></ul>"),  # one of three each
        ("<ul><li>1</li><li>1</li></ul>", "<ul><li>2</li><li>1</li><li>1</li></ul>"),
    ],
)
def test_which_of_those_alike_was_meant_is_not_guessed(theirs: str, yours: str) -> None:
    base = "<ul><li>1</li><li>1</li><li>1</li></ul>"

    with pytest.raises(SamePlace):
        both(theirs, yours, base)


def test_what_is_sound_in_each_alone_is_not_made_unsound() -> None:
    base = '<div class="all"><p><span class="t">x</span></p></div>'
    theirs = '<div class="all"><p><span class="t"><a href="/1">x</a></span></p></div>'
    yours = '<div class="all"><a href="/2"><span class="t">x</span></a></div>'

    with pytest.raises(SamePlace):
        both(theirs, yours, base)
