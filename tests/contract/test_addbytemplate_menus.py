"""`landing.landing.addByTemplate`: links to the new page in menus (contract 4.6; P12, B14, B16)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.templates import (
    FOLDER,
    MENU,
    METHOD,
    add,
    ask,
    may,
    templates_world,
)
from contract.worlds import (
    HTML,
    MANIFEST,
    PAGE,
    World,
    as_user,
    block,
    draft_html,
    find,
    page,
    stored,
)
from corpora import read_cases

from landyard.testing import Service

LIST = ".menu-list"
NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)
PUBLISHED, DELETED, ELSEWHERE = 300, 301, 302


def _world(**more: Any) -> World:
    """The usual pages, and besides a published copy, a deleted block, and a menu on another
    page.
    """
    blocks = [
        block(303, published_id=PUBLISHED),
        block(DELETED, deleted=True),
        block(ELSEWHERE, active=False),
    ]
    return templates_world(pages=[page(30, *blocks), *more.pop("pages", [])], **more)


def _links(service: Service, block_id: int = MENU) -> list[tuple[str, str | None]]:
    links = find(draft_html(service, block_id), ".menu-list > .menu-item > .menu-link")
    return [(link.text, link.attr("href")) for link in links]


def _unchanged(service: Service, before: list[dict[str, Any]], page_id: int) -> bool:
    others = [row for row in stored(service, "landing_block") if row["page_id"] != page_id]
    return others == before and stored(service, "landing_history") == []


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=_world())


@pytest.mark.rule(
    "landing.landing.addByTemplate fields.BLOCK_ID",
    "landing.landing.addByTemplate fields.MENU_CODE",
    "P12",
    "B16",
)
@pytest.mark.parametrize("block_id", [MENU, ELSEWHERE])
def test_P12_a_named_menu_gets_a_link_at_its_end(service: Service, block_id: int) -> None:
    untouched = {MENU, ELSEWHERE} - {block_id}

    add(service, fields={"BLOCK_ID": block_id, "MENU_CODE": LIST})

    assert _links(service, block_id) == [("First", "/1"), ("Promo", "/site-7/promo/")]
    (item,) = find(draft_html(service, block_id), ".menu-item:last-child")
    assert item.inner_html == '<a class="menu-link" href="/site-7/promo/">Promo</a>'
    assert [draft_html(service, other) for other in untouched] == [HTML]


@pytest.mark.rule("landing.landing.addByTemplate fields.BLOCK_ID", "P12")
def test_P12_the_link_leads_to_the_page(make_service: MakeService) -> None:
    active = page(31, active=True, published=True, folder=FOLDER)
    service = make_service(world=_world(pages=[active]))
    fields = {"ID": 31, "BLOCK_ID": MENU, "MENU_CODE": LIST, "TITLE": "Ёлка & <b>сын</b>"}

    ask(service, "empty", fields=fields)

    (text, href) = _links(service)[-1]
    assert text == "Ёлка & <b>сын</b>"
    assert href == "/site-7/catalog/elka-b-syn-b/"
    assert service.get(href).status_code == 200


@pytest.mark.rule("landing.landing.addByTemplate fields.BLOCK_ID", "P11")
def test_P11_on_a_site_with_a_domain_the_link_begins_at_its_root(make_service: MakeService) -> None:
    world = _world()
    world["sites"][0]["domain"] = "shop.example"
    service = make_service(world=world)

    add(service, fields={"BLOCK_ID": MENU, "MENU_CODE": LIST})

    assert _links(service)[-1] == ("Promo", "/promo/")


@pytest.mark.rule("B14", "P12")
def test_B14_the_link_is_an_edit_of_that_draft(make_service: MakeService) -> None:
    service = make_service(world=_world(users=[may(2, "edit")]), now=NOW)

    add(service, fields={"BLOCK_ID": MENU, "MENU_CODE": LIST}, **as_user(2))

    (entry,) = stored(service, "landing_history")
    (row,) = stored(service, "landing_block", id=MENU)
    at = NOW.replace(tzinfo=None)
    edit = {name: entry[name] for name in ("page_id", "block_id", "user_id", "at", "method")}
    assert edit == {"page_id": PAGE, "block_id": MENU, "user_id": 2, "at": at, "method": METHOD}
    assert entry["before"] == {"content": HTML}
    assert entry["after"] == {"content": row["content"]}
    assert (row["modified_at"], row["modified_by"]) == (at, 2)


PASSED_OVER = read_cases(__file__, "PASSED_OVER", dict[str, Any])


@pytest.mark.rule(
    "landing.landing.addByTemplate fields.BLOCK_ID",
    "landing.landing.addByTemplate fields.MENU_CODE",
    "landing.landing.addByTemplate fields.ADD_IN_MENU",
    "P12",
)
@pytest.mark.parametrize("fields", PASSED_OVER, ids=str)
def test_P12_a_value_that_names_no_menu_is_ignored(
    service: Service, fields: dict[str, Any]
) -> None:
    before = stored(service, "landing_block")

    row = add(service, fields=fields)

    assert _unchanged(service, before, row["id"])


@pytest.mark.rule("landing.landing.addByTemplate fields.ADD_IN_MENU", "P12")
@pytest.mark.parametrize(
    "more", [{}, {"BLOCK_ID": ELSEWHERE}, {"MENU_CODE": LIST}, {"BLOCK_ID": [MENU]}], ids=str
)
def test_P12_ADD_IN_MENU_takes_the_main_pages_menu(service: Service, more: dict[str, Any]) -> None:
    add(service, fields={"ADD_IN_MENU": "Y", "TITLE": "Spring", **more})

    assert _links(service) == [("First", "/1"), ("Spring", "/site-7/promo/")]
    assert _links(service, ELSEWHERE) == [("First", "/1")]
    assert len(stored(service, "landing_history")) == 1


@pytest.mark.rule("landing.landing.addByTemplate fields.ADD_IN_MENU", "P12")
def test_P12_ADD_IN_MENU_takes_the_first_menu_block_of_the_draft(make_service: MakeService) -> None:
    plain = {"code": "test.plain", "manifest": {"nodes": {"p": {"type": "text"}}}}
    blocks = [
        block(400, sort=30),
        block(401, sort=5, deleted=True),
        block(402, sort=20),
        block(403, sort=10, code="test.plain"),
        block(404, sort=20),
    ]
    world = templates_world(pages=[page(40, *blocks)], manifests=[MANIFEST, plain])
    world["sites"][0]["main_page"] = 40
    service = make_service(world=world)

    add(service, fields={"ADD_IN_MENU": "Y", "TITLE": "Spring"})

    added = [number for number in range(400, 405) if len(_links(service, number)) == 2]
    assert added == [402]


@pytest.mark.rule("landing.landing.addByTemplate fields.ADD_IN_MENU", "P12")
@pytest.mark.parametrize(
    "main_page",
    [
        None,
        page(40),
        page(40, block(400), deleted=True),
        page(40, block(400, code="test.plain")),
        page(40, block(400, content="<p>No menu</p>")),
    ],
    ids=["none", "empty", "in the trash", "without a menu", "without its list"],
)
def test_P12_without_a_menu_on_the_main_page_nothing_is_added(
    make_service: MakeService, main_page: dict[str, Any] | None
) -> None:
    world = _world(pages=[main_page] if main_page else [])
    world["sites"][0]["main_page"] = 40 if main_page else None
    service = make_service(world=world)
    before = stored(service, "landing_block")

    row = add(service, fields={"ADD_IN_MENU": "Y", "TITLE": "Spring"})

    assert _unchanged(service, before, row["id"])


@pytest.mark.rule("P12", "B16")
def test_B16_a_block_may_have_several_menus(make_service: MakeService) -> None:
    two = {
        "code": "test.two",
        "manifest": {"menu": {".none": {}, "ul.a": {}, "ul.b:last-child": {}}},
    }
    html = '<nav><ul class="a"></ul><ul class="b"></ul></nav>'
    menus = page(40, block(400, code="test.two", content=html))
    world = templates_world(pages=[menus], manifests=[MANIFEST, two])
    world["sites"][0]["main_page"] = 40
    service = make_service(world=world)

    add(service, fields={"BLOCK_ID": 400, "MENU_CODE": "ul.b:last-child"})
    add(service, fields={"ADD_IN_MENU": "Y", "TITLE": "Spring"})

    (first,) = find(draft_html(service, 400), "ul.a")
    (second,) = find(draft_html(service, 400), "ul.b")
    assert (first.text, second.text) == ("Spring", "Promo")


@pytest.mark.rule("B16", "P12")
def test_B16_of_identical_lists_the_first_gets_the_link(make_service: MakeService) -> None:
    twice = page(40, block(400, content=HTML + HTML))
    service = make_service(world=templates_world(pages=[twice]))

    add(service, fields={"BLOCK_ID": 400, "MENU_CODE": LIST})

    assert [len(find(each.inner_html, "li")) for each in find(draft_html(service, 400), LIST)] == [
        2,
        1,
    ]


@pytest.mark.rule("P12")
def test_P12_the_published_menu_stays_as_it_is(service: Service) -> None:
    add(service, fields={"BLOCK_ID": 303, "MENU_CODE": LIST})

    assert [len(_links(service, number)) for number in (303, PUBLISHED)] == [2, 1]
