"""Descriptions match behaviour: examples, documented calls, and answers of every kind."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from conftest import MakeService
from contract.documents import (
    METHODS,
    OPENAPI,
    SWITCHED_ON,
    body_of,
    check,
    every_method,
    operation,
    responses,
)
from contract.worlds import PAGE, VIEWER, as_user, everything
from contrib.oauth.flow import call, let_in
from corpora import read_data
from tables import for_each

from landyard import ADMIN, Method, WrongType
from landyard.plugin_host.readers import (
    read_boolean,
    read_id,
    read_ids,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_text,
    read_truthy,
)
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_describe.parameter_types import SCHEMAS
from landyard_sitekit.demo import DEMO, SCOPES, USER

DOCUMENTED: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parent / "documented.json").read_bytes()
)["methods"]
BY_NAME = {method.name: method for method in METHODS}

# ---------------------------------------------------------------- examples

OPERATOR = "test-webhook-of-an-operator"
DEMO_WORLD = {
    **msgspec.json.decode(DEMO.world),
    "webhooks": [
        {"user": USER, "code": WEBHOOK, "scopes": list(SCOPES)},
        {"user": USER, "code": OPERATOR, "scopes": [ADMIN, "console"]},
    ],
}
UNDONE = "5f2c0a917b3e"
"""The id of the call that the example of `landyard.call.undo` undoes."""
VARIES: dict[str, tuple[str, ...]] = {
    "app.info": ("CODE",),
    "batch": ("result_time",),
    "landing.block.getbyid": ("DATE_CREATE", "DATE_MODIFY"),
    "landing.block.getlist": ("DATE_CREATE", "DATE_MODIFY"),
    "landing.block.uploadfile": ("src",),
    "landyard.call.undo": ("id",),
    "landyard.draft.share": ("url", "expires"),
    "landyard.file.replace": ("pages",),
    "landyard.health.get": (
        *("well", "wrong", "version", "database", "database_seconds", "disk_free", "pools"),
    ),
    "landyard.job.list": ("result",),
    "landyard.limit.list": ("counted",),
    "landyard.method.list": ("result",),
    "landyard.plugin.get": ("version", "methods", "calls", "p95"),
    "landyard.plugin.list": ("result",),
    "landyard.setting.list": ("result",),
    "landyard.subscriber.list": ("result",),
    "landyard.template.preview": ("result",),
    "landyard.token.add": ("id", "token"),
    "landyard.token.rotate": ("id", "token", "replaced_until"),
    "landyard.webhook.add": ("id", "address"),
    "landyard.webhook.list": ("result",),
    "landyard.webhook.rotate": ("id", "address", "replaced_until"),
    "server.time": ("result",),
    "user.current": ("LAST_ACTIVITY_DATE",),
}
"""The keys of an example's result that differ from call to call, or from service to service."""


SAVED = {
    "event.get": "event.bind",
    "event.unbind": "event.bind",
    "landing.landing.unFavoriteBlock": "landing.landing.favoriteBlock",
    "landyard.call.undo": "landing.landing.favoriteBlock",
    "landyard.file.replace": "landing.block.uploadfile",
    "landyard.picture.update": "landing.block.uploadfile",
    "landyard.redirect.list": "landyard.redirect.add",
    "landyard.token.revoke": "landyard.token.add",
    "landyard.token.rotate": "landyard.token.add",
    "landyard.token.update": "landyard.token.add",
    "landyard.user.revoke": "landyard.user.add",
}
"""The method to call first, for a method that needs an existing row."""

TWICE = {"landyard.file.replace"}
"""The methods of `SAVED` whose examples call the first method twice."""


def settings_of(name: str) -> dict[str, Any]:
    return {"plugins": SWITCHED_ON} if BY_NAME[name].plugin == "apps" else {}


