"""`landing.block.updateattrs`: the effect of selectors and values, good and bad (B8, B12, H1)."""

from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.attributes import BLOCK, HTML, MORE, SANDBOX, attrs_world, edited
from contract.rules import rows
from contract.worlds import everything, find
from corpora import read_cases, read_data

from landyard.testing import Service
from landyard_html.policy import clean_block

METHOD = "landing.block.updateattrs"

# The effect of a value does not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _having(html: str, name: str) -> list[str]:
    """The texts of the elements that have the attribute."""
    return [each.text for each in find(html, f"[{name}]")]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=attrs_world())


@pytest.mark.rule("B8", "limit: index base", f"{METHOD} data:@")
@pytest.mark.parametrize(
    ("selector", "texts"),
    read_data(__file__, "B8 without a position all elements are set", list[tuple[str, Any]]),
)
def test_B8_without_a_position_all_elements_are_set(
    service: Service, selector: str, texts: list[str]
) -> None:
    assert _having(edited(service, {selector: {"data-x": "1"}}), "data-x") == texts


@pytest.mark.rule("B12", "B7", f"{METHOD} data")
@pytest.mark.parametrize(
    ("selector", "name", "is_set"),
    read_cases(__file__, "B12 attributes the manifest allows are set", tuple[str, str, bool]),
)
def test_B12_attributes_the_manifest_allows_are_set(
    make_service: MakeService, selector: str, name: str, is_set: bool
) -> None:
    service = make_service(world=attrs_world(HTML + MORE))
    before = everything(service)

    html = edited(service, {selector: {name: "brand new"}})

    assert (len(find(html, f'[{name}="brand new"]')) > 0) is is_set
    assert (everything(service) != before) is is_set


@pytest.mark.rule("B12")
def test_B12_the_block_is_its_own_outermost_element(make_service: MakeService) -> None:
    service = make_service(world=attrs_world(HTML + MORE))

    html = edited(service, {BLOCK: {"data-tone": "dark"}})

    opening = '<section class="landing-block" id="own"'
    assert html == (HTML + MORE).replace(opening, f'{opening} data-tone="dark"')


@pytest.mark.rule("B12")
@pytest.mark.parametrize(
    ("style", "is_set"),
    [({"block": {"type": ["box"]}}, True), ({"block": []}, True), ({"nodes": {}}, False)],
)
def test_B12_a_style_section_without_attributes_allows_any_safe_one(
    make_service: MakeService, style: dict[str, Any], is_set: bool
) -> None:
    service = make_service(world=attrs_world("<!-- x -->text<p>a</p><p>b</p>", {"style": style}))

    assert _having(edited(service, {BLOCK: {"title": "x"}}), "title") == ["a"] * is_set


@pytest.mark.rule("B12")
def test_B12_a_block_without_an_element_has_no_attribute_to_set(make_service: MakeService) -> None:
    service = make_service(world=attrs_world("text"))

    assert edited(service, {BLOCK: {"data-tone": "x"}}) == "text"


@pytest.mark.rule("B12", f"{METHOD} data")
@pytest.mark.parametrize(
    ("value", "text"),
    read_data(__file__, "B12 values are text", list[tuple[Any, str]]),
)
def test_B12_values_are_text(make_service: MakeService, value: object, text: str) -> None:
    html = edited(make_service(world=attrs_world()), {".node@1": {"data-x": value}})

    assert find(html, ".node")[1].attr("data-x") == text
    assert clean_block(html) == html


@pytest.mark.rule("B12", "C3")
def test_B12_deep_json_is_text_up_to_the_depth_of_a_request(service: Service) -> None:
    deep: list[Any] = []
    for _ in range(55):
        deep = [deep]

    html = edited(service, {".node": {"data-x": deep}})

    assert find(html, ".node")[0].attr("data-x") == msgspec.json.encode(deep).decode()


@pytest.mark.rule("B12")
def test_B12_null_leaves_the_attribute_unchanged(service: Service) -> None:
    html = edited(service, {".go": {"href": None, "target": "_blank", "title": None}})

    assert html == HTML.replace('target="_self"', 'target="_blank"')


@pytest.mark.rule("H2", "B12", f"{METHOD} data")
def test_H2_everything_else_keeps_its_bytes(service: Service) -> None:
    data = {".style": {"data-old": "new"}, ".node@1": {"title": "x"}, ".unknown": {"title": "y"}}

    html = edited(service, data)

    assert html == HTML.replace('data-old="&quot;"', 'data-old="new"').replace(
        '<div class="node">b', '<div class="node" title="x">b'
    )


@pytest.mark.rule("B12")
def test_B12_the_last_of_two_values_for_one_attribute_counts(make_service: MakeService) -> None:
    data = {".node": {"title": "1", "TITLE": "2"}, ".node@1": {"Title": "3"}}

    html = edited(make_service(world=attrs_world()), data)

    assert [each.attr("title") for each in find(html, ".node")] == ["2", "3"]


@pytest.mark.rule("B9", "B12")
def test_B9_only_the_unusable_entries_are_ignored(make_service: MakeService) -> None:
    data = {
        ".card": "x",
        ".style": None,
        ".film": {"src": "javascript:x", "title": "kept"},
        ".node@7": {"title": "x"},
        ".node@0": {"title": "kept", "onclick": "x", "href": "x"},
    }

    html = edited(make_service(world=attrs_world()), data)

    assert html == HTML.replace('<div class="node">a', '<div class="node" title="kept">a').replace(
        f'sandbox="{SANDBOX}"', f'sandbox="{SANDBOX}" title="kept"'
    )


@pytest.mark.rule("B12")
def test_B12_the_wrapper_and_the_block_id_are_not_elements_of_the_block(
    make_service: MakeService,
) -> None:
    service = make_service(
        world=attrs_world(MORE, {"style": {"nodes": {"#wrapper": {"type": "x"}}}})
    )
    before = everything(service)

    edited(service, {"#wrapper": {"title": "x"}, BLOCK: {"title": "x"}})

    assert everything(service) == before


@pytest.mark.rule("B11", *rows(METHOD, "data result"))
def test_B11_parameters_of_components_follow_the_rules_of_updatenodes(
    make_service: MakeService,
) -> None:
    component = "bitrix:catalog.section"
    manifest = {
        "nodes": {component: {"type": "component"}},
        "attrs": {component: [{"attribute": "SECTION_ID"}]},
    }
    service = make_service(world=attrs_world("<div>x</div>", manifest))
    before = everything(service)

    edited(service, {component: {"SECTION_ID": "7"}})

    assert everything(service) == before
