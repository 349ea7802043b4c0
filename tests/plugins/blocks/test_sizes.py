"""Size limits of blocks, pages and answers are checked before memory is used (B18)."""

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from contract.worlds import PAGE, block, page, site, world
from tables import for_each

from landyard.testing import Answer, Service

KIB = 1024
CARD = '<li class="card"><p class="text">' + "x" * (100 * KIB) + "</p></li>"
MANY = "<section>" + '<p class="text">x</p>' * 5000 + "</section>"
MANIFEST = {
    "code": "size.all",
    "manifest": {
        "nodes": {
            ".text": {"type": "text"},
            ".go": {"type": "link"},
            "bitrix:x": {"type": "component"},
        },
        "cards": {".card": {"name": "Card", "presets": {"big": {"html": CARD}}}},
        "attrs": {
            ".text": [{"attribute": "title"}],
            "bitrix:x": [{"name": "ONE"}],
        },
        "style": {"nodes": {".text": {"type": "box"}}},
    },
}
SETTINGS: dict[str, Any] = {"page_characters": 2048 * KIB, "page_blocks": 20}
SETTINGS |= {"answer_characters": 3072 * KIB}
CARDS, TEXTS, ROOM = 100, 101, 102
LARGE = "<p>" + "x" * (600 * KIB) + "</p>"
AMPERSANDS = "&" * (400 * KIB)  # sanitising makes them five times as long


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    made = world(
        page(
            PAGE,
            block(CARDS, code="size.all", content=f"<ul>{CARD}</ul>"),
            block(TEXTS, code="size.all", content=MANY),
            block(ROOM, code="size.all", content='<p class="text">x</p>'),
        ),
        page(20),
        page(30, block(300, code="size.all", content="<p>x</p>"), site=8),
        sites=[site(8)],
        manifests=[MANIFEST],
    )
    with Service(world=made, blocks=SETTINGS) as service:
        yield service


def send(service: Service, method: str, **sent: Any) -> Answer:
    return service.call(method, {"lid": PAGE, **sent})


SOURCE = [{"value": 0}]
PRESET = [{"type": "preset", "value": "big"}]
GROWING: list[tuple[str, dict[str, Any]]] = [
    ("landing.block.updatecontent", {"block": ROOM, "content": LARGE}),
    ("landing.block.updatecontent", {"block": ROOM, "content": AMPERSANDS}),
    ("landing.block.updatecontent", {"block": ROOM, "content": "<p>" * (1024 * KIB)}),
    ("landing.block.updateCards", {"block": CARDS, "data": {".card": {"source": SOURCE * 1000}}}),
    ("landing.block.updateCards", {"block": CARDS, "data": {".card": {"source": PRESET * 1000}}}),
    ("landing.block.addcard", {"block": CARDS, "selector": ".card@0", "content": LARGE}),
    (
        "landing.block.updatenodes",
        {"block": TEXTS, "data": {f".text@{at}": "y" * 500 for at in range(2000)}},
    ),
    ("landing.block.updatenodes", {"block": ROOM, "data": {".text": LARGE}}),
    ("landing.block.updatenodes", {"block": ROOM, "data": {"bitrix:x": {"attrs": {"ONE": LARGE}}}}),
    ("landing.block.updateattrs", {"block": TEXTS, "data": {".text": {"title": "y" * 500}}}),
    ("landing.landing.addblock", {"fields": {"CODE": "size.all", "CONTENT": LARGE}}),
    ("landing.landing.addblock", {"fields": {"CODE": "size.all", "CONTENT": AMPERSANDS}}),
]


@pytest.mark.rule("B18")
@for_each("method, sent", GROWING)
def test_B18_a_block_over_the_size_limit_is_refused(
    service: Service, method: str, sent: dict[str, Any]
) -> None:
    before = content(service)
    began = time.process_time()
    tracemalloc.start()

    refused = send(service, method, **sent)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (refused.status, refused.error) == (413, "INVALID_REQUEST")
    assert content(service) == before
    assert most < 20 * KIB * KIB
    assert time.process_time() - began < 10


