"""Every hostile text and value, sent by every way, is inert where it is stored, listed and shown
(H1).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from contract.hostile_ways import (
    ADDRESSES,
    FIELDS,
    NODES,
    PAGES,
    SENT_TEXTS,
    SENT_VALUES,
    block_of,
    make_page,
    send_everything,
    world,
)
from contract.worlds import find, user, webhook
from plugins.html.corpus import dangers
from plugins.html.hostile_values import Sent
from turbohtml import Element, parse

from landyard.testing import Service
from landyard_content.pages.publication import publish
from landyard_html.addresses import picture_address
from landyard_html.markup import Markup
from landyard_html.policy import POLICY_VERSION, clean_block
from landyard_landing.tables import BLOCK, BLOCKS

METHOD, ATTRS = "landing.block.updatenodes", "landing.block.updateattrs"
SELECTORS = [
    *("*", "html", "body *", ".text, .go", ".text:not(.x)", "section .text", ".text@0@0", ".TEXT"),
    *(":has(" * 20_000, ".text" + ":not(.x)" * 50_000, "a" * 1_000_000, ".text > " * 50_000),
    *("[href^='x' i]", "\\2e text", ".text ", " .text", ".text/**/", "::before", "@"),
    *(":is(" + "*," * 50_000 + "*)", "*" * 100_000, "<script>alert(1)</script>", "__proto__", ""),
]
each_way = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())


ADDRESSED = {"link": (".go", "href"), "media": (".pic", "src"), "frame": (".film", "src")}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service that got every text and value, with all pages published."""
    people = {"users": [user(1, admin=True)], "webhooks": [webhook(1)]}
    with Service(world={**world(), **people}, public_base="https://own.example") as service:
        send_everything(service.result)
        made = make_page(service.result)
        _publish(service, made, *PAGES.values(), *FIELDS)
        yield service


@pytest.mark.rule("H1")
@each_way
def test_H1_stored_html_is_inert(service: Service, page: int) -> None:
    rows = _rows(service, page)

    assert len(rows) == len(SENT_VALUES if page == ADDRESSES else SENT_TEXTS)
    assert {row.id: dangers(row.content) for row in rows if dangers(row.content)} == {}


@pytest.mark.rule("H2")
@each_way
def test_H2_stored_html_satisfies_the_policy(service: Service, page: int) -> None:
    rows = _rows(service, page)

    assert [row.id for row in rows if clean_block(row.content) != row.content] == []


@pytest.mark.rule("H1")
@each_way
@pytest.mark.parametrize("mode", [{}, {"edit_mode": True}], ids=["published", "draft"])
def test_H1_listed_html_is_the_stored_html(
    service: Service, page: int, mode: dict[str, Any]
) -> None:
    params = {"get_content": True, **mode}
    listed = service.result("landing.block.getlist", {"lid": page, "params": params})

    rows = _rows(service, page)
    assert len(listed) == min(50, len(rows)) > 0
    pairs = zip(listed, rows, strict=False)
    assert [
        row.id for item, row in pairs if not item["content"].endswith(f">{row.content}</div>")
    ] == []


@pytest.mark.rule("H1")
@each_way
def test_H1_no_text_breaks_out_of_its_block(service: Service, page: int) -> None:
    document = parse(_shown(service, page))

    shown = [each.inner_html for each in document.select("body > main > div.block-wrapper[id]")]
    # Only lazy loading of pictures behind the first block is added.
    plain = [html.replace(' loading="lazy"', "") for html in shown]
    assert plain == [row.content.replace(' loading="lazy"', "") for row in _rows(service, page)]


@pytest.mark.rule("H1")
@pytest.mark.parametrize("page", FIELDS)
def test_H1_fields_of_a_page_are_plain_text_in_the_head(service: Service, page: int) -> None:
    document = parse(_shown(service, page))

    names = Counter(each.tag for each in document.select("head *"))
    attributes = {name for each in document.select("head *") for name in each.attrs}
    assert names.keys() == {"meta", "title", "link"}
    assert (names["title"], document.select("main *")) == (1, [])
    assert attributes <= {"charset", "name", "property", "content", "rel", "href"}
    assert all(link.attr("rel") in {"stylesheet", "canonical"} for link in document.select("link"))


@pytest.mark.rule("H1", "B10", "H3")
@pytest.mark.parametrize("kind", ["link", "media", "frame"])
def test_H1_an_address_is_stored_by_the_rule_of_its_kind(service: Service, kind: str) -> None:
    selector, name = ADDRESSED[kind]
    stored = {row.id: row.content for row in _rows(service, ADDRESSES)}
    wrong = {}
    for sent in SENT_VALUES:
        if sent.kind == kind:
            (element,) = find(stored[block_of(ADDRESSES, sent)], selector)
            if element.attr(name) != _expected(sent):
                wrong[sent.value] = element.attr(name)

    assert wrong == {}


