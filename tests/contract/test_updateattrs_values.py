"""What `landing.block.updateattrs` makes of selectors and values, good and bad (B8, B12, H1)."""

from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.attributes import BLOCK, HTML, MORE, SANDBOX, attrs_world, edited
from contract.rules import rows
from contract.worlds import everything, find

from landyard_landing.policy import clean_block

METHOD = "landing.block.updateattrs"

# What becomes of a value does not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _having(html: str, name: str) -> list[str]:
    """The texts of the elements that have the attribute."""
    return [each.text for each in find(html, f"[{name}]")]


@pytest.mark.rule("B8", "limit: index base", f"{METHOD} data:@")
@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        (".node", ["a", "b"]),
        (".node@0", ["a"]),
        (".node@1", ["b"]),
        (".node@01", ["b"]),
        (".node@2", []),
        (".node@99999999999999999999", []),
        (".node@", ["a"]),
        (".node@one", ["a"]),
        (".node@-1", ["a"]),
        (".node@1.0", ["a"]),
        (".node@ 1", ["a"]),
        (".node@\u0661", ["a"]),
        (".node@1@1", []),
        ("@1", []),
        (".absent", []),
        (".bro[ken", []),
        (".node:last-of-type", []),  # the last <div> is none of them
    ],
)
def test_B8_without_a_position_all_elements_are_set(
    make_service: MakeService, selector: str, texts: list[str]
) -> None:
    service = make_service(world=attrs_world())

    assert _having(edited(service, {selector: {"data-x": "1"}}), "data-x") == texts


@pytest.mark.rule("B12", "B7", f"{METHOD} data")
@pytest.mark.parametrize(
    ("selector", "name", "is_set"),
    [
        # declared: in `attrs`, in a group, under a card, under a style; and nothing else then
        (".card", "data-one", True),
        (".card", "data-grouped", True),
        (".card", "data-card", True),
        (".card", "data-other", False),
        (".card", "title", False),
        (".style", "data-old", True),
        (".style", "title", False),
        (".style", "data-tone", False),
        # declared for another selector than the one it stands under
        (".moved", "data-moved", True),
        (".moved", "data-other", False),
        (".told", "data-told", True),
        (".told", "data-tone", False),
        # named without any declared: any safe one
        (".node", "data-any", True),
        (".node", "title", True),
        (".node", "aria-label", True),
        (".node", "href", False),
        ("aside", "lang", True),
        (".menu", "role", True),
        (".link", "hreflang", True),
        (".group", "title", True),
        # a selector with `:` that is CSS
        ("li:first-child", "data-first", True),
        ("li:first-child", "title", False),
        # not of the manifest
        ("section", "data-any", False),
        (".landing-block", "data-tone", False),
        ("b", "title", False),
        # the block itself
        (BLOCK, "data-tone", True),
        (f"{BLOCK}@0", "data-tone", True),
        (f"{BLOCK}@", "data-tone", True),
        (f"{BLOCK}@1", "data-tone", False),
        (BLOCK, "data-other", False),
        (BLOCK, "title", False),
        (BLOCK, "id", False),
        (f"{BLOCK}0", "data-tone", False),
        ("#block1", "data-tone", False),
        ("#block0100", "data-tone", False),
        ("#own", "data-tone", False),
        # declared, and never set all the same
        *((".evil", name, False) for name in ("onclick", "style", "class", "id")),
        (".evil", "title", True),
    ],
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
def test_B12_a_block_with_a_style_that_declares_nothing_takes_any_safe_one(
    make_service: MakeService, style: dict[str, Any], is_set: bool
) -> None:
    service = make_service(world=attrs_world("<!-- x -->text<p>a</p><p>b</p>", {"style": style}))

    assert _having(edited(service, {BLOCK: {"title": "x"}}), "title") == ["a"] * is_set


@pytest.mark.rule("B12")
def test_B12_a_block_without_an_element_has_none_to_set(make_service: MakeService) -> None:
    service = make_service(world=attrs_world("text"))

    assert edited(service, {BLOCK: {"data-tone": "x"}}) == "text"


@pytest.mark.rule("B12", f"{METHOD} data")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ("  as it is  ", "  as it is  "),
        ('"><script>alert(1)</script>', '"><script>alert(1)</script>'),
        ("&quot;&amp;", "&quot;&amp;"),
        ("a\nb\u00a0\U0001f600", "a\nb\u00a0\U0001f600"),
        (0, "0"),
        (-7, "-7"),
        (1.5, "1.5"),
        (2**63, "9223372036854775808"),
        (True, "true"),
        (False, "false"),
        ([1, 2, 3], "[1,2,3]"),
        ([], "[]"),
        ({}, "{}"),
        ({"a": [None, {"b": '"<é>'}]}, '{"a":[null,{"b":"\\"<é>"}]}'),
    ],
)
def test_B12_values_are_text(make_service: MakeService, value: object, text: str) -> None:
    html = edited(make_service(world=attrs_world()), {".node@1": {"data-x": value}})

    assert find(html, ".node")[1].attr("data-x") == text
    assert clean_block(html) == html