def caller(
    service: Service, name: str, user: int = 1, webhook: str = WEBHOOK
) -> Callable[[str, Any], Answer]:
    """A function that calls a method with the right credentials: methods of apps need an app's
    token.
    """
    if BY_NAME[name].plugin != "apps":

        def ask(method: str, params: Any) -> Answer:
            if method != SAVED["landyard.call.undo"]:
                return service.call(method, params, user=user, webhook=webhook)
            # The example names the id of the call that it undoes; a client may choose that id.
            body, path = msgspec.json.encode(params), f"/{user}/{webhook}/{method}.json"
            return service.send(Incoming("POST", path, body=body, id=UNDONE))

        return ask
    token = let_in(service, user)
    return lambda method, params: call(service, token, method, **params)


def webhook_for(method: Method) -> str:
    return OPERATOR if method.scope in (ADMIN, "console") else WEBHOOK


def settled(value: Any, varies: tuple[str, ...]) -> Any:
    """A result in which each varying value is replaced by the name of its type."""
    match value:
        case dict():
            return {
                key: type(item).__name__ if key in varies else settled(item, varies)
                for key, item in value.items()
            }
        case list():
            return [settled(item, varies) for item in value]
    return value


@every_method
def test_an_example_called_in_the_demo_gives_its_result(
    make_service: MakeService, method: Method
) -> None:
    assert method.example is not None
    varies = VARIES.get(method.name, ())
    service = make_service(world=DEMO_WORLD, **settings_of(method.name))
    service.kernel.lifecycle.write_report()  # as a server does, so that methods are found by name
    ask = caller(service, method.name, USER, webhook_for(method))

    if earlier := BY_NAME.get(SAVED.get(method.name, "")):
        assert earlier.example is not None
        same = webhook_for(earlier) == webhook_for(method)
        before = ask if same else caller(service, method.name, USER, webhook_for(earlier))
        for _ in range(1 + (method.name in TWICE)):
            assert before(earlier.name, earlier.example.params).status == 200
    result = ask(method.name, method.example.params).result

    expected = {"result": method.example.result}
    assert settled({"result": result}, varies) == settled(expected, varies)


# ------------------------------------------------------- the platform's documented calls


@for_each("name", sorted(DOCUMENTED))
def test_the_documented_call_fits(name: str) -> None:
    described = operation(BY_NAME[name])
    documented = DOCUMENTED[name]

    check(body_of(described["requestBody"]), documented["request"])
    check(body_of(described["responses"]["200"]), documented["answer"])
    check(body_of(responses(BY_NAME[name])[400]), documented["failure"])


# ------------------------------------------------------------- what is answered

HTML = (
    '<section class="landing-block"><h2 class="title">Old</h2>'
    '<div class="card">One</div><div class="card">Two</div></section>'
)
MANIFEST = {
    "code": "test.small",
    "name": "Small",
    "content": HTML,
    "css": ["/assets/a.css"],
    "manifest": {
        "nodes": {".title": {"type": "text"}},
        "attrs": {".title": [{"attribute": "title"}]},
        "cards": {".card": {"name": "Card"}},
    },
}
SMALL = read_data(__file__, "SMALL", dict[str, Any])
CALLS = read_data(__file__, "CALLS", dict[str, dict[str, Any]])
with_calls = pytest.mark.parametrize("name", sorted(CALLS))


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The document whose answer schemas allow no key that they do not list."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(OPENAPI))
    for each in document["components"]["schemas"].values():
        if "properties" in each:
            each["additionalProperties"] = False
    return document


CLOSED = closed(OPENAPI)


def test_there_is_a_call_of_every_method() -> None:
    assert set(CALLS) == set(BY_NAME)


@with_calls
def test_an_answer_matches_its_schema_and_has_no_other_key(
    make_service: MakeService, name: str
) -> None:
    service = make_service(world=SMALL, **settings_of(name))
    service.kernel.lifecycle.write_report()
    ask = caller(service, name)
    if name in SAVED:
        assert ask(SAVED[name], CALLS[SAVED[name]]).status == 200
    answer = ask(name, CALLS[name])

    assert answer.status == 200
    check(body_of(responses(BY_NAME[name], CLOSED)[200]), answer.body, CLOSED)


@pytest.fixture(scope="module")
def refusing() -> Iterator[Service]:
    """A service for calls that do not change it."""
    with Service(world=SMALL) as service:
        yield service


