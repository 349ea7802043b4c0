"""Calls that change cards, styles, tags or the whole content of a block leave the rest as it is
(B8, H1, H2).
"""

from collections.abc import Iterator
from typing import Any

import pytest
from contract.worlds import attributes, block, draft_html, find, page, stored, world
from corpora import read_data
from plugins.html.corpus import dangers
from plugins.html.hostile_texts import TEXTS

from landyard.testing import Service
from landyard_html.policy import clean_block

HTML = read_data(__file__, "HTML", str)
MANIFEST = {
    "code": "test.html",
    "content": HTML,
    "manifest": read_data(__file__, "MANIFEST", dict[str, Any]),
}
OF_BLOCK: dict[str, Any] = {"lid": 10, "block": 100}
CARD = "li.card"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service of one block; `edited` restores it before each edit."""
    built = world(page(10, block(100, code="test.html", content=HTML)), manifests=[MANIFEST])
    with Service(world=built) as service:
        yield service


def edited(service: Service, name: str, of: str = HTML, **more: Any) -> str:
    """The block's HTML after one edit of its original content."""
    whole = OF_BLOCK | {"content": of, "preventHistory": True}
    service.result("landing.block.updatecontent", whole)
    assert draft_html(service) == of
    assert service.result(f"landing.block.{name}", OF_BLOCK | more) is True
    return draft_html(service)


def cards(html: str) -> list[str]:
    return [each.text for each in find(html, CARD)]


@pytest.mark.rule("B8", "B13")
@pytest.mark.parametrize(
    ("selector", "content", "expected"),
    read_data(__file__, "ADD", list[tuple[str, str, list[str]]]),
)
def test_B13_a_card_is_added_at_the_place_of_the_selector(
    service: Service, selector: str, content: str, expected: list[str]
) -> None:
    html = edited(service, "addcard", selector=selector, content=content)

    assert cards(html) == expected


@pytest.mark.rule("H2")
def test_H2_the_other_bytes_stay_as_they_are(service: Service) -> None:
    new = '<li class="card">N</li>'
    html = edited(service, "addcard", selector=".card@0", content=new)
    copied = edited(service, "clonecard", selector=".card@0")

    assert html.replace(f"\n    {new}", "") == HTML
    first = '\n    <li class="card"><b class="t" style="color: red; margin: 0">A</b></li>'
    assert copied == HTML.replace(first, first * 2)


def test_content_that_does_not_fit_becomes_text(service: Service) -> None:
    line = '<section class="landing-block"><p class="line"><i class="card">A</i></p></section>'
    html = edited(service, "addcard", line, selector=".card@0", content="<div><p>x</p></div>")

    assert html == line.replace("</i>", "</i>x")


@pytest.mark.parametrize(
    ("data", "expected"), read_data(__file__, "ARRANGE", list[tuple[Any, list[str]]])
)
def test_cards_are_made_from_the_listed_sources(
    service: Service, data: Any, expected: list[str]
) -> None:
    html = edited(service, "updateCards", data={".card": data, ".t": {"source": [{}]}})

    assert cards(html) == expected
    assert clean_block(html) == html
    made = [each.attr("data-card-preset") for each in find(html, CARD)]
    assert made.count("plain") == str(data).count("plain")


@pytest.mark.rule("B8", "H1")
@pytest.mark.parametrize(
    ("data", "selector", "expected"),
    read_data(__file__, "STYLES", list[tuple[dict[str, Any], str, dict[str, str]]]),
)
def test_H1_styles_are_set_within_the_policy(
    service: Service, data: dict[str, Any], selector: str, expected: dict[str, str]
) -> None:
    html = edited(service, "updateStyles", data=data)

    assert attributes(find(html, selector)[0]) == expected


@pytest.mark.rule("B8")
@pytest.mark.parametrize(
    ("data", "selector", "inside"),
    read_data(__file__, "RENAME", list[tuple[dict[str, str], str, str]]),
)
def test_B8_elements_get_other_tags_where_html_allows_them(
    service: Service, data: dict[str, str], selector: str, inside: str
) -> None:
    html = edited(service, "changeNodeName", data=data)

    assert find(html, selector)[0].inner_html == inside
    assert clean_block(html) == html


