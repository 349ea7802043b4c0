"""The shipped block types: complete, safe, editable, with a small style sheet for both directions
of text.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs
from plugins.catalogue.shipped import CSS, SHARED, TYPES, layouts, picture_is_there
from turbohtml import parse_fragment

from landyard_html.attributes import update_attributes
from landyard_html.nodes import update_nodes
from landyard_html.policy import clean_block
from landyard_html.values import Rules

CODES = sorted(TYPES)
PICTURES = sorted(name for name in SHARED if name.endswith(".svg"))


@pytest.mark.parametrize("code", CODES)
def test_every_type_passes_the_check_that_a_start_skips(code: str) -> None:
    structs.replace(TYPES[code], checked=False).check({})


@pytest.mark.parametrize("code", CODES)
def test_a_block_is_one_element_with_the_class_of_its_type(code: str) -> None:
    fragment = parse_fragment(TYPES[code].content)
    roots = [root.attr("class") for root in fragment.select(".landing-block")]

    assert roots == [f"landing-block {code.replace('.', '-')}"]


@pytest.mark.parametrize("code", CODES)
def test_every_layout_of_a_block_can_be_set_and_has_a_style(code: str) -> None:
    """The first layout is the style sheet's default."""
    kind = TYPES[code]
    own, *others = layouts(code)
    assert others
    assert f'data-layout="{own}"' in kind.content
    for layout in others:
        data = {"#block0": {"data-layout": layout}}
        done = update_attributes(kind.content, data, kind.manifest, block_id=0, rules=Rules())
        assert done is not None
        assert f'data-layout="{layout}"' in done
        assert f'[data-layout="{layout}"]' in CSS


@pytest.mark.parametrize("code", CODES)
def test_every_text_of_a_block_can_be_edited(code: str) -> None:
    kind = TYPES[code]
    texts = [name for name, node in kind.manifest.nodes.items() if node.type == "text"]
    for selector in texts:
        edited = update_nodes(
            *(kind.content, {}, {selector: "<b>Ours</b>"}, kind.manifest),
            structure=kind.content,
            rules=Rules(),
        )
        assert edited.content != kind.content, selector
        assert clean_block(edited.content) == edited.content


@pytest.mark.parametrize("code", CODES)
def test_a_block_loads_nothing_from_other_servers(code: str) -> None:
    fragment = parse_fragment(TYPES[code].content)
    addresses = [each.attr("src") or "" for each in fragment.select("img, [poster]")]
    addresses += [each.attr("poster") or "" for each in fragment.select("[poster]")]

    assert [each for each in addresses if each and not picture_is_there(each)] == []
    assert "//" not in TYPES[code].content
    for picture in fragment.select("img"):
        assert (picture.attr("alt") or "").strip()
        assert picture.attr("width")
        assert picture.attr("height")


def test_pages_load_one_style_sheet_whichever_blocks_they_have() -> None:
    assert len({each.css for each in TYPES.values()}) == 1
    assert len(SHARED["site.css"].content) < 29_000
    assert "@import" not in CSS
    assert "url(" not in CSS


def test_the_style_sheet_uses_no_left_or_right() -> None:
    sided = r"(?:padding|margin|border|inset)[a-z-]*-(?:left|right)|(?<![-\w])(?:left|right|float):"
    aligned = r"text-align:\s*(?:left|right)"

    assert re.findall(f"{sided}|{aligned}", CSS) == []


def test_the_style_sheet_has_no_colours_of_its_own() -> None:
    """A theme that sets the properties therefore changes these blocks too."""
    assert re.findall(r"#[0-9a-f]{3,8}\b", CSS) == []
    assert re.findall(r"\brgb\((?!var)", CSS) == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_contains_no_script_and_loads_nothing(name: str) -> None:
    forbidden = {"script", "style", "image", "use", "foreignObject", "a", "text"}
    for element in ET.fromstring(SHARED[name].content.decode()).iter():
        assert element.tag.rpartition("}")[2] not in forbidden
        assert not [key for key in element.attrib if key.startswith("on") or "href" in key]
        assert "style" not in element.attrib
    assert len(SHARED[name].content) < 16_000