def content(service: Service) -> list[Any]:
    shown = {"edit_mode": True, "get_content": True}
    return list(service.result("landing.block.getlist", {"lid": PAGE, "params": shown}))


@pytest.mark.rule("B18")
def test_B18_a_page_has_limits_of_size_and_of_blocks(service: Service) -> None:
    block_id = service.result(
        "landing.landing.addblock",
        {"lid": 20, "fields": {"CODE": "size.all", "CONTENT": f"<p>{'x' * (400 * KIB)}</p>"}},
    )

    copies = [send(service, "landing.landing.copyblock", lid=20, block=block_id) for _ in range(6)]
    grown = send(
        service,
        "landing.block.updatecontent",
        lid=20,
        block=copies[0].body["result"],
        content="x" * (500 * KIB),
    )
    moved = send(service, "landing.landing.moveblock", lid=20, block=CARDS)
    small = [send(service, "landing.landing.copyblock", lid=30, block=300) for _ in range(21)]

    assert [each.status for each in copies] == [200] * 4 + [413] * 2
    assert (grown.status, moved.status) == (413, 413)
    assert [each.status for each in small] == [200] * 19 + [413] * 2


BIG = "<p>" + "x" * (400 * KIB) + "</p>"


@pytest.fixture(scope="module")
def large() -> Iterator[Service]:
    """A service with pages larger than can be made now."""
    pages = [
        page(lid, *(block(lid * 10 + at, code="size.all", content=BIG) for at in range(5)))
        for lid in (40, 50)
    ]
    made = world(page(PAGE), *pages, manifests=[MANIFEST])
    with Service(world=made, blocks=SETTINGS) as service:
        yield service


@pytest.mark.rule("B18")
@for_each(
    "method, sent, status",
    [
        ("landing.block.getlist", {"lid": 40}, 200),
        ("landing.block.getlist", {"lid": [40, 50]}, 413),
        ("landing.site.fullExport", {"id": 7}, 413),
    ],
)
def test_B18_an_answer_over_the_size_limit_is_refused(
    large: Service, method: str, sent: dict[str, Any], status: int
) -> None:
    shown = {"edit_mode": "Y", "get_content": True}

    assert large.call(method, {**sent, "params": shown}).status == status


@pytest.mark.rule("B18")
def test_B18_a_list_of_long_edits_is_answered_in_shorter_parts(large: Service) -> None:
    for number in range(16):
        sent = {"lid": 40, "block": 400, "content": f"{BIG}{number}"}
        large.result("landing.block.updatecontent", sent)
    for _ in range(10):
        large.result("landing.block.updatecontent", {**sent, "content": "<p>x</p>"})

    messages: list[int] = []
    following: int | None = 0
    while following is not None:
        answer = large.call("landing.landing.history.getList", lid=40, start=following)
        messages += [each["id"] for each in answer.body["result"]]
        following = answer.body.get("next")

    assert len(messages) == len({*messages}) == 26
    assert messages == sorted(messages, reverse=True)


FIELDS = {"NAME": "x", "SECTIONS": "text", "PREVIEW": "https://x.example/x.png"}


@pytest.mark.rule("B18")
def test_B18_saved_blocks_and_templates_of_a_caller_have_a_size_limit(service: Service) -> None:
    kept = [send(service, "landing.landing.favoriteBlock", block=ROOM) for _ in range(21)]
    fields = {**FIELDS, "CONTENT": f"<p>{'x' * (400 * KIB)}</p>"}
    blocks = [service.call("landing.repo.register", code=f"x{n}", fields=fields) for n in range(9)]
    nodes = {"block": {"note": "x" * (600 * KIB)}}
    manifest = service.call(
        "landing.repo.register", code="m", fields={**fields, "CONTENT": "<p>x</p>"}, manifest=nodes
    )
    own = {"content": f"<p>{'x' * (400 * KIB)}</p>"}
    items = {f"b{at}": {"code": "ly.text", "landyard": own} for at in range(3)}
    templates = [
        service.call(
            "landing.demos.register",
            data={
                "code": f"t{n}",
                "name": "T",
                "items": {"p": {"code": "p", "name": "P", "items": items}},
            },
        )
        for n in range(3)
    ]

    assert [each.status for each in kept] == [200] * 20 + [413]
    assert [each.status for each in blocks] == [200] * 7 + [413] * 2
    assert manifest.status == 413
    assert [each.status for each in templates] == [200, 413, 413]


