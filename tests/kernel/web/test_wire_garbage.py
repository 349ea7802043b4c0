"""Unreadable requests get an envelope with a fitting code, never a 5xx (C3, C11, C13).

Bodies, one by one, are in `contract/test_bodies.py`.
"""

from collections.abc import Iterator

import pytest
from contract.bodies import FORM, MULTIPART, nested, nested_objects
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.sample import CALL, sample_service

from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming

GIVEN = f"{CALL}sample.given"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


def invalid(answer: Answer) -> bool:
    assert set(answer.body) == {"error", "error_description"}
    return (answer.status, answer.error) == (400, "INVALID_REQUEST")


@pytest.mark.rule("C3")
@pytest.mark.parametrize("body", [nested(64), nested_objects(64)])
def test_C3_64_levels_are_not_too_deep(service: Service, body: bytes) -> None:
    assert service.send(Incoming("POST", GIVEN, body=body)).status == 200


@pytest.mark.rule("C3")
def test_C3_many_brackets_side_by_side_are_not_deep(service: Service) -> None:
    body = b'{"a": [' + b"[[]]," * 1000 + b'"[[[[[[[["]}'

    assert service.send(Incoming("POST", GIVEN, body=body)).status == 200


@pytest.mark.rule("C3")
@pytest.mark.parametrize("verb", ["PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "", "post"])
def test_C3_other_http_methods_are_refused(service: Service, verb: str) -> None:
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
@settings(max_examples=120)
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