@for_each("name", sorted(CALLS))
@pytest.mark.parametrize(
    "send",
    [
        lambda service, name: service.call(name, {}),
        lambda service, name: service.call(name, CALLS[name], **as_user(VIEWER)),
        lambda service, name: service.call(name, CALLS[name], webhook="nobodys-webhook-01234567"),
    ],
    ids=["without parameters", "without the right", "without a webhook"],
)
def test_a_refusal_matches_its_schema(
    refusing: Service, name: str, send: Callable[[Service, str], Any]
) -> None:
    answer = send(refusing, name)

    check(body_of(responses(BY_NAME[name], CLOSED)[answer.status]), answer.body, CLOSED)


@for_each("name", [each.name for each in METHODS if each.scope == ADMIN])
def test_a_method_for_administrators_refuses_others(refusing: Service, name: str) -> None:
    before = everything(refusing)

    answer = refusing.call(name, CALLS[name], **as_user(VIEWER))

    assert (answer.status, answer.error) == (403, "user_access_error")
    assert everything(refusing) == before


def test_a_wrong_answer_does_not_fit(refusing: Service) -> None:
    """Proves that the checks above can fail."""
    schema = body_of(responses(BY_NAME["landing.block.getlist"], CLOSED)[200])
    body = refusing.call("landing.block.getlist", lid=PAGE).body

    assert body["next"] == 50
    check(schema, body, CLOSED)
    wrongs: list[dict[str, Any]] = [
        *({"result": [{}]}, {"result": {}}, {"time": {}}, {"next": "50"}, {"more": 1}),
    ]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            check(schema, body | wrong, CLOSED)


# --------------------------------------------------------------- what is taken

VALUES: list[Any] = [
    *(True, False, 0, 1, -1, 12, 2, 12.0, 1.5, -0.5, 1e6, "", "0", "1", "12", "-3", "012", "1.5"),
    *("1e3", " 7 ", "12abc", "x", "Y", "y", "N", "yes", "No", "ON", "off", "TRUE", "fAlse", "2"),
    *("[]", "null", "nan", "-", [], [1], ["1"], [1, "2"], ["x"], [[1]], {}, {"a": 1}, "+1", "-0"),
]
READERS = {
    "WholeNumber": read_integer,
    "DecimalNumber": read_number,
    "Flag": read_boolean,
    "PlainText": read_text,
    "AnyObject": read_object,
    "AnyList": read_list,
    "Id": lambda value, name: _named(read_id(value, name)),
    "Ids": lambda value, name: [_named(each) for each in read_ids(value, name) or (0,)],
    # It reads every value; the schema leaves out values with more than one meaning.
    "LooseFlag": lambda value, name: read_truthy(_scalar(value), name),
}


def _named(number: int) -> int:
    """Treat a value read as 0 as refused: 0 names no row and is never found."""
    if not number:
        raise WrongType
    return number


def _scalar(value: Any) -> Any:
    if isinstance(value, list | dict):
        raise WrongType
    return value


def takes(read: Callable[[Any, str], Any], value: Any) -> bool:
    try:
        read(value, "it")
    except WrongType:
        return False
    return True


def test_every_described_type_has_a_reader() -> None:
    apart = {"EmptyList", "File"}  # a schema cannot describe Base64
    assert set(READERS) == set(SCHEMAS) - apart


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_schema_accepts_exactly_the_values_that_the_reader_accepts(name: str) -> None:
    whole = {**SCHEMAS[name], "components": {"schemas": SCHEMAS}}
    validator = jsonschema.Draft202012Validator(whole)

    fit = [value for value in VALUES if validator.is_valid(value)]
    read = [value for value in VALUES if takes(READERS[name], value)]

    assert repr(fit) == repr(read)
    assert 0 < len(fit) < len(VALUES)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_password_that_is_no_text_is_a_type_error(make_service: MakeService) -> None:
    name = "landyard.password.set"
    service = make_service(world=DEMO_WORLD, **settings_of(name))
    ask = caller(service, name, USER, webhook_for(BY_NAME[name]))

    assert ask(name, {"user_id": USER, "password": [5]}).error == "TYPE_ERROR"
