"""The built-in blocks and the demo site are complete, safe, and described for search engines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from corpora import read_data
from plugins.content.blocks.shipped import (
    CODES,
    DEMO,
    EVERY_HTML,
    HTML,
    PAGES,
    document,
    in_layout,
    is_mailbox,
    layouts,
    makes_an_outline,
    names,
    page_html,
    pictures_missing,
    style_name,
)
from turbohtml import parse_fragment

from landyard_html.manifests import Menu, parse_manifest
from landyard_html.nodes import update_nodes
from landyard_html.policy import clean_block
from landyard_html.values import Rules

DEMO_BLOCKS = [
    pytest.param(block, id=f"{page['code']}-{block['code']}")
    for page in DEMO["pages"]
    for block in page["blocks"]
]


# ------------------------------------------------------------------- blocks


def test_every_block_has_its_html_and_its_manifest() -> None:
    assert names("blocks", ".json") == CODES
    assert len(CODES) >= 16


def test_the_catalogue_shows_every_kind_of_node_a_menu_and_cards() -> None:
    manifests = [parse_manifest(document(code)["manifest"]) for code in CODES]
    types = {node.type for manifest in manifests for node in manifest.nodes.values()}
    assert types == {"text", "img", "link", "icon", "embed", "map", "component"}
    assert any(manifest.menu for manifest in manifests)
    assert any(manifest.cards for manifest in manifests)
    assert any(manifest.attrs for manifest in manifests)
    assert any(manifest.block_attrs for manifest in manifests)


@pytest.mark.parametrize("code", CODES)
def test_a_block_names_its_document_and_class_once(code: str) -> None:
    described = document(code)
    assert described.keys() == {"name", "manifest", "css", "js"}
    assert described["name"] == described["manifest"]["block"]["name"]


@pytest.mark.parametrize("code", CODES)
def test_B7_every_selector_of_a_manifest_finds_an_element(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    selectors = {*manifest.nodes, *manifest.cards, *manifest.attrs, *manifest.menu}
    selectors |= manifest.style_nodes
    components = {name for name, node in manifest.nodes.items() if node.type == "component"}
    fragment = parse_fragment(HTML[code])
    missing = {selector for selector in selectors - components if not fragment.select(selector)}
    assert missing == set()


@pytest.mark.parametrize("code", CODES)
def test_B11_a_component_has_a_name_that_no_element_has(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    components = {name for name, node in manifest.nodes.items() if node.type == "component"}
    assert components == {name for name in manifest.attrs if ":" in name}


@pytest.mark.parametrize("code", CODES)
def test_B13_nodes_and_cards_have_selectors_of_their_own(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    assert not manifest.nodes.keys() & manifest.cards.keys()


@pytest.mark.parametrize("code", CODES)
def test_B12_a_block_is_one_element_that_carries_its_name(code: str) -> None:
    roots = parse_fragment(HTML[code]).select(".landing-block")
    assert [root.attr("class") for root in roots] == ["landing-block " + style_name(code)]
    assert HTML[code].startswith(f"<{roots[0].tag} ")
    assert HTML[code].endswith(f"</{roots[0].tag}>\n")


@pytest.mark.parametrize("code", CODES)
def test_H2_a_block_may_be_stored_in_each_of_its_layouts(code: str) -> None:
    assert 2 <= len(layouts(code)) <= 3
    laid = [in_layout(code, layout) for layout in layouts(code)]
    assert [clean_block(html) for html in laid] == laid


def test_B10_a_picture_node_may_be_a_background() -> None:
    background = parse_fragment(HTML["ly.cover"]).select(".landing-block-node-bgimg")[0]
    assert background.tag == "div"
    assert (background.attr("style") or "").startswith("background-image:url('/assets/pictures/")


@pytest.mark.rule("B10")
def test_B10_an_icon_of_the_catalogue_can_be_replaced() -> None:
    manifest = parse_manifest(document("ly.cards")["manifest"])
    html = HTML["ly.cards"]
    data = {".landing-block-node-icon": ["icon-anchor"]}
    edited = update_nodes(html, {}, data, manifest, structure=html, rules=Rules())
    assert edited.content == html.replace("ly-icon icon-boat", "ly-icon icon-anchor")


VALUES: dict[str, Any] = read_data(__file__, "VALUES", dict[str, Any])


@pytest.mark.rule("B10")
@pytest.mark.parametrize("code", CODES)
def test_B10_every_node_of_a_block_accepts_a_value(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    html = HTML[code]
    for selector, node in manifest.nodes.items():
        data = {selector: VALUES[node.type]}
        edited = update_nodes(html, {}, data, manifest, structure=html, rules=Rules())
        assert edited.applied == 1, selector
        assert (edited.content, edited.params) != (html, {}), selector
        assert clean_block(edited.content) == edited.content


@pytest.mark.rule("B11")
@pytest.mark.parametrize("code", CODES)
def test_B11_every_attribute_that_a_block_declares_can_be_set(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    html = HTML[code]
    for selector, attributes in manifest.attrs.items():
        for name in attributes:
            data = {selector: {"attrs": {name: "new"}}}
            edited = update_nodes(html, {}, data, manifest, structure=html, rules=Rules())
            assert edited.applied == 1, (selector, name)
            assert clean_block(edited.content) == edited.content


@pytest.mark.parametrize(
    ("code", "menu"),
    [
        pytest.param(code, menu, id=code)
        for code in CODES
        for menu in parse_manifest(document(code)["manifest"]).menu.values()
    ],
)
def test_B16_a_menu_is_drawn_as_its_manifest_would_draw_it(code: str, menu: Menu) -> None:
    fragment = parse_fragment(HTML[code])
    items = fragment.select(menu.item)
    lists = fragment.select("." + menu.root.ul.split()[0])
    assert {element.attr("class") for element in lists} == {menu.root.ul}
    assert {element.attr("class") for element in items} == {menu.root.li}
    links = [link for item in items for link in item.select("a")]
    assert {link.attr("class") for link in links} == {menu.root.a}
    assert len(links) == len(items)


@pytest.mark.rule("H2")
@pytest.mark.rule("H2")
@pytest.mark.parametrize("code", CODES)
def test_H2_the_policy_leaves_a_block_unchanged(code: str) -> None:
    assert clean_block(HTML[code]) == HTML[code]


@pytest.mark.parametrize("code", CODES)
def test_every_picture_of_a_block_exists(code: str) -> None:
    assert pictures_missing(HTML[code]) == []


@pytest.mark.parametrize("source", EVERY_HTML)
def test_every_picture_has_an_alternative_text_and_a_size(source: str) -> None:
    for picture in parse_fragment(EVERY_HTML[source]).select("img"):
        assert (picture.attr("alt") or "").strip()
        assert (picture.attr("width"), picture.attr("height")) == ("1200", "800")


# --------------------------------------------------------------------- demo


def test_P11_the_demo_is_one_published_site_with_three_pages() -> None:
    assert DEMO.keys() == {"users", "sites", "folders", "pages"}
    shown = [each for each in (*DEMO["sites"], *DEMO["folders"]) if each["active"]]
    assert [each["code"] for each in shown] == ["demo"]
    assert len(PAGES) == 3
    for page in DEMO["pages"]:
        assert page["site"] == DEMO["sites"][0]["id"]
        assert page["active"]
        assert page["published"]
        assert page["title"]
        assert page["description"]
        assert page["additional_fields"].keys() == {"METAOG_TITLE", "METAOG_DESCRIPTION"}


def test_B1_drafts_and_published_blocks_share_one_id_space() -> None:
    blocks = [block for page in DEMO["pages"] for block in page["blocks"]]
    ids = [block[key] for block in blocks for key in ("id", "published_id")]
    assert len(set(ids)) == len(ids)
    assert len({page["id"] for page in DEMO["pages"]}) == len(DEMO["pages"])


@pytest.mark.parametrize("address", PAGES)
def test_B3_the_blocks_of_a_page_stand_in_their_order(address: str) -> None:
    order = [block["sort"] for block in PAGES[address]["blocks"]]
    assert order == [500 * (place + 1) for place in range(len(order))]


@pytest.mark.parametrize("block", DEMO_BLOCKS)
def test_H2_the_policy_leaves_the_demo_unchanged(block: dict[str, Any]) -> None:
    assert clean_block(block["content"]) == block["content"]


@pytest.mark.parametrize("block", DEMO_BLOCKS)
def test_B7_a_block_of_the_demo_can_be_edited_as_its_type_can(block: dict[str, Any]) -> None:
    manifest = parse_manifest(document(block["code"])["manifest"])
    fragment = parse_fragment(block["content"])
    selectors = [".landing-block." + style_name(block["code"]), *manifest.nodes, *manifest.cards]
    assert [selector for selector in selectors if not fragment.select(selector)] == []


@pytest.mark.parametrize("address", PAGES)
def test_the_demo_loads_nothing_from_other_servers(address: str) -> None:
    fragment = parse_fragment(page_html(PAGES[address]))
    assert fragment.select("iframe") == []
    assert [e for e in fragment.select("[src]") if not (e.attr("src") or "").startswith("/")] == []
    assert pictures_missing(page_html(PAGES[address])) == []


@pytest.mark.parametrize("address", PAGES)
def test_every_link_of_the_demo_leads_to_something(address: str) -> None:
    assert [target for target in links(PAGES[address]) if not leads(address, target)] == []


def test_every_page_of_the_demo_is_linked_from_every_other() -> None:
    for page in DEMO["pages"]:
        assert PAGES.keys() <= {target.partition("#")[0] for target in links(page)}


@pytest.mark.parametrize("address", PAGES)
def test_the_headings_of_a_page_make_an_outline(address: str) -> None:
    assert makes_an_outline(page_html(PAGES[address]))


def links(page: dict[str, Any]) -> Iterator[str]:
    for link in parse_fragment(page_html(page)).select("a"):
        yield link.attr("href") or ""


def leads(address: str, target: str) -> bool:
    """Tell whether a link on the page at `address` leads to a page, an anchor, or a mailbox."""
    if is_mailbox(target):
        return True
    path, _, anchor = target.partition("#")
    page = PAGES.get(path or address)
    if page is None:
        return False
    return not anchor or anchor in {block["anchor"] for block in page["blocks"]}