def test_an_attribute_that_the_new_tag_must_not_have_is_removed(service: Service) -> None:
    html = edited(service, "changeNodeName", data={".go": "p"})

    assert attributes(find(html, ".go")[0]) == {"class": "go"}


@pytest.mark.rule("H1", "H2")
def test_H1_hostile_texts_are_inert_whichever_call_sends_them(service: Service) -> None:
    wrong = []
    for each in TEXTS[::40]:
        text = each.html.replace("\x00", "")
        for name, more in (
            ("addcard", {"selector": ".card@0", "content": text}),
            ("updateCards", {"data": {".card": {"values": [{".t@0": text}]}}}),
            ("updateStyles", {"data": {".head": {"classList": text, "style": {"color": text}}}}),
        ):
            html = edited(service, name, **more)
            if dangers(html) or clean_block(html) != html:
                wrong.append((name, text[:60], html))
        sent = OF_BLOCK | {"content": text, "preventHistory": True}
        assert service.result("landing.block.updatecontent", sent) is True
        wrong += [
            ("updatecontent", text[:60], html) for html in [draft_html(service)] if dangers(html)
        ]

    assert wrong == []


@pytest.mark.rule("B14")
def test_B14_each_edit_is_one_entry_unless_the_caller_prevents_it(service: Service) -> None:
    def entries() -> int:
        return len(stored(service, "landing_history"))

    service.result("landing.block.updatecontent", OF_BLOCK | {"content": HTML})
    before = entries()
    calls: dict[str, dict[str, Any]] = {
        "addcard": {"selector": ".card@0", "content": "<li>x</li>"},
        "clonecard": {"selector": ".card@0"},
        "updateStyles": {"data": {".head": "head"}},
        "changeNodeName": {"data": {".head": "h2"}},
        "changeAnchor": {"data": "here"},
        "updatecontent": {"content": HTML},
    }
    for name, more in calls.items():
        for prevented in ({}, {"preventHistory": "Y"}):
            assert service.result(f"landing.block.{name}", OF_BLOCK | more | prevented) is True
    service.result("landing.block.updateCards", OF_BLOCK | {"data": {}})

    assert entries() == before + 7


def test_with_designed_nothing_is_changed(service: Service) -> None:
    before = draft_html(service)

    for said, answered in ((True, None), ("true", None), (1, None), ("Y", True), (False, True)):
        sent = OF_BLOCK | {"content": before if answered else "<p>x</p>", "designed": said}
        assert service.result("landing.block.updatecontent", sent) is answered
    assert draft_html(service) == before


def test_an_anchor_can_be_removed(service: Service) -> None:
    anchors = []
    for data in ("about-us", "Tab:1.x_y", ""):
        service.result("landing.block.changeAnchor", OF_BLOCK | {"data": data})
        shown = service.result("landing.block.getcontent", OF_BLOCK | {"editMode": True})
        anchors.append(shown["anchor"])

    assert anchors == ["about-us", "Tab:1.x_y", "b100"]


@pytest.mark.rule("B15")
def test_B15_a_lost_write_of_cards_is_incorrect_affected() -> None:
    import sqlalchemy as sa

    built = world(page(10, block(100, code="test.html", content=HTML)), manifests=[MANIFEST])
    with Service(world=built, blocks={"verify_writes": True}) as service:

        def lose(*call: Any) -> tuple[str, Any]:
            sql, values = call[2], call[3]
            lost = sql.startswith("UPDATE landing_block ")
            return (sql.replace(" WHERE ", " WHERE 1 = 0 AND ") if lost else sql), values

        sent = OF_BLOCK | {"data": {".card": {"source": [{}]}}}
        sa.event.listen(service.kernel.store.engine, "before_cursor_execute", lose, retval=True)
        assert service.call("landing.block.updateCards", sent).error == "INCORRECT_AFFECTED"
        sa.event.remove(service.kernel.store.engine, "before_cursor_execute", lose)
        assert service.call("landing.block.updateCards", sent).result is True
