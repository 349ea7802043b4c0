"""The addresses allowed in a link, a picture and a frame (H1, H3, B10)."""

from __future__ import annotations

import pytest
from corpora import read_data
from hypothesis import given
from hypothesis import strategies as st

from landyard_html.addresses import (
    embed_address,
    link_address,
    media_address,
    picture_address,
    with_query,
)

OWN = frozenset({"example.org", "127.0.0.1:8000"})


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "address",
    read_data(__file__, "H1 a harmless link stays as it is", list[str]),
)
def test_H1_a_harmless_link_is_unchanged(address: str) -> None:
    assert link_address(address) == address


@pytest.mark.rule("H1", "H3a")
@pytest.mark.parametrize(
    "address",
    read_data(__file__, "H1 any other scheme is refused", list[str]),
)
def test_H1_any_other_scheme_is_refused(address: str) -> None:
    assert link_address(address) is None


@pytest.mark.rule("H1")
@given(st.text(alphabet="javscript:JAVSCRIPT\t\n\r\x00\x0b &#;x3a/\\\u200b\ufeff", max_size=30))
def test_H1_no_spelling_makes_a_script(address: str) -> None:
    safe = link_address(address)

    if safe is not None:
        head = "".join(letter for letter in safe if letter > " ").lower()
        assert not head.startswith(("javascript:", "vbscript:"))
        assert link_address(safe) == safe


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("address", "expected"),
    read_data(__file__, "H1 a picture address cannot end its quotes", list[tuple[str, str | None]]),
)
def test_H1_a_picture_address_cannot_end_its_quotes(address: str, expected: str | None) -> None:
    assert media_address(address) == expected


@pytest.mark.rule("H1")
@given(st.text(max_size=30))
def test_H1_no_picture_address_contains_a_character_that_ends_a_url(address: str) -> None:
    assert not set(media_address(address) or "") & set("\"'()<>\\ \t\n\r\x00")


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("address", "expected"),
    read_data(__file__, "B10 http pictures become https unless our own", list[tuple[str, str]]),
)
def test_B10_http_pictures_become_https_unless_our_own(address: str, expected: str) -> None:
    assert picture_address(address, OWN) == expected


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("address", "expected"),
    read_data(__file__, "H3 foreign frames", list[tuple[str, str]]),
)
def test_H3_foreign_https_frames_are_allowed(address: str, expected: str) -> None:
    assert embed_address(address, OWN) == expected


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    "address",
    read_data(__file__, "H3 own and doubtful frames are refused", list[str]),
)
def test_H3_own_and_doubtful_frames_are_refused(address: str) -> None:
    assert embed_address(address, OWN) is None


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("host", "taken"),
    read_data(__file__, "H3 listed hosts", list[tuple[str, bool]]),
)
def test_H3_listed_hosts_narrow_the_frames(host: str, taken: bool) -> None:
    hosts = frozenset({"www.video.example"})

    assert (embed_address(f"https://{host}/", OWN, hosts) is not None) is taken


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("address", "query", "expected"),
    read_data(__file__, "B10 a query joins the query string", list[tuple[str, str, str]]),
)
def test_B10_a_query_is_appended_to_the_query_string(
    address: str, query: str, expected: str
) -> None:
    assert with_query(address, query) == expected
