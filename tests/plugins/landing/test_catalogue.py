"""The built-in catalogue and the demo site: what ships is whole, inert, legible and findable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from turbohtml import parse_fragment

from landyard_landing.manifests import Menu, parse_manifest
from landyard_landing.nodes import Rules, update_nodes
from landyard_landing.policy import clean_block

CATALOGUE = files("landyard_landing").joinpath("catalogue")
ASSETS = CATALOGUE.joinpath("assets")


def names(folder: str, suffix: str) -> list[str]:
    """The stems of the files of one kind in a folder of the catalogue."""
    found = (entry.name for entry in CATALOGUE.joinpath(folder).iterdir())
    return sorted(name.removesuffix(suffix) for name in found if name.endswith(suffix))


def read(path: str) -> str:
    return CATALOGUE.joinpath(path).read_text(encoding="utf-8")


def document(code: str) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(read(f"blocks/{code}.json"))
    return decoded


CODES = names("blocks", ".html")
PICTURES = names("assets/pictures", ".svg")
HTML = {code: read(f"blocks/{code}.html") for code in CODES}
CSS = re.sub(r"/\*.*?\*/", "", read("assets/landyard.css"), flags=re.DOTALL)
DEMO: dict[str, Any] = json.loads(read("demo.json"))
PAGES: dict[str, dict[str, Any]] = {
    "/demo/" if page["id"] == DEMO["sites"][0]["main_page"] else f"/demo/{page['code']}/": page
    for page in DEMO["pages"]
}
DEMO_BLOCKS = [
    pytest.param(block, id=f"{page['code']}-{block['code']}")
    for page in DEMO["pages"]
    for block in page["blocks"]
]


def page_html(page: dict[str, Any]) -> str:
    return "".join(block["content"] for block in page["blocks"])


# ------------------------------------------------------------------- blocks


def test_every_block_has_its_html_and_its_manifest() -> None:
    assert names("blocks", ".json") == CODES
    assert len(CODES) >= 8


def test_the_catalogue_shows_every_kind_of_node_a_menu_and_cards() -> None:
    manifests = [parse_manifest(document(code)["manifest"]) for code in CODES]
    types = {node.type for manifest in manifests for node in manifest.nodes.values()}
    assert types >= {"text", "img", "link", "icon", "embed"}
    assert any(manifest.menu for manifest in manifests)
    assert any(manifest.cards for manifest in manifests)
    assert any(manifest.attrs for manifest in manifests)
    assert any(manifest.block_attrs for manifest in manifests)


@pytest.mark.parametrize("code", CODES)
def test_a_document_names_its_block_once(code: str) -> None:
    described = document(code)
    assert described.keys() == {"name", "manifest", "css", "js"}
    assert described["name"] == described["manifest"]["block"]["name"]


@pytest.mark.parametrize("code", CODES)
def test_B7_every_selector_of_a_manifest_finds_an_element(code: str) -> None:
    manifest = parse_manifest(document(code)["manifest"])
    selectors = {*manifest.nodes, *manifest.cards, *manifest.attrs, *manifest.menu}
    selectors |= manifest.style_nodes
    fragment = parse_fragment(HTML[code])
    assert [selector for selector in sorted(selectors) if not fragment.select(selector)] == []


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


def test_B10_a_picture_node_may_be_a_background() -> None:
    background = parse_fragment(HTML["ly.cover"]).select(".landing-block-node-bgimg")[0]
    assert background.tag == "div"
    assert (background.attr("style") or "").startswith("background-image:url('/assets/pictures/")


def test_B10_an_icon_of_the_catalogue_gives_way_to_another() -> None:
    manifest = parse_manifest(document("ly.cards")["manifest"])
    html = HTML["ly.cards"]
    data = {".landing-block-node-icon": ["icon-anchor"]}
    edited = update_nodes(html, {}, data, manifest, structure=html, rules=Rules())
    assert edited.content == html.replace("ly-icon icon-boat", "ly-icon icon-anchor")


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


@pytest.mark.parametrize("code", CODES)
def test_H2_the_policy_leaves_a_block_as_it_is(code: str) -> None:
    assert clean_block(HTML[code]) == HTML[code]


@pytest.mark.parametrize("code", CODES)
def test_every_picture_of_a_block_is_there(code: str) -> None:
    assert pictures_missing(HTML[code]) == []


@pytest.mark.parametrize("source", [*HTML, *PAGES])
def test_every_picture_says_what_it_shows_and_how_large_it_is(source: str) -> None:
    html = HTML[source] if source in HTML else page_html(PAGES[source])
    for picture in parse_fragment(html).select("img"):
        assert (picture.attr("alt") or "").strip()
        assert (picture.attr("width"), picture.attr("height")) == ("1200", "800")


# --------------------------------------------------------------- stylesheet


def test_the_stylesheet_is_small() -> None:
    assert len(ASSETS.joinpath("landyard.css").read_bytes()) < 20_000


def test_H4_the_stylesheet_loads_only_what_ships_with_it() -> None:
    assert "@import" not in CSS
    assert "//" not in CSS
    addresses = set(re.findall(r"""url\(["']?([^"')]+)["']?\)""", CSS))
    assert addresses
    assert addresses <= {f"pictures/{name}.svg" for name in PICTURES}


def test_B10_every_icon_class_in_use_has_its_place_in_the_sprite() -> None:
    drawn = {name: int(place) for name, place in re.findall(r"\.(icon-\w+) \{ --n: (\d+); \}", CSS)}
    html = "".join([*HTML.values(), *map(page_html, PAGES.values())])
    sprite = ET.fromstring(read("assets/pictures/icons.svg"))
    places = len(sprite.findall(".//{*}path"))
    assert sorted(drawn.values()) == list(range(places))
    assert places >= 8
    assert f"/ {places - 1} * 100%" in CSS
    assert f"/ {places}00% 100%" in CSS
    assert set(re.findall(r"\bly-icon (icon-\w+)", html)) <= drawn.keys()


@pytest.mark.parametrize("name", PICTURES)
def test_H4_a_drawing_runs_and_loads_nothing(name: str) -> None:
    text = read(f"assets/pictures/{name}.svg")
    # No style either: drawings are served under a policy that would drop it.
    forbidden = {"script", "style", "image", "use", "foreignObject", "a", "text"}
    for element in ET.fromstring(text).iter():
        assert element.tag.rpartition("}")[2] not in forbidden
        assert not [key for key in element.attrib if key.startswith("on") or "href" in key]
        assert "style" not in element.attrib
    assert len(text.encode()) < 16_000


SCHEMES = {
    "light": CSS.partition("@media")[0],
    "dark": CSS.partition("@media (prefers-color-scheme: dark)")[2].partition("*,")[0],
}
WRITTEN = [
    *[(fore, ground) for fore in ("ink", "soft", "hot") for ground in ("paper", "tint")],
    ("on-hot", "hot"),
    *[(fore, "deep") for fore in ("on-deep", "soft-deep", "hot-deep")],
    ("on-hot-deep", "hot-deep"),
    *[(fore, "keel") for fore in ("on-keel", "soft-keel")],
]


def colours(scheme: str) -> dict[str, str]:
    """The custom properties in force; what dark does not name, it inherits."""
    found = dict(re.findall(r"--([\w-]+): ([^;]+);", SCHEMES["light"]))
    if scheme == "dark":
        found |= dict(re.findall(r"--([\w-]+): ([^;]+);", SCHEMES["dark"]))
    return found


def channels(colour: str) -> list[float]:
    return [int(colour[index : index + 2], 16) for index in (1, 3, 5)]


def luminance(colour: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    shares = [value / 255 for value in colour]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
    return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_wcag_has_it() -> None:
    assert contrast(channels("#000000"), channels("#ffffff")) == pytest.approx(21)
    assert contrast(channels("#767676"), channels("#ffffff")) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("fore", "ground"), WRITTEN)
def test_text_is_legible_in_both_schemes(scheme: str, fore: str, ground: str) -> None:
    found = colours(scheme)
    assert contrast(channels(found[fore]), channels(found[ground])) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_cover_is_legible_over_a_white_picture(scheme: str) -> None:
    found = colours(scheme)
    thin = float(found["veil-thin"])
    veil = [int(value) * thin + 255 * (1 - thin) for value in found["veil"].split()]
    assert contrast(channels(found["on-deep"]), veil) >= 4.5


# --------------------------------------------------------------------- demo


def test_P11_the_demo_is_one_published_site_with_three_pages() -> None:
    assert DEMO.keys() == {"users", "sites", "pages"}
    assert [site["code"] for site in DEMO["sites"]] == ["demo"]
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
def test_H2_the_policy_leaves_the_demo_as_it_is(block: dict[str, Any]) -> None:
    assert clean_block(block["content"]) == block["content"]


@pytest.mark.parametrize("block", DEMO_BLOCKS)
def test_B7_a_block_of_the_demo_can_be_edited_as_its_type_can(block: dict[str, Any]) -> None:
    manifest = parse_manifest(document(block["code"])["manifest"])
    fragment = parse_fragment(block["content"])
    selectors = [".landing-block." + style_name(block["code"]), *manifest.nodes, *manifest.cards]
    assert [selector for selector in selectors if not fragment.select(selector)] == []


@pytest.mark.parametrize("address", PAGES)
def test_the_demo_asks_nothing_of_other_servers(address: str) -> None:
    fragment = parse_fragment(page_html(PAGES[address]))
    assert fragment.select("iframe") == []
    assert [e for e in fragment.select("[src]") if not (e.attr("src") or "").startswith("/")] == []
    assert pictures_missing(page_html(PAGES[address])) == []


@pytest.mark.parametrize("address", PAGES)
def test_every_link_of_the_demo_leads_somewhere(address: str) -> None:
    assert [target for target in links(PAGES[address]) if not leads(address, target)] == []


def test_every_page_of_the_demo_is_linked_from_every_other() -> None:
    for page in DEMO["pages"]:
        assert PAGES.keys() <= {target.partition("#")[0] for target in links(page)}


@pytest.mark.parametrize("address", PAGES)
def test_the_headings_of_a_page_make_an_outline(address: str) -> None:
    headings = parse_fragment(page_html(PAGES[address])).select("h1, h2, h3, h4, h5, h6")
    levels = [int(heading.tag[1]) for heading in headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def style_name(code: str) -> str:
    return code.replace(".", "-").replace("_", "-")


def pictures_missing(html: str) -> list[str]:
    shown = re.findall(r"/assets/pictures/([\w-]+)\.svg", html)
    assert html.count("/assets/") == len(shown)
    return sorted(set(shown) - set(PICTURES))


def links(page: dict[str, Any]) -> Iterator[str]:
    for link in parse_fragment(page_html(page)).select("a"):
        yield link.attr("href") or ""


def leads(address: str, target: str) -> bool:
    """Whether a link on the page at `address` arrives: at a page, an anchor, or a mailbox."""
    if re.fullmatch(r"mailto:[\w.-]+@[\w.-]+\.example|tel:\+\d+", target):
        return True
    path, _, anchor = target.partition("#")
    page = PAGES.get(path or address)
    if page is None:
        return False
    return not anchor or anchor in {block["anchor"] for block in page["blocks"]}