@pytest.mark.rule("B9", "H1", "landing.block.updatenodes TYPE_ERROR")
def test_B9_a_hostile_text_is_refused_as_a_class(service: Service) -> None:
    target = {"lid": NODES, "block": block_of(NODES, SENT_TEXTS[0])}
    answers = {
        text.name: service.call(METHOD, {**target, "data": {".mark": ["fa", text.html]}}).error
        for text in SENT_TEXTS
    }

    assert set(answers.values()) == {"TYPE_ERROR"}


@pytest.mark.rule("B7", "landing.block.updatenodes NODES_NOT_FOUND")
def test_B7_a_selector_outside_the_manifest_matches_nothing(service: Service) -> None:
    target = {"lid": NODES, "block": block_of(NODES, SENT_TEXTS[0])}
    before = _rows(service, NODES)

    answers = {
        selector[:40]: (
            service.call(METHOD, {**target, "data": {selector: "x"}}).error,
            service.call(ATTRS, {**target, "data": {selector: {"title": "x"}}}).result,
        )
        for selector in SELECTORS
    }

    assert answers == dict.fromkeys(answers, ("NODES_NOT_FOUND", True))
    assert _rows(service, NODES) == before


@pytest.mark.rule("C3")
def test_C3_no_way_accepts_a_NUL(service: Service) -> None:
    target = {"lid": NODES, "block": block_of(NODES, SENT_TEXTS[0])}
    sent: list[tuple[str, Any]] = [
        (METHOD, {".text": "a\x00b"}),
        (METHOD, {".text\x00": "x"}),
        (METHOD, {".map": {"a": ["\x00"]}}),
        (ATTRS, {".text": {"title": "\x00"}}),
    ]

    answers = [service.call(method, {**target, "data": data}).error for method, data in sent]

    assert answers == ["INVALID_REQUEST"] * len(sent)


@pytest.mark.rule("B7")
def test_B7_only_a_manifests_selectors_are_compiled(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: set[str] = set()
    select = Markup.select

    def noting(markup: Markup, selector: str) -> list[Element]:
        compiled.add(selector)
        return select(markup, selector)

    monkeypatch.setattr(Markup, "select", noting)
    target = {"lid": NODES, "block": block_of(NODES, SENT_TEXTS[0])}
    data = {**dict.fromkeys(SELECTORS, "x"), ".text@1": "x", ".text": "y"}
    service.result(METHOD, {**target, "data": data})
    service.result(ATTRS, {**target, "data": {name: {"title": "x"} for name in data}})

    assert compiled == {".text"}


@pytest.mark.rule("H1", "H2")
def test_H1_html_stored_under_an_older_policy_is_cleaned_where_it_is_shown() -> None:
    """The texts are written straight into the drafts, past the cleaning of a write."""
    people = {"users": [user(1, admin=True)], "webhooks": [webhook(1)]}
    with Service(world={**world(), **people}) as service:
        with service.kernel.store.session(writes=True) as session:
            for text in SENT_TEXTS:
                old = {"content": text.html, "policy": POLICY_VERSION - 1}
                row = sa.update(BLOCKS).where(BLOCK.id == block_of(NODES, text))
                session.execute(row.values(**old))
        _publish(service, NODES)
        blocks = parse(_shown(service, NODES)).select("body > main > div.block-wrapper[id]")
        params = {"lid": NODES, "params": {"get_content": True, "edit_mode": True}}
        listed = service.result("landing.block.getlist", params)

    assert len(blocks) == len(SENT_TEXTS)
    assert [found for block in blocks if (found := dangers(block.inner_html))] == []
    assert [found for item in listed if (found := dangers(item["content"]))] == []


def _expected(sent: Sent) -> str | None:
    if sent.kind == "link":
        return "#" if sent.becomes is None else sent.becomes
    if sent.kind == "media":
        return picture_address(sent.value, frozenset())
    return sent.becomes


def _rows(service: Service, page: int) -> list[Any]:
    query = sa.select(BLOCK.id, BLOCK.content).where(BLOCK.page_id == page)
    with service.kernel.store.session() as session:
        return list(session.execute(query.where(BLOCK.public.is_(False)).order_by(BLOCK.id)))


def _publish(service: Service, *pages: int) -> None:
    with service.kernel.store.session(writes=True) as session:
        for page in pages:
            publish(session.connection(), page, service.kernel.now())


def _shown(service: Service, page: int) -> str:
    return service.get(f"/assault/way-{page}/").text
