"""Requests that cannot be read: an envelope with a fitting code, never a 5xx (C3, C11, C13)."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.sample import CALL, sample_service

from landyard.testing import WEBHOOK, Answer, Service
from landyard.wire import Incoming

GIVEN = f"{CALL}sample.given"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


def invalid(answer: Answer) -> bool:
    assert set(answer.body) == {"error", "error_description"}
    return (answer.status, answer.error) == (400, "INVALID_REQUEST")


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """An object whose member is nested `depth` levels deep, the object itself counted."""
    return b'{"a": ' + opening * (depth - 1) + closing * (depth - 1) + b"}"


BODIES = {
    "not JSON": b"lid=12",
    "half of it": b'{"a": ',
    "two of them": b"{}{}",
    "a comma too many": b'{"a": 1,}',
    "a number": b"5",
    "a string": b'"x"',
    "null": b"null",
    "true": b"true",
    "a list": b"[1]",
    "a list of an object": b"[{}]",
    "invalid UTF-8": b'{"a": "\xff\xfe"}',
    "invalid UTF-8 in a key": b'{"\xc3\x28": 1}',
    "cut UTF-8": b'{"a": "\xe2\x82"}',
    "a lone surrogate": rb'{"a": "\ud800"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": [-Infinity]}',
    "NUL": rb'{"a": "x\u0000y"}',
    "NUL in a key": rb'{"a": {"\u0000": 1}}',
    "NUL in a list": rb'{"a": [[["\u0000"]]]}',
    "a raw NUL": b'{"a": "\x00"}',
    "100,000 lists deep": nested(100_000),
    "100,000 objects deep": nested(100_000, b'{"a":', b"}").replace(b":}", b":1}"),
    "100,000 open lists": b"[" * 100_000,
    "65 deep": nested(65),
    "5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "a binary": bytes(range(256)),
}


@pytest.mark.rule("C3")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("kind", ["application/json", ""])
def test_C3_unreadable_json(service: Service, body: bytes, kind: str) -> None:
    assert invalid(service.send(Incoming("POST", GIVEN, body=body, content_type=kind)))


@pytest.mark.rule("C3")
@pytest.mark.parametrize("body", [nested(64), nested(64, b'{"a":', b"}").replace(b":}", b":1}")])
def test_C3_64_levels_are_not_too_deep(service: Service, body: bytes) -> None:
    assert service.send(Incoming("POST", GIVEN, body=body)).status == 200


@pytest.mark.rule("C3")
def test_C3_many_brackets_are_not_deep(service: Service) -> None:
    body = b'{"a": [' + b"[[]]," * 1000 + b'"[[[[[[[["]}'

    assert service.send(Incoming("POST", GIVEN, body=body)).status == 200


FORMS = {
    "invalid UTF-8": b"a=%ff%fe",
    "raw invalid UTF-8": b"a=\xff",
    "invalid UTF-8 in a key": b"a[%c3%28]=1",
    "NUL": b"a=x%00y",
    "a raw NUL": b"a=x\x00y",
    "NUL in a key": b"a[%00]=1",
    "too deep": b"a" + b"[b]" * 65 + b"=1",
    "100,000 deep": b"a" + b"[b]" * 100_000 + b"=1",
    "too many": b"&".join(b"a%d=1" % index for index in range(10_001)),
}


@pytest.mark.rule("C3")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_C3_unreadable_forms(service: Service, form: bytes) -> None:
    assert invalid(service.send(Incoming("POST", GIVEN, body=form, content_type=FORM)))


@pytest.mark.rule("C3")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_C3_unreadable_queries(service: Service, form: bytes) -> None:
    assert invalid(service.send(Incoming("GET", GIVEN, query=form)))


PART = b'--XX\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
MULTIPARTS = {
    "no boundary in it": (b"a=1", MULTIPART),
    "no boundary given": (PART % (b"a", b"1") + b"--XX--\r\n", "multipart/form-data"),
    "another boundary": (PART % (b"a", b"1") + b"--XX--\r\n", "multipart/form-data; boundary=Y"),
    "no end": (PART % (b"a", b"1"), MULTIPART),
    "half a head": (b"--XX\r\nContent-Disp", MULTIPART),
    "no name": (b"--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n--XX--\r\n", MULTIPART),
    "no disposition": (b"--XX\r\n\r\n1\r\n--XX--\r\n", MULTIPART),
    "invalid UTF-8": (PART % (b"a", b"\xff") + b"--XX--\r\n", MULTIPART),
    "NUL": (PART % (b"a", b"x\x00") + b"--XX--\r\n", MULTIPART),
    "too deep": (PART % (b"a" + b"[b]" * 65, b"1") + b"--XX--\r\n", MULTIPART),
}


@pytest.mark.rule("C3")
@pytest.mark.parametrize(("body", "kind"), MULTIPARTS.values(), ids=MULTIPARTS.keys())
def test_C3_unreadable_multiparts(service: Service, body: bytes, kind: str) -> None:
    assert invalid(service.send(Incoming("POST", GIVEN, body=body, content_type=kind)))


@pytest.mark.rule("C3")
@pytest.mark.parametrize("verb", ["PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "", "post"])
def test_C3_other_verbs(service: Service, verb: str) -> None:
    assert invalid(service.send(Incoming(verb, GIVEN)))


@pytest.mark.rule("C5")
@pytest.mark.parametrize("text", ["9" * 30, "9" * 400, "-" + "9" * 30, "1e300"])
def test_C5_integers_beyond_64_bits_are_readable(service: Service, text: str) -> None:
    body = b'{"lid": %s, "block": 1, "data": {}, "ids": 1}' % text.encode()

    assert service.send(Incoming("POST", f"{CALL}sample.needs", body=body)).result["lid"] == 0


KINDS = st.sampled_from(["application/json", FORM, MULTIPART, "multipart/form-data", ""])
BYTES = st.binary(max_size=60) | st.lists(
    st.sampled_from(
        [b"a", b"[", b"]", b"=", b"&", b"%", b"%5B", b"0", b"9", b"\0", b"{", b'"', b":"]
    ),
    max_size=20,
).map(b"".join)
FORM_PARTS = st.lists(
    st.sampled_from(
        [b"--XX", b"\r\n", b"--", b'Content-Disposition: form-data; name="a"', b"a", b":"]
    ),
    max_size=14,
).map(b"".join)
PATHS = st.text(max_size=30) | st.lists(
    st.sampled_from(["/", "1", WEBHOOK, "sample.given", ".json", "\0", "%", "\ud800", "\u00e9"]),
    max_size=8,
).map("".join)


@pytest.mark.rule("C13")
@settings(max_examples=300)
@given(
    path=st.just(GIVEN) | PATHS,
    query=BYTES,
    body=BYTES | FORM_PARTS,
    kind=KINDS | st.text(st.characters(max_codepoint=255), max_size=40),
    authorization=st.sampled_from(["", "Bearer", "Bearer x", "Basic x"]) | st.text(max_size=12),
)
def test_C13_any_bytes_get_an_envelope(  # noqa: PLR0917 - a request has that many parts
    service: Service, path: str, query: bytes, body: bytes, kind: str, authorization: str
) -> None:
    answer = service.send(Incoming("POST", path, query, kind, authorization, body))

    assert answer.status < 500
    assert set(answer.body) in ({"error", "error_description"}, {"result", "time"})