@pytest.mark.rule("B12", "C3")
def test_B12_deep_json_is_text_up_to_the_depth_of_a_request(make_service: MakeService) -> None:
    service = make_service(world=attrs_world())
    deep: list[Any] = []
    for _ in range(55):
        deep = [deep]

    html = edited(service, {".node": {"data-x": deep}})

    assert find(html, ".node")[0].attr("data-x") == msgspec.json.encode(deep).decode()


@pytest.mark.rule("B12")
def test_B12_null_leaves_the_attribute(make_service: MakeService) -> None:
    service = make_service(world=attrs_world())

    html = edited(service, {".go": {"href": None, "target": "_blank", "title": None}})

    assert html == HTML.replace('target="_self"', 'target="_blank"')


@pytest.mark.rule("H2", "B12", f"{METHOD} data")
def test_H2_everything_else_keeps_its_bytes(make_service: MakeService) -> None:
    service = make_service(world=attrs_world())
    data = {".style": {"data-old": "new"}, ".node@1": {"title": "x"}, ".unknown": {"title": "y"}}

    html = edited(service, data)

    assert html == HTML.replace('data-old="&quot;"', 'data-old="new"').replace(
        '<div class="node">b', '<div class="node" title="x">b'
    )


@pytest.mark.rule("B12")
def test_B12_of_two_values_for_one_attribute_the_last_stays(make_service: MakeService) -> None:
    data = {".node": {"title": "1", "TITLE": "2"}, ".node@1": {"Title": "3"}}

    html = edited(make_service(world=attrs_world()), data)

    assert [each.attr("title") for each in find(html, ".node")] == ["2", "3"]


@pytest.mark.rule("B9", "B12")
def test_B9_what_cannot_be_used_is_passed_over_alone(make_service: MakeService) -> None:
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
def test_B12_wrapper_and_block_id_are_none_of_the_blocks_own_elements(
    make_service: MakeService,
) -> None:
    service = make_service(
        world=attrs_world(MORE, {"style": {"nodes": {"#wrapper": {"type": "x"}}}})
    )
    before = everything(service)

    edited(service, {"#wrapper": {"title": "x"}, BLOCK: {"title": "x"}})

    assert everything(service) == before


@pytest.mark.rule("B11", *rows(METHOD, "data result"))
def test_B11_parameters_of_components_are_those_of_updatenodes(make_service: MakeService) -> None:
    component = "bitrix:catalog.section"
    manifest = {
        "nodes": {component: {"type": "component"}},
        "attrs": {component: [{"attribute": "SECTION_ID"}]},
    }
    service = make_service(world=attrs_world("<div>x</div>", manifest))
    before = everything(service)

    edited(service, {component: {"SECTION_ID": "7"}})

    assert everything(service) == before
