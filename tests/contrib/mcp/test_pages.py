"""Pages as resources: which ones a caller finds, and their text."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import STRANGER, VIEWER, block, page, user, webhook_of, world
from contrib.mcp.clients import BASE, basic, error, in_process, talk
from mcp import Client

from landyard.testing import Service

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _text(text: str, number: int, **more: Any) -> Any:
    return block(number, content=f"<section><h2>{text}</h2><p>One <b>two</b></p></section>", **more)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    built = world(
        page(10, _text("Shown", 100, published_id=200), _text("Hidden", 101, active=False),
             title="Boats", active=True, published=True),
        page(11, *(_text(f"Block {number}", number) for number in range(1000, 1120))),
        *(page(number, title=f"Page {number}") for number in range(12, 300)),
        users=[
            user(VIEWER, sites_access=True, rights={"*": ["view"]}),
            user(STRANGER, sites_access=True),
        ],
    )  # fmt: skip
    built["webhooks"].append({"user": 1, "code": "code-of-no-scope-01", "scopes": []})
    return make_service(world=built, plugins={"on": ["mcp"]}, public_base=BASE)


def ask(service: Service, story: Any, user_id: int = 1, code: str = "") -> Any:
    sent = basic(user_id, code or webhook_of(user_id))
    return talk(in_process(service), story, authorization=sent)


async def listed(client: Client) -> list[str]:
    """List all resources, page by page."""
    found: list[str] = []
    cursor: str | None = None
    while not found or cursor:
        listing = await client.list_resources(cursor=cursor)
        found += [f"{each.uri} {each.title}" for each in listing.resources]
        cursor = listing.next_cursor
        if not listing.resources:
            break
    return found


async def read(client: Client, uri: str) -> str:
    [content] = (await client.read_resource(uri)).contents
    text: str = content.text  # type: ignore[union-attr]
    return text


def test_pages_are_listed_in_parts(service: Service) -> None:
    found = ask(service, listed)

    assert len(found) == len(set(found)) == 290
    assert found[0] == "landyard://pages/10 Boats"


@pytest.mark.parametrize(("user_id", "count"), [(VIEWER, 290), (STRANGER, 0)])
def test_pages_are_found_by_users_who_may_view_them(
    service: Service, user_id: int, count: int
) -> None:
    assert len(ask(service, listed, user_id)) == count


def test_a_draft_is_answered_with_ids_and_revisions_of_its_blocks(service: Service) -> None:
    text = ask(service, lambda it: read(it, "landyard://pages/10"))

    masked = re.sub(r"revision [0-9a-f]+\.\d+", "revision R", text)
    assert masked == (
        "# Boats\n\npage 10 (draft) http://testserver/site-7/page-10/\n\n"
        "[block 100; test.all; revision R]\n\n## Shown\n\nOne **two**\n\n"
        "[block 101; test.all; revision R; hidden]\n\n## Hidden\n\nOne **two**\n"
    )


def test_a_published_page_is_answered_as_visitors_see_it(service: Service) -> None:
    text = ask(service, lambda it: read(it, "landyard://pages/10/published"))

    assert "page 10 (published)" in text
    assert "[block 200; test.all]\n\n## Shown" in text
    assert "Hidden" not in text


def test_a_long_page_is_read_whole(service: Service) -> None:
    text = ask(service, lambda it: read(it, "landyard://pages/11"))

    assert len(re.findall(r"^\[block ", text, re.MULTILINE)) == 120


@pytest.mark.parametrize(
    "uri",
    [
        *("landyard://pages/999", "landyard://pages/0", "landyard://pages/x", "file:///etc/passwd"),
        *("landyard://pages/10/../11", "landyard://pages/99999999999999999999"),
        *("landyard://pages/\u0661", "landyard://sites/7"),
    ],
)
def test_an_address_that_is_no_page_is_no_resource(service: Service, uri: str) -> None:
    assert ask(service, lambda it: error(it.read_resource(uri))).code == -32602


def test_an_invisible_page_is_refused_with_its_code(service: Service) -> None:
    answer = ask(service, lambda it: error(it.read_resource("landyard://pages/10")), STRANGER)

    assert answer.data["error"] == "LANDING_NOT_EXIST"


def test_a_credential_without_the_scope_finds_nothing(service: Service) -> None:
    assert ask(service, listed, code="code-of-no-scope-01") == []
    story = lambda it: error(it.read_resource("landyard://pages/10"))  # noqa: E731
    assert ask(service, story, code="code-of-no-scope-01").code == -32602


@pytest.mark.parametrize("cursor", ["x", "-1", "1e3", "9999999999"])
def test_an_invalid_cursor_is_refused(service: Service, cursor: str) -> None:
    assert ask(service, lambda it: error(it.list_resources(cursor=cursor))).code == -32602


def test_resource_templates_describe_the_addresses_of_pages(service: Service) -> None:
    answer = ask(service, lambda it: it.list_resource_templates())

    assert [each.uri_template for each in answer.resource_templates] == [
        "landyard://pages/{id}",
        "landyard://pages/{id}/published",
    ]


def test_a_prompt_contains_the_persons_request(service: Service) -> None:
    query = {"page": "10", "wish": "a shorter title"}

    [message] = ask(service, lambda it: it.get_prompt("edit-page", query)).messages
    assert "page 10: a shorter title" in message.content.text
    assert ask(service, lambda it: error(it.get_prompt("edit-page", {"page": "10"}))).code == -32602
    assert ask(service, lambda it: error(it.get_prompt("other"))).code == -32602
    [prompt] = ask(service, lambda it: it.list_prompts()).prompts
    assert prompt.name == "edit-page"
