"""Spelling: typed text is stored in one Unicode form, and normalising it again changes nothing."""

# ruff: noqa: RUF001 - letters that look alike are what is told apart here

from unicodedata import normalize

from hypothesis import example, given
from hypothesis import strategies as st
from tables import for_each

from landyard import fold, plain_digits, spellings, spelt


@given(text=st.text())
@example(text="a\u200c\u200dé")
@example(text="\u212a\u200dé")
@example(text="a\u200d\u0301")
def test_normalised_text_is_unchanged_by_normalising(text: str) -> None:
    once = spelt(text)

    assert spelt(once) == once == normalize("NFC", once)
    assert plain_digits(plain_digits(text)) == plain_digits(text)
    assert once in spellings(text)


def test_many_accents_take_little_time() -> None:
    texts = ["a" + "\u0301\u0323" * 50_000, "\u3099\u093c" * 50_000]

    assert [len(spelt(text)) < 40 for text in texts] == [True, True]
    assert all(len(fold(text)) < 40 for text in texts)
    assert fold("a" + "\u0301\u0323" * 50_000) == "a"


@for_each(
    "text, seen",
    [
        ("cafe\u0301", "café"),
        ("\u202d12\u202c", "12"),
        ("a\u00a0b\u2003c", "a b c"),
        ("so\u00adft", "soft"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("a\u200cb", "ab"),
    ],
)
def test_invisible_characters_are_removed(text: str, seen: str) -> None:
    assert spelt(text) == seen


@for_each(
    "text, plain",
    [
        ("٢٠٢٧-٠٥-٠١", "2027-05-01"),
        ("۱۲३४５", "12345"),
        ("1\u20132\u22123\u20114", "1-2-3-4"),
        ("\uff0b\uff14\uff14", "+44"),
    ],
)
def test_digits_and_dashes_become_plain(text: str, plain: str) -> None:
    assert plain_digits(text) == plain
