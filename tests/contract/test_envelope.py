"""Every reply of every installed method has exactly the contract's envelope (4.0 and 7)."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from contract.documents import installed
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import for_each

from landyard import Method
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_sitekit.demo import DEMO

TIME = {"start", "finish", "duration", "processing", "date_start", "date_finish", "operating"}
SYSTEM_CODES = {"INVALID_REQUEST"}


METHODS = installed()
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
all_methods = for_each("method", METHODS, ids=lambda method: method.name)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The demo's pages; an admin calls."""
    with Service() as service:
        service.kernel.load(DEMO.world)
        yield service


@pytest.fixture(scope="module")
def scopeless(service: Service) -> str:
    """A webhook without a scope."""
    code = "no-scope-at-all-0123456789"
    service.load({"webhooks": [{"user": 1, "code": code, "scopes": []}]})
    return code


def exact(method: Method, answer: Answer) -> bool:
    """Tell whether this is the envelope of a success or of an error that the method declares."""
    if answer.status != 200:
        declared = {error.code for error in method.errors} | SYSTEM_CODES
        named = {"argument"} if answer.error == "ERROR_ARGUMENT" else set()
        assert set(answer.body) == {"error", "error_description"} | named
        assert answer.error in declared
        assert answer.body["error_description"]
        return answer.status == 400
    assert set(answer.body) in ({"result", "time"}, {"result", "time", "next", "total"})
    extra = set() if method.general else {"operating_reset_at"}
    return set(answer.body["time"]) == TIME | extra


def wire_names(method: Method) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(method.params)]


def required(method: Method) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(method.params) if field.required]


@pytest.mark.rule("C8", "call: error")
@all_methods
def test_C8_a_call_without_parameters_gets_the_envelope(service: Service, method: Method) -> None:
    answer = service.call(method.name)

    assert exact(method, answer)
    if names := required(method):
        text = f"Not enough call parameters, missing: {', '.join(names)}"
        assert answer.body == {"error": "MISSING_PARAMS", "error_description": text}


@pytest.mark.rule("C7")
@all_methods
def test_C7_a_call_with_null_for_every_parameter_gets_the_envelope(
    service: Service, method: Method
) -> None:
    answer = service.call(method.name, dict.fromkeys(wire_names(method)))

    alone = OWN.get(method.name)  # methods that check a parameter themselves
    assert answer.error == ("MISSING_PARAMS" if required(method) else alone)


OWN = {
    "feature.get": "CODE_EMPTY",
    "landyard.task.drop": "MISSING_PARAMS",  # one of two parameters is required
    "landyard.task.retry": "MISSING_PARAMS",
}
SOMETHING: dict[str, Any] = {
    "lid": 10,
    "block": 101,
    "data": {".landing-block-node-title": "Title"},
    "selector": ".card@0",
    "fields": {"TITLE": "Title"},
    "siteId": 1,
    "code": "empty",
    "picture": ["a.png", "AAAA"],
}
GARBAGE = [True, -1, 0, 2**70, 1.5, "", "x", "12", " ", [], [[]], [1, "x"], {}]
GARBAGE += [{"a": {"b": [None]}}, "9" * 50, "'; DROP TABLE landing_page; --", "<script>", "../.."]


@pytest.mark.rule("C11", "call: error")
@all_methods
def test_C9_to_C11_a_call_with_one_wrong_parameter_gets_the_envelope(
    service: Service, method: Method
) -> None:
    good = {name: SOMETHING[name] for name in wire_names(method) if name in SOMETHING}

    inexact = [
        (name, wrong)
        for wrong in GARBAGE
        for name in wire_names(method)
        if not exact(method, service.call(method.name, {**good, name: wrong}))
    ]

    assert inexact == []


NO_BODIES = [b"{", b"[1]", b"null", b'"x"', b"\xff", b"\x00", b"[" * 1000, b'{"lid": "\\u0000"}']


@pytest.mark.rule("C3")
@all_methods
def test_C3_a_call_with_an_unreadable_body_gets_the_envelope(
    service: Service, method: Method
) -> None:
    path = f"/1/{WEBHOOK}/{method.name}"
    answers = [service.send(Incoming("POST", path, body=body)) for body in NO_BODIES]

    assert [answer.error for answer in answers] == ["INVALID_REQUEST"] * len(NO_BODIES)
    assert all(exact(method, answer) for answer in answers)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
VALUES = JSON | st.sampled_from([10, 101, [10, 11], {".landing-block-node-title": "x"}, "PAGE"])


@pytest.mark.rule("C11", "call: error")
@every_method
@settings(max_examples=4)
@given(data=st.data())
def test_C11_a_call_with_any_json_gets_the_envelope(
    service: Service, method: Method, data: st.DataObject
) -> None:
    assert exact(method, service.send(_posted(method, _anything(method, data))))


@pytest.mark.soak
@every_method
@settings(max_examples=200)
@given(data=st.data())
def test_C11_a_call_with_much_json_gets_the_envelope(
    service: Service, method: Method, data: st.DataObject
) -> None:
    assert exact(method, service.send(_posted(method, _anything(method, data))))


def _anything(method: Method, data: st.DataObject) -> dict[str, Any]:
    names = wire_names(method)
    return data.draw(st.dictionaries(st.sampled_from(names), VALUES)) if names else {}


def _posted(method: Method, sent: dict[str, Any]) -> Incoming:
    import json  # numbers of any size, as clients in other languages write them

    return Incoming("POST", f"/1/{WEBHOOK}/{method.name}", body=json.dumps(sent).encode())


@pytest.mark.rule("C13")
@all_methods
def test_C13_a_call_without_credentials_gets_the_envelope(service: Service, method: Method) -> None:
    answer = service.send(Incoming("POST", f"/{method.name}"))

    assert (answer.status, answer.error) == (401, "NO_AUTH_FOUND")
    assert set(answer.body) == {"error", "error_description"}


@pytest.mark.rule("C13", "call: permission scope")
@all_methods
def test_C13_a_call_without_the_scope_gets_the_envelope(
    service: Service, scopeless: str, method: Method
) -> None:
    answer = service.call(method.name, webhook=scopeless)

    assert (answer.error == "insufficient_scope") is not method.general
