"""`get_changes` of the history lists what each edit changed, place by place, in readable words."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import PAGE, page, world
from plugins.blocks.drafts import do

from landyard.testing import Service

LIST = "landing.landing.history.getList"
PAIR, CARDS, MENU = 100, 101, 102
TITLE, CARD = ".landing-block-node-title", ".landing-block-card"
LONG = "One thing worth telling, and a second one that nobody would have heard of otherwise"
Said = tuple[str, str, str, str]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    codes = {PAIR: "ly.text_picture", CARDS: "ly.cards", MENU: "ly.menu"}
    blocks = [{"id": number, "code": code} for number, code in codes.items()]
    return make_service(world=world(page(PAGE, *blocks)))


def listed(service: Service) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = service.result(LIST, {"lid": PAGE, "get_changes": True})
    return entries


def last(service: Service) -> tuple[str, list[Said]]:
    """The name of the last edited block, and the changes of that edit."""
    entry = listed(service)[0]
    parts = ("what", "name", "before", "after")
    return entry["name"], [tuple(each[part] for part in parts) for each in entry["changes"]]


@pytest.mark.parametrize(
    ("method", "block", "data", "said"),
    [
        (
            "updatenodes",
            PAIR,
            {TITLE: "Two things"},
            [("text", "Title", "One thing worth telling", "Two things")],
        ),
        (
            "updatenodes",
            PAIR,
            {TITLE: "One <em>thing</em> worth telling"},
            [("format", "Title", "", "")],
        ),
        (
            "updatenodes",
            PAIR,
            {TITLE: LONG},
            [("text", "Title", "telling", f"{LONG[16:75]}…")],
        ),
        (
            "updatenodes",
            PAIR,
            {".landing-block-node-img": {"src": "/assets/pictures/quay.svg", "alt": "A quay"}},
            [
                ("img", "Picture", "shed.svg", "quay.svg"),
                (
                    "alt",
                    "Picture",
                    "The ribs of a small boat standing in a workshop, lit by a h…",
                    "A quay",
                ),
            ],
        ),
        (
            "updatenodes",
            PAIR,
            {".landing-block-node-link": {"text": "Read on", "href": "/boats/"}},
            [("address", "Link", "#", "/boats/")],
        ),
        (
            "updatenodes",
            CARDS,
            {".landing-block-node-icon@1": ["icon-sail"]},
            [("icon", "Icon", "icon-tool", "icon-sail")],
        ),
        (
            "updateattrs",
            CARDS,
            {"#block101": {"data-tone": "deep"}},
            [("attribute", "Tone", "Plain", "Deep")],
        ),
        (
            "updateStyles",
            PAIR,
            {TITLE: {"style": {"text-align": "center"}}},
            [("style", "Title", "", "")],
        ),
    ],
)
def test_an_edit_lists_its_changes(
    service: Service, method: str, block: int, data: dict[str, Any], said: list[Said]
) -> None:
    assert do(service, method, block, data=data).result

    name, changes = last(service)

    assert name == {PAIR: "Text beside a picture", CARDS: "Cards with icons"}[block]
    assert changes == said


def test_added_removed_and_moved_cards_are_named(service: Service) -> None:
    def said(method: str, **more: Any) -> Said:
        assert do(service, method, CARDS, **more).error is None
        [change] = last(service)[1]
        return change

    added = said("clonecard", selector=f"{CARD}@0")
    order = {CARD: {"source": [{"type": "card", "value": value} for value in (3, 0, 1, 2)]}}
    ordered = said("updateCards", data=order)
    removed = said("removecard", selector=f"{CARD}@0")

    assert added == ("cards", "Card", "", "First What it is, in two lines at most. More")
    assert ordered == ("order", "Card", "", "")
    assert removed == ("cards", "Card", "Third What it is, in two lines at most. More", "")


def test_an_added_moved_or_removed_block_is_named_even_after_its_removal(
    service: Service,
) -> None:
    added = service.result(
        "landing.landing.addblock", {"lid": PAGE, "fields": {"CODE": "ly.quote"}}
    )
    do(service, "upblock", added)
    do(service, "hideblock", added)
    do(service, "deleteblock", added)

    entries = listed(service)

    assert {entry["name"] for entry in entries} == {"Quotation"}
    assert [entry["changes"] for entry in entries] == [[]] * len(entries)


def test_changes_of_a_menu_and_of_elements_outside_the_manifest_are_listed(
    service: Service,
) -> None:
    html = '<header class="landing-block ly-menu"><div class="other">x</div></header>'
    do(service, "updatenodes", MENU, data={".landing-block-node-menu-link@1": "Boats"})
    assert do(service, "changeAnchor", MENU, data="top").error is None
    assert do(service, "updatecontent", PAIR, content="<p>a</p>").error is None
    assert do(service, "updatecontent", PAIR, content="<p>b</p>").error is None
    assert do(service, "updatecontent", MENU, content=html).error is None

    changed = [entry["changes"][0]["what"] for entry in listed(service)]

    assert changed[1:4] == ["html", "html", "anchor"]


def test_changes_are_listed_only_on_request(service: Service) -> None:
    do(service, "updatenodes", PAIR, data={TITLE: "New"})

    [entry] = service.result(LIST, {"lid": PAGE})

    assert not entry.keys() & {"name", "changes"}


def test_very_long_html_is_not_compared(service: Service) -> None:
    do(service, "updatecontent", PAIR, content=f"<p>{'long ' * 60_000}</p>")

    assert last(service)[1] == [("html", "", "", "")]
