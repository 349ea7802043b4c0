"""`landing.block.removecard`: which card it removes, and the history of it (contract 4.5; B13,
B14).
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.cards import CODE, DRAFT, HTML, MANIFEST, A, B, C, card_block, many_cards
from contract.rules import rows
from contract.worlds import PAGE, as_user, draft_html, find, page, stored, user, world

from landyard.testing import Service
from landyard_content.pages.publication import publish
from landyard_html.policy import clean_block

NOW = datetime(2026, 3, 26, 12, 21, 48, tzinfo=UTC)

METHOD = "landing.block.removecard"
EDITOR = 5
OF_BLOCK = {"lid": PAGE, "block": DRAFT}
EVERY: dict[str, Any] = {**OF_BLOCK, "selector": ".card@1"}
WORLD = world(
    page(
        PAGE,
        card_block(DRAFT, published_id=200, params={"a:b": {"c": 1}}),
        active=True,
        published=True,
    ),
    manifests=[MANIFEST],
    users=[user(EDITOR, sites_access=True, rights={"*": ["edit"]})],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


@pytest.mark.rule("B8", "B13", "H2", "limit: index base", *rows(METHOD, "selector result"))
@pytest.mark.parametrize(
    ("selector", "gone"),
    [
        (".card@0", A),
        (".card@1", B),
        (".card@2", C),
        (".card@02", C),
        # 4.5: an empty or non-numeric index is 0
        (".card@", A),
        (".card@abc", A),
        (".card@1abc", A),
        (".card@ 1", A),
        (".card@\u0661", A),
        # B13: counted among that selector's elements alone
        (".inline@0", '<span class="inline">1</span>'),
        (".inline@1", '<span class="inline">2</span>'),
        # cards inside cards, in document order
        (".outer@0", '  <div class="outer">x<div class="outer">y</div></div>\n'),
        (".outer@1", '<div class="outer">y</div>'),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_B13_the_card_is_removed_and_every_other_byte_stays(
    service: Service, selector: str, gone: str
) -> None:
    assert service.result(METHOD, EVERY | {"selector": selector}) is True
    assert draft_html(service) == HTML.replace(gone, "")
    assert HTML.count(gone) == 1


@pytest.mark.rule("B13", "H2")
def test_B13_the_cards_behind_move_up_until_the_last_is_gone(service: Service) -> None:
    left = []
    for _ in range(3):
        assert service.result(METHOD, EVERY | {"selector": ".card@0"}) is True
        left.append([card.text for card in find(draft_html(service), ".card")])
    answer = service.call(METHOD, EVERY | {"selector": ".card@0"})

    assert left == [["B", "C"], ["C"], []]
    assert answer.error == "CARD_NOT_FOUND"
    assert draft_html(service) == HTML.replace(A, "").replace(B, "").replace(C, "")
    assert len(stored(service, "landing_history")) == 3


@pytest.mark.rule("B13")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_B13_the_block_itself_may_be_a_card(make_service: MakeService) -> None:
    manifest = {"code": CODE, "manifest": {"cards": {".landing-block": {"name": "All"}}}}
    service = make_service(world=WORLD | {"manifests": [manifest]})

    service.result(METHOD, EVERY | {"selector": ".landing-block@"})

    mode = {"edit_mode": True, "get_content": True}
    listed = service.result("landing.block.getlist", {"lid": PAGE, "params": mode})
    assert draft_html(service) == ""
    assert find(listed[0]["content"], ".block-wrapper")[0].inner_html == ""


@pytest.mark.rule("B8", "B13")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_B13_later_edits_count_the_cards_that_are_left(make_service: MakeService) -> None:
    manifest = MANIFEST | {
        "manifest": {"nodes": {".card": {"type": "text"}}, "cards": {".card": {"name": "Card"}}}
    }
    service = make_service(world=WORLD | {"manifests": [manifest]})

    service.result(METHOD, EVERY | {"selector": ".card@0"})
    service.result("landing.block.updatenodes", OF_BLOCK, data={".card@0": "was B"})
    service.result("landing.block.updateattrs", OF_BLOCK, data={".card@1": {"title": "C"}})

    html = draft_html(service)
    assert html == HTML.replace(A, "").replace(">B<", ">was B<").replace(
        '<div class="card">C', '<div class="card" title="C">C'
    )
    assert clean_block(html) == html


@pytest.mark.rule("B1", f"{METHOD} lid", "state: draft edit")
def test_4_5_visitors_see_the_card_until_the_page_is_published(service: Service) -> None:
    before = {row["id"]: row["content"] for row in stored(service, "landing_block")}

    service.result(METHOD, EVERY)

    after = {row["id"]: row["content"] for row in stored(service, "landing_block")}
    assert after == before | {DRAFT: HTML.replace(B, "")}
    assert _visited(service) == ["A a", "B", "C"]
    with service.kernel.store.session(writes=True) as session:
        publish(session.connection(), PAGE, service.kernel.now())
    assert _visited(service) == ["A a", "C"]


def _visited(service: Service) -> list[str]:
    return [card.text for card in find(service.get(f"/site-7/page-{PAGE}/").text, ".card")]


@pytest.mark.rule("B14", "C2", "R3")
def test_B14_a_removal_is_one_entry_and_signed(make_service: MakeService) -> None:
    service = make_service(world=WORLD, now=NOW)

    service.result("landing.block.REMOVECARD", EVERY, **as_user(EDITOR))

    (entry,) = stored(service, "landing_history")
    assert (entry["page_id"], entry["block_id"], entry["user_id"]) == (PAGE, DRAFT, EDITOR)
    assert (entry["method"], entry["at"]) == (METHOD, NOW.replace(tzinfo=None))
    assert entry["before"] == {"content": HTML}
    assert entry["after"] == {"content": HTML.replace(B, "")}
    (row,) = stored(service, "landing_block", id=DRAFT)
    assert (row["modified_by"], row["modified_at"]) == (EDITOR, NOW.replace(tzinfo=None))
    assert row["params"] == {"a:b": {"c": 1}}


PREVENTED = [True, "Y", 1, "on"]
# C9: a value that is no boolean counts as absent
KEPT: list[Any] = [False, "N", 0, "", None, "perhaps", 2, [], {}]


@pytest.mark.rule("B14", "C6", "C9", f"{METHOD} preventHistory")
def test_B14_preventHistory_leaves_no_entry(make_service: MakeService) -> None:
    service = make_service(world=many_cards(20))

    for spelling in PREVENTED:
        assert service.result(METHOD, EVERY | {"preventHistory": spelling}) is True

    assert stored(service, "landing_history") == []
    assert len(find(draft_html(service), ".card")) == 20 - len(PREVENTED)


@pytest.mark.rule("B14", "C6", "C9", f"{METHOD} preventHistory")
def test_B14_without_preventHistory_each_removal_is_an_entry(make_service: MakeService) -> None:
    service = make_service(world=many_cards(20))

    for spelling in KEPT:
        assert service.result(METHOD, EVERY | {"preventHistory": spelling}) is True

    assert len(stored(service, "landing_history")) == len(KEPT)


@pytest.mark.rule("B14", "B13")
def test_B14_removals_at_the_same_time_each_remove_one(make_service: MakeService) -> None:
    service = make_service(world=many_cards(30))

    with ThreadPoolExecutor(8) as clients:
        calls = [
            clients.submit(service.call, METHOD, EVERY | {"selector": ".card@0"}) for _ in range(34)
        ]
        errors = [call.result().error for call in calls]

    assert sorted(map(str, errors)) == ["CARD_NOT_FOUND"] * 4 + ["None"] * 30
    assert draft_html(service) == "<div></div>"
    history = stored(service, "landing_history")
    assert len(history) == 30
    # Each entry starts from the state that the entry before left.
    assert [each["before"] for each in history[1:]] == [each["after"] for each in history[:-1]]


@pytest.mark.rule("B14")
def test_B14_a_removal_and_other_edits_at_the_same_time_all_survive(service: Service) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        (METHOD, {"selector": ".card@0"}),
        ("landing.block.updatenodes", {"data": {".other": "New"}}),
        (METHOD, {"selector": ".card@0"}),
        ("landing.block.updateattrs", {"data": {".other": {"title": "New"}}}),
        (METHOD, {"selector": ".inline@0"}),
    ]

    with ThreadPoolExecutor(len(calls)) as clients:
        answers = list(clients.map(lambda each: service.call(each[0], OF_BLOCK | each[1]), calls))

    assert [answer.error for answer in answers] == [None] * len(calls)
    html = draft_html(service)
    assert [card.text for card in find(html, ".card")] == ["C"]
    assert [each.text for each in find(html, ".inline")] == ["2"]
    (other,) = find(html, ".other")
    assert (other.text, other.attr("title")) == ("New", "New")
    assert len(stored(service, "landing_history")) == len(calls)
