"""`addblock` and `copyblock`: the place and the content of the new block (B1, H2)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import CODE, HTML, MANIFEST, PAGE, everything, stored
from plugins.blocks.drafts import (
    ADD,
    COPY,
    FAR,
    ONE,
    OTHER,
    THREE,
    TWO,
    add,
    do,
    draft,
    ids,
    order,
    two_pages,
)

from landyard.testing import Service


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=two_pages())


def test_a_block_is_added_first_or_after_the_named_one(service: Service) -> None:
    first, last = add(service), add(service, AFTER_ID=THREE)
    inside = add(service, AFTER_ID=str(ONE))
    unknown = add(service, AFTER_ID=FAR)

    assert ids(service) == [unknown, first, ONE, inside, TWO, THREE, last]
    sorts = [sort for sort, _ in order(service)]
    assert [sort - sorts[0] for sort in sorts] == [500 * at for at in range(7)]


def test_equal_sorts_are_spread_to_make_room(make_service: MakeService) -> None:
    world = two_pages()
    for each in world["pages"][0]["blocks"]:
        each["sort"] = 7
    service = make_service(world=world)

    added = add(service, AFTER_ID=ONE)

    assert order(service) == [(500, ONE), (1000, added), (1500, TWO), (2000, THREE)]


@pytest.mark.rule("B14")
def test_B14_an_addition_is_one_entry_unless_the_caller_prevents_it(service: Service) -> None:
    added = add(service)
    service.result(ADD, {"lid": PAGE, "fields": {"CODE": CODE}, "preventHistory": "Y"})

    (entry,) = stored(service, "landing_history")
    assert (entry["block_id"], entry["method"], entry["before"]) == (added, ADD, {"block": None})


@pytest.mark.rule("B1")
def test_B1_the_published_page_does_not_change(service: Service) -> None:
    before = stored(service, "landing_block", public=True)

    add(service)

    assert stored(service, "landing_block", public=True) == before


@pytest.mark.rule("H1", "H2")
def test_H2_content_goes_through_the_policy(service: Service) -> None:
    hostile = "<section><h2 onclick='x()'>Hi</h2><script>x()</script><a href='javascript:x'>y</a>"

    added = draft(service, add(service, CONTENT=hostile, ACTIVE="N"))

    assert added["content"] == "<section><h2>Hi</h2><a>y</a></section>"
    assert added["active"] is False or added["active"] == 0


def test_without_content_a_block_gets_the_html_of_its_type(service: Service) -> None:
    added = draft(service, add(service))

    assert (added["content"], added["anchor"], bool(added["active"])) == (HTML, None, True)
    assert draft(service, add(service, CODE="ly.text"))["code"] == "ly.text"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "BLOCK_CANT_BE_ADDED"),
    ({"CODE": ""}, "BLOCK_CANT_BE_ADDED"),
    ({"CODE": ["ly.text"]}, "BLOCK_CANT_BE_ADDED"),
    ({"CODE": "no.such"}, "BLOCK_CANT_BE_ADDED"),
    ({"CODE": "for.stores"}, "BLOCK_CANT_BE_ADDED"),
    ({"CODE": "ly.text", "CONTENT": ""}, "BLOCK_NOT_FOUND"),
    ({"CODE": "ly.text", "CONTENT": "<script>x</script>"}, "BLOCK_NOT_FOUND"),
    ({"CODE": "for.empty"}, "BLOCK_NOT_FOUND"),
]


def test_a_refused_addition_leaves_no_trace(make_service: MakeService) -> None:
    stores = {**MANIFEST, "code": "for.stores", "manifest": {"block": {"type": "store"}}}
    empty = {**MANIFEST, "code": "for.empty", "content": ""}
    service = make_service(world=two_pages(manifests=[MANIFEST, stores, empty]))
    before = everything(service)

    answers = [service.call(ADD, {"lid": PAGE, "fields": fields}) for fields, _ in REFUSED]

    assert [answer.error for answer in answers] == [code for _, code in REFUSED]
    assert everything(service) == before


def test_RETURN_CONTENT_answers_the_block(service: Service) -> None:
    fields = {"CODE": CODE, "CONTENT": "<p>x</p>", "RETURN_CONTENT": "Y"}
    shown = service.result(ADD, {"lid": PAGE, "fields": fields})

    assert (shown["anchor"], shown["active"], shown["access"]) == (f"b{shown['id']}", True, "X")
    assert shown["content"].startswith(f'<div id="block{shown["id"]}" data-id="{shown["id"]}"')
    assert ids(service)[0] == shown["id"]

    copied = do(service, "copyblock", TWO, params={"RETURN_CONTENT": "Y"}).result
    assert (copied["result"], copied["content"]["anchor"]) == (
        True,
        f"b{copied['content']['id']}",
    )


def test_a_copy_is_added_last_or_after_the_named_one(service: Service) -> None:
    last = do(service, "copyblock", ONE).result
    inside = do(service, "copyblock", FAR, params={"AFTER_ID": ONE}).result
    published = do(service, "copyblock", 201, OTHER).result

    assert ids(service) == [ONE, inside, TWO, THREE, last]
    assert ids(service, OTHER) == [FAR, published]
    kept = ("code", "content", "params", "active", "policy")
    assert [draft(service, last)[name] for name in kept] == [
        draft(service, ONE)[name] for name in kept
    ]
    assert draft(service, published)["anchor"] is None


@pytest.mark.rule("R2")
def test_R2_an_invisible_block_is_not_copied(make_service: MakeService) -> None:
    world = two_pages(sites=[{"id": 8, "code": "b", "type": "KNOWLEDGE"}])
    world["pages"][1]["site"] = 8
    service = make_service(world=world)
    before = everything(service)

    answers = [do(service, "copyblock", each).error for each in (FAR, 99_999, 0)]

    assert answers == ["BLOCK_NOT_FOUND"] * 3
    assert service.call(COPY, {"lid": OTHER, "block": FAR}).error == "LANDING_NOT_EXIST"
    assert everything(service) == before
