"""Addresses: what may stand in a link, a picture and a frame (H1, H3, B10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landyard_landing.addresses import (
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
    [
        "https://example.org/a?b=c&d=e#f",
        "http://example.org",
        "//example.org/x",
        "/a/b",
        "a/b:c",
        "?a=b:c",
        "",
        "#contacts",
        "#landing12",
        "page:#about",
        "page:12",
        "block:#block12",
        "mailto:a@example.org?subject=Hi",
        "tel:+49 30 123",
        "sms:+49",
        "tg://resolve?domain=x",
        "viber://chat?number=1",
        "whatsapp://send?text=x",
        "skype:name?call",
        "HTTPS://EXAMPLE.ORG",
    ],
)
def test_H1_a_harmless_link_stays_as_it_is(address: str) -> None:
    assert link_address(address) == address


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "\x01javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\r\nscript:alert(1)",
        "\ufeffjavascript:alert(1)",
        "java\u200bscript:alert(1)",
        "javascript&colon;alert(1)",
        "javascript&#58;alert(1)",
        "java&#9;script:alert(1)",
        "&#1;javascript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "data:image/png;base64,AA==",
        "blob:https://example.org/1",
        "file:///etc/passwd",
        "ftp://example.org",
        "unknown:x",
        "page:javascript:alert(1)",
        "page://x",
    ],
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
    [
        ("/a b.png", "/a%20b.png"),
        ("/a');x:url('b", "/a%27%29;x:url%28%27b"),
        ('/a"<>\\', "/a%22%3C%3E%5C"),
        ("data:image/png;base64,AA+/==", "data:image/png;base64,AA+/=="),
        ("data:image/svg+xml;base64,AA==", None),
        ("data:text/html,x", None),
        ("javascript:x", None),
        ("mailto:x", None),
        ("#", "#"),
    ],
)
def test_H1_a_picture_address_cannot_end_its_quotes(address: str, expected: str | None) -> None:
    assert media_address(address) == expected


@pytest.mark.rule("H1")
@given(st.text(max_size=30))
def test_H1_no_picture_address_holds_what_ends_a_url(address: str) -> None:
    assert not set(media_address(address) or "") & set("\"'()<>\\ \t\n\r\x00")


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://other.org/a.png", "https://other.org/a.png"),
        ("HTTP://other.org/a.png", "https://other.org/a.png"),
        ("http://example.org/a.png", "http://example.org/a.png"),
        ("http://EXAMPLE.org?x", "http://EXAMPLE.org?x"),
        ("http://127.0.0.1:8000/a.png", "http://127.0.0.1:8000/a.png"),
        ("http://127.0.0.1/a.png", "https://127.0.0.1/a.png"),
        ("http://example.org.evil.net/a", "https://example.org.evil.net/a"),
        ("//other.org/a.png", "//other.org/a.png"),
        ("/a.png", "/a.png"),
    ],
)
def test_B10_http_pictures_become_https_unless_our_own(address: str, expected: str) -> None:
    assert picture_address(address, OWN) == expected


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("//video.example/embed/1?a=b&c=d", "https://video.example/embed/1?a=b&c=d"),
        ("https://video.example/embed/1", "https://video.example/embed/1"),
        ("HTTPS://video.example:8443", "HTTPS://video.example:8443"),
        ("https://93.184.216.34/x", "https://93.184.216.34/x"),
    ],
)
def test_H3_foreign_https_frames_are_taken(address: str, expected: str) -> None:
    assert embed_address(address, OWN) == expected


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    "address",
    [
        "http://video.example/",
        "/embed/1",
        "embed/1",
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "https:video.example",
        "https:///video.example",
        "https:\\\\video.example",
        "https://example.org/",
        "https://EXAMPLE.org/",
        "https://example.org./",
        "https://example.org:8443/",
        "//example.org/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://ok.example@example.org/",
        "https://example.org@ok.example/",
        "https://ok.example\\@example.org/",
        "https://ex\uff41mple.org/",
        "https://ex%61mple.org/",
        "https://[::1]/",
        "https://",
    ],
)
def test_H3_own_and_doubtful_frames_are_refused(address: str) -> None:
    assert embed_address(address, OWN) is None


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("host", "taken"),
    [
        ("www.video.example", True),
        ("WWW.VIDEO.EXAMPLE", True),
        ("video.example", False),
        ("x.www.video.example", False),
        ("www.video.example.evil.net", False),
    ],
)
def test_H3_listed_hosts_narrow_the_frames(host: str, taken: bool) -> None:
    hosts = frozenset({"www.video.example"})

    assert (embed_address(f"https://{host}/", OWN, hosts) is not None) is taken


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("address", "query", "expected"),
    [
        ("/a", "x=1", "/a?x=1"),
        ("/a?b=c", "x=1", "/a?b=c&x=1"),
        ("/a?", "x=1", "/a?x=1"),
        ("/a?b=c&", "?x=1", "/a?b=c&x=1"),
        ("/a?b=c#d?e", "&x=1", "/a?b=c&x=1#d?e"),
        ("#d", "x=1", "?x=1#d"),
        ("", "x=1", "?x=1"),
        ("/a", "", "/a"),
        ("/a", 'x=a b#c"<>', "/a?x=a%20b%23c%22%3C%3E"),
        ("/a", "x=%20&y=\u00fc", "/a?x=%20&y=%C3%BC"),
        ("mailto:a@example.org", "subject=x", "mailto:a@example.org?subject=x"),
        ("page:#about", "x=1", "page:#about"),
        ("tel:+49", "x=1", "tel:+49"),
    ],
)
def test_B10_a_query_joins_the_query_string(address: str, query: str, expected: str) -> None:
    assert with_query(address, query) == expected
