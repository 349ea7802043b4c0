"""Three-way merging of two edits of the same HTML: both changes are kept, or a conflict is
reported.
"""

import pytest

from landyard_html.merging import SamePlace, merge_html

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
    """Merge in both orders, which must give the same result."""
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
def test_both_changes_are_kept(theirs: str, yours: str, merged: str | None) -> None:
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
        (ordered(0, 2, 1), put(CARDS[1], "")),  # the moved card was removed
        # a card added after a removed one
        (ordered(2, 0), put(CARDS[1], CARDS[1] + "<li>new</li>")),
        ("<p>all of it</p>", put("A", "B")),
    ],
)
def test_changes_of_the_same_place_are_a_conflict(theirs: str, yours: str) -> None:
    with pytest.raises(SamePlace):
        both(theirs, yours)


@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        # each edit removed one of three identical cards
        ("<ul><li>1</li><li>1</li></ul>", "<ul><li>1</li><li>1</li></ul>"),
        ("<ul><li>1</li><li>1</li></ul>", "<ul><li>2</li><li>1</li><li>1</li></ul>"),
    ],
)
def test_changes_among_identical_cards_are_a_conflict(theirs: str, yours: str) -> None:
    base = "<ul><li>1</li><li>1</li><li>1</li></ul>"

    with pytest.raises(SamePlace):
        both(theirs, yours, base)


def test_valid_edits_with_an_invalid_merge_are_a_conflict() -> None:
    base = '<div class="all"><p><span class="t">x</span></p></div>'
    theirs = '<div class="all"><p><span class="t"><a href="/1">x</a></span></p></div>'
    yours = '<div class="all"><a href="/2"><span class="t">x</span></a></div>'

    with pytest.raises(SamePlace):
        both(theirs, yours, base)
