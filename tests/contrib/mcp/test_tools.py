"""Which methods are tools for which caller, and how each tool is described."""

import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from conftest import MakeService
from contract.worlds import VIEWER, one_page, user, webhook_of
from contrib.mcp.clients import BASE, basic, bearer, in_process, talk
from contrib.mcp.polls import LONG, plugins
from mcp import Client

from landyard.testing import WEBHOOK, Service

TAKEN = re.compile(r"[A-Za-z0-9_-]{1,48}")
SCOPES = ["landing", "user", "admin", "poll"]
TOKENS: list[Any] = [
    {"user": 1, "token": f"token-for-{scope}-0123456789", "scopes": [scope]} for scope in SCOPES
]
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    world = one_page() | {"tokens": TOKENS}
    world["webhooks"][0]["scopes"] = ["landing", "admin"]
    return make_service(world=world, plugins={"on": ["mcp"]}, public_base=BASE)


@pytest.fixture
def poll(make_service: MakeService) -> Service:
    world = {
        "users": [{"id": 1, "name": "Ann"}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["poll"]}],
    }
    return make_service(plugins(), world=world, public_base=BASE)


def tools(service: Service, scope: str = "", query: str = "") -> dict[str, Any]:
    async def story(client: Client) -> Any:
        return (await client.list_tools()).tools

    sent = bearer(f"token-for-{scope}-0123456789") if scope else basic()
    listed = talk(in_process(service), story, query=query, authorization=sent)
    return {each.name: each for each in listed}


def test_a_token_is_offered_the_tools_of_its_scopes(service: Service) -> None:
    landing, user = tools(service, "landing"), tools(service, "user")

    assert {each.partition("-")[0] for each in landing} == {"landing", "landyard", "profile"}
    assert user.keys() < landing.keys()
    assert "profile" in user
    assert not any(each.startswith("landing") for each in user)
    assert 40 < len(landing) < 80
    text = sum(len(each.model_dump_json(exclude_none=True)) for each in landing.values())
    assert text < 80_000  # a model reads all of them


def test_methods_for_administrators_and_rare_ones_are_tools_where_an_address_names_them(
    service: Service,
) -> None:
    asked = "?methods=landyard.user.*,landing.repo.getlist"

    assert "landyard-user-list" not in tools(service, "admin")
    assert [*tools(service, "admin", asked)] == [
        f"landyard-user-{name}" for name in ("add", "list", "revoke", "update")
    ]
    assert [*tools(service, "landing", asked)] == ["landing-repo-getList"]


def test_deprecated_methods_are_tools_where_an_address_names_them(poll: Service) -> None:
    assert "poll-old" not in tools(poll)
    assert [*tools(poll, query="?methods=poll.old")] == ["poll-old"]


def test_an_address_may_ask_for_reading_methods_alone(service: Service) -> None:
    reading = tools(service, "landing", "?read_only=1")

    assert "landing-block-getlist" in reading
    assert all(each.annotations.read_only_hint for each in reading.values())


def test_a_method_excluded_by_the_operator_is_no_tool(make_service: MakeService) -> None:
    service = make_service(
        world=one_page() | {"tokens": TOKENS},
        plugins={"on": ["mcp"]},
        mcp={"left_out": ["landing.*", "profile"]},
        public_base=BASE,
    )

    found = tools(service, "landing")
    assert "landyard-theme-get" in found
    assert not {each for each in found if each.startswith(("landing", "profile"))}


def test_each_tool_has_a_name_that_clients_accept_and_a_valid_schema(
    service: Service,
) -> None:
    found = tools(service, query="?methods=*")

    assert len(found) > 150
    for name, tool in found.items():
        assert TAKEN.fullmatch(name), name
        assert tool.title.replace(".", "-") == name
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["type"] == "object"
        assert "$ref" not in str(tool.input_schema)


def test_examples_of_methods_match_the_schemas_of_their_tools(service: Service) -> None:
    found = {each.title: each for each in tools(service, query="?methods=*").values()}

    examined = 0
    for method in service.kernel.methods:
        if method.example is not None and method.name in found:
            jsonschema.validate(method.example.params, found[method.name].input_schema)
            examined += 1
    assert examined > 100


def test_hints_follow_from_the_declaration_of_the_method(poll: Service) -> None:
    hints = {
        name: [
            *(tool.annotations.read_only_hint, tool.annotations.destructive_hint),
            *(tool.annotations.idempotent_hint, tool.annotations.open_world_hint),
        ]
        for name, tool in tools(poll).items()
        if name.startswith("poll")
    }

    assert hints == {
        "poll-add": [False, False, False, False],
        "poll-export": [True, False, True, False],
        "poll-grow": [True, False, True, False],
        "poll-hang": [True, False, True, False],
        "poll-send": [False, True, False, True],
        "poll-vote": [False, True, False, False],
        next(each for each in hints if "what" in each): [True, False, True, False],
    }


def test_a_long_name_is_shortened_to_the_length_that_clients_accept(poll: Service) -> None:
    [name] = tools(poll, query=f"?methods={LONG}")

    assert TAKEN.fullmatch(name)
    assert name.startswith("poll-what-a-plugin-may-call-")


def test_a_writing_tool_accepts_a_dry_run_and_a_key_and_says_so(poll: Service) -> None:
    found = tools(poll)
    options = {
        name: [*found[f"poll-{name}"].input_schema["properties"]]
        for name in ("vote", "send", "export")
    }

    assert options == {
        "vote": ["dry_run", "idempotency_key", "choice"],
        "send": ["idempotency_key"],
        "export": ["choice"],
    }
    assert "dry_run" in found["poll-vote"].description
    assert "Writes at once" in found["poll-send"].description


def test_a_plugin_that_is_switched_off_takes_its_tools_with_it(service: Service) -> None:
    assert "landing-block-updatenodes" in tools(service)
    service.result("landyard.plugin.disable", name="blocks")
    service.kernel.lifecycle.refresh()

    assert "landing-block-updatenodes" not in tools(service)


def test_a_user_who_may_only_view_is_offered_the_same_tools(make_service: MakeService) -> None:
    """Rights belong to sites, so only the call itself can decide whether it is allowed."""
    viewer = user(VIEWER, sites_access=True, rights={"*": ["view"]})
    world = one_page()
    world["users"].append(viewer)
    world["webhooks"].append({"user": VIEWER, "code": webhook_of(VIEWER), "scopes": ["landing"]})
    service = make_service(world=world, plugins={"on": ["mcp"]}, public_base=BASE)

    async def story(client: Client) -> Any:
        sent = {"lid": 10, "block": 100, "data": {".title": "New"}}
        listed = {each.name for each in (await client.list_tools()).tools}
        return listed, await client.call_tool("landing-block-updatenodes", sent)

    sent = basic(VIEWER, webhook_of(VIEWER))
    listed, answer = talk(in_process(service), story, authorization=sent)
    assert "landing-block-updatenodes" in listed
    assert (answer.is_error, answer.structured_content["error"]) == (True, "ACCESS_DENIED")
