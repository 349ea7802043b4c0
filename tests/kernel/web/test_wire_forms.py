"""The forms that a request may have on the wire (C2, C3)."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from corpora import read_data
from kernel.sample import CALL, sample_service
from tables import for_each

from landyard.testing import Service
from landyard.web.wire import Incoming

FORM = "application/x-www-form-urlencoded"
GIVEN = f"{CALL}sample.given"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


def given(service: Service, verb: str = "POST", **more: Any) -> Any:
    return service.send(Incoming(verb, GIVEN, **more)).result


PATHS = read_data(__file__, "PATHS", list[str])


@pytest.mark.rule("C2", "call: path of a webhook")
@pytest.mark.parametrize("path", PATHS)
def test_C2_spellings_of_a_path(service: Service, path: str) -> None:
    assert service.send(Incoming("POST", path)).result == {}


@pytest.mark.rule("C2")
@pytest.mark.parametrize("path", read_data(__file__, "NO_SPELLINGS", list[str]))
def test_C2_paths_that_are_no_spelling(service: Service, path: str) -> None:
    answer = service.send(Incoming("POST", path))

    assert (answer.status, answer.error) == (404, "ERROR_METHOD_NOT_FOUND")


FIELDS = read_data(__file__, "FIELDS", list[tuple[str, dict[str, Any]]])


@pytest.mark.rule("C3")
@for_each("text, fields", FIELDS)
def test_C3_fields_in_the_query(service: Service, text: str, fields: dict[str, Any]) -> None:
    assert given(service, "GET", query=text.encode()) == fields


@pytest.mark.rule("C3")
@for_each("text, fields", FIELDS)
@pytest.mark.parametrize("kind", [FORM, f"{FORM}; charset=UTF-8", FORM.upper()])
def test_C3_fields_in_the_body(
    service: Service, text: str, fields: dict[str, Any], kind: str
) -> None:
    assert given(service, body=text.encode(), content_type=kind) == fields


def multipart(*parts: tuple[str, str]) -> bytes:
    lines = [
        f"--XX\r\nContent-Disposition: form-data; {name}\r\n\r\n{text}" for name, text in parts
    ]
    return "\r\n".join([*lines, "--XX--\r\n"]).encode()


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    ("parts", "fields"), read_data(__file__, "MULTIPART", list[tuple[list[tuple[str, str]], Any]])
)
def test_C3_multipart(
    service: Service, parts: list[tuple[str, str]], fields: dict[str, Any]
) -> None:
    kind = "multipart/form-data; boundary=XX"

    assert given(service, body=multipart(*parts), content_type=kind) == fields


JSON_KINDS = read_data(__file__, "JSON_KINDS", list[str])


@pytest.mark.rule("C3")
@pytest.mark.parametrize("kind", JSON_KINDS)
def test_C3_a_body_of_an_unknown_content_type_is_read_as_json(service: Service, kind: str) -> None:
    body = b' {"a": {"b": [1, null, "x"]}} \n'

    assert given(service, body=body, content_type=kind) == {"a": {"b": [1, None, "x"]}}


@pytest.mark.rule("C3")
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b" \r\n\t", b" [ ] "])
@pytest.mark.parametrize("kind", ["application/json", ""])
def test_C3_bodies_that_count_as_the_empty_object(service: Service, body: bytes, kind: str) -> None:
    assert given(service, body=body, content_type=kind) == {}


@pytest.mark.rule("C3")
def test_C3_an_empty_form_is_the_empty_object(service: Service) -> None:
    assert given(service, body=b"", content_type="multipart/form-data") == {}


@pytest.mark.rule("C3")
def test_C3_of_duplicate_keys_the_last_wins(service: Service) -> None:
    assert given(service, body=b'{"a": 1, "b": {"c": 1, "c": 2}, "a": {"d": 3}}') == {
        "a": {"d": 3},
        "b": {"c": 2},
    }


@pytest.mark.rule("C3")
def test_C3_query_and_body_are_merged_and_the_body_wins(service: Service) -> None:
    body = b'{"a": 3, "c": {"y": 2}}'

    assert given(service, query=b"a=1&b=2&c[x]=1", body=body) == {"a": 3, "b": "2", "c": {"y": 2}}


@pytest.mark.rule("C3")
def test_C3_a_body_is_read_with_GET_too(service: Service) -> None:
    assert given(service, "GET", query=b"a=1", body=b'{"b": 2}') == {"a": "1", "b": 2}


@pytest.mark.rule("C15")
def test_C15_auth_is_no_parameter(service: Service) -> None:
    assert given(service, query=b"auth=q", body=b'{"auth": "b", "a": 1}') == {"a": 1}


@pytest.mark.rule("C3")
def test_C3_keys_may_contain_special_characters(service: Service) -> None:
    key = "[.node] & = % + #@\u00e9"
    text = f"data[{quote(key.replace('[', '(').replace(']', ')'))}]=1"

    assert given(service, "GET", query=text.encode()) == {
        "data": {key.replace("[", "(").replace("]", ")"): "1"}
    }


@pytest.mark.rule("C3")
def test_C3_reading_a_form_takes_time_in_proportion_to_its_size(service: Service) -> None:
    body = b"&".join(b"a[%d]=1" % index for index in range(4900))
    given(service, body=b"a=1", content_type=FORM)
    started = time.thread_time()

    given(service, body=body, content_type=FORM)

    # 60 kB. Reading them one by one takes about 30 ms, comparing all pairs 2 seconds.
    assert time.thread_time() - started < 1


@pytest.mark.rule("C3")
def test_C3_a_list_that_is_replaced_counts_from_the_start(service: Service) -> None:
    assert given(service, "GET", query=b"a[]=1&a=x&a[]=2") == {"a": ["2"]}


@pytest.mark.rule("C3")
def test_C3_json_under_the_type_of_forms_as_curl_sends_it(service: Service) -> None:
    assert given(service, content_type=FORM, body=b'{"a": {"b": 1}}') == {"a": {"b": 1}}
    cut = service.send(Incoming("POST", GIVEN, content_type=FORM, body=b'{"a": '))
    assert cut.error == "INVALID_REQUEST"