LONG = "x" * (400 * KIB)
KEPT: list[tuple[str, dict[str, Any]]] = [
    ("landing.landing.favoriteBlock", {"lid": PAGE, "block": ROOM, "meta": {"name": LONG}}),
    ("landing.landing.favoriteBlock", {"lid": PAGE, "block": ROOM, "meta": {"section": [LONG]}}),
    ("landing.landing.favoriteBlock", {"lid": PAGE, "block": ROOM, "meta": {"tpl_code": LONG}}),
]
KEPT += [
    ("landing.repo.register", {"fields": {**FIELDS, "CONTENT": "<p>x</p>", name: LONG}})
    for name in ("NAME", "DESCRIPTION", "SECTIONS", "SITE_TEMPLATE_ID")
]


@pytest.mark.rule("B18")
@for_each("method, sent", KEPT)
def test_B18_names_count_towards_a_callers_limit(method: str, sent: dict[str, Any]) -> None:
    made = world(page(PAGE, block(ROOM, code="size.all")), manifests=[MANIFEST])
    with Service(world=made, blocks=SETTINGS) as service:
        kept = [service.call(method, {"code": f"c{at}", **sent}) for at in range(8)]

    assert {each.status for each in kept[:3]} == {200}
    assert kept[-1].status == 413


@pytest.mark.rule("B18")
def test_B18_a_splitter_text_makes_no_larger_answer(service: Service) -> None:
    sent = {"content": "<script>" * 5000, "splitter": "x" * KIB}

    assert service.call("landing.repo.checkContent", sent).status == 413


LISTS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("landing.landing.add", "landing.landing.getList", {"SITE_ID": 8}, {"params": {}}),
    ("landing.landing.add", "landing.landing.getList", {"SITE_ID": 8}, {"params": {"limit": 9}}),
    ("landing.site.add", "landing.site.getList", {"TYPE": "PAGE"}, {"params": {}}),
    ("landing.site.addFolder", "landing.site.getFolders", {}, {"siteId": 8}),
]


@pytest.mark.rule("B18")
@for_each("add, lists, fields, sent", LISTS)
def test_B18_a_list_of_long_titles_is_answered_in_shorter_parts(
    add: str, lists: str, fields: dict[str, Any], sent: dict[str, Any]
) -> None:
    with Service(world=world(sites=[site(8)]), blocks=SETTINGS) as service:
        for at in range(9):
            named = {"TITLE": LONG, "CODE": f"long{at}", **fields}
            service.result(add, {"siteId": 8, "fields": named})

        first = service.call(lists, sent)

    result = first.body["result"]
    assert 0 < sum(len(each["TITLE"]) for each in result) < 3072 * KIB
    assert first.body["next"] == len(result) < first.body["total"]


@pytest.mark.rule("B18")
def test_B18_a_batch_keeps_no_answer_that_it_omits() -> None:
    with Service(world=world(sites=[site(8)])) as service:
        for at in range(12):
            fields = {"TITLE": LONG, "CODE": f"long{at}", "SITE_ID": 8}
            service.result("landing.landing.add", {"fields": fields})
        tracemalloc.start()

        service.call("batch", {"cmd": ["landing.landing.getList"] * 40})

        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 80 * KIB * KIB


@pytest.mark.rule("B18")
@for_each("add, fields", [row[0::2] for row in LISTS[1::2]])
def test_B18_titles_count_towards_the_size_of_an_export(add: str, fields: dict[str, Any]) -> None:
    with Service(world=world(sites=[site(8)]), blocks=SETTINGS) as service:
        for at in range(9):
            named = {"TITLE": LONG, "CODE": f"long{at}", **fields}
            service.result(add, {"siteId": 8, "fields": named})

        assert service.call("landing.site.fullExport", {"id": 8}).status == 413
