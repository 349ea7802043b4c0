"""Page templates: the built-in ones are complete, and a world file's templates win over them."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.worlds import world
from corpora import read_data
from plugins.content.blocks.shipped import (
    CODES,
    TEMPLATES,
    document,
    is_mailbox,
    makes_an_outline,
    page_html,
    pictures_missing,
    style_name,
)
from tables import for_each
from turbohtml import parse_fragment

from landyard.testing import Service
from landyard_content.pages.templates import (
    PageTemplate,
    TemplateBlock,
    builtin_templates,
    find_template,
    list_templates,
    stored_templates,
)
from landyard_html.manifests import parse_manifest
from landyard_html.policy import clean_block

SHOWN = [code for code, template in TEMPLATES.items() if template["blocks"]]
ALL = [
    pytest.param(block, id=f"{code}-{number}-{block['code']}")
    for code, template in TEMPLATES.items()
    for number, block in enumerate(template["blocks"])
]
# Templates of other plugins are tested in plugins/catalogue/test_templates.py.
BLOCKS = [block for block in ALL if "-ly." in str(block.id)]
SEO = {"METAOG_TITLE", "METAOG_DESCRIPTION", "METAMAIN_TITLE", "METAMAIN_DESCRIPTION"}


# ------------------------------------------------------------ shipped templates


def test_there_is_a_template_for_each_purpose() -> None:
    expected = {"empty", "product", "event", "portfolio", "coming-soon", "news-detail"}
    assert TEMPLATES.keys() == expected
    assert {code: template["code"] for code, template in TEMPLATES.items()} == {
        code: code for code in expected
    }


@pytest.mark.parametrize("code", TEMPLATES)
def test_a_template_has_a_title_and_a_description(code: str) -> None:
    template = TEMPLATES[code]
    assert template["title"]
    assert template["description"]
    assert template["fields"]["TITLE"]
    assert template["type"] == "PAGE"
    assert not template["locked"]


@for_each("code", SHOWN)
def test_a_template_with_blocks_has_texts_for_search_engines(code: str) -> None:
    fields = TEMPLATES[code]["fields"]
    assert fields["CODE"] == code
    assert fields["ADDITIONAL_FIELDS"].keys() == SEO
    assert all(fields["ADDITIONAL_FIELDS"].values())


@pytest.mark.rule("H2")
@for_each("block", ALL)
def test_H2_the_policy_leaves_a_template_unchanged(block: dict[str, Any]) -> None:
    html = page_html({"blocks": [block]})
    assert clean_block(html) == html


@for_each("block", BLOCKS)
def test_B7_a_block_of_a_template_can_be_edited_as_its_type_can(block: dict[str, Any]) -> None:
    assert block["code"] in CODES
    manifest = parse_manifest(document(block["code"])["manifest"])
    named = {*manifest.nodes, *manifest.cards, *manifest.attrs, *manifest.menu}
    selectors = {selector for selector in named if ":" not in selector}
    fragment = parse_fragment(page_html({"blocks": [block]}))
    root = ".landing-block." + style_name(block["code"])
    assert {selector for selector in {*selectors, root} if not fragment.select(selector)} == set()


@for_each("block", BLOCKS)
def test_B11_the_manifest_lists_the_parameters_of_a_component(block: dict[str, Any]) -> None:
    manifest = parse_manifest(document(block["code"])["manifest"])
    for component, parameters in block["params"].items():
        assert manifest.attrs[component] >= parameters.keys()


@pytest.mark.parametrize(
    ("code", "component"),
    [("product", "bitrix:catalog.element"), ("news-detail", "bitrix:news.detail")],
)
def test_P12_a_component_of_a_template_waits_for_its_element(code: str, component: str) -> None:
    waiting = [
        name
        for block in TEMPLATES[code]["blocks"]
        for name, value in block["params"].get(component, {}).items()
        if value == ""
    ]
    assert waiting == ["IBLOCK_ID", "SECTION_ID", "ELEMENT_ID"]


@for_each("code", SHOWN)
def test_each_link_of_a_built_in_template_leads_to_something(code: str) -> None:
    anchors = [block["anchor"] for block in TEMPLATES[code]["blocks"] if block["anchor"]]
    targets = set(_links(TEMPLATES[code]))

    assert len(anchors) == len(set(anchors))
    assert {target for target in targets if not is_mailbox(target)} == {
        f"#{anchor}" for anchor in (*anchors, "content")
    }


@for_each("code", SHOWN)
def test_a_page_of_a_template_has_pictures_and_an_outline(code: str) -> None:
    html = page_html(TEMPLATES[code])
    assert pictures_missing(html) == []
    assert makes_an_outline(html)


def _links(template: dict[str, Any]) -> Iterator[str]:
    for link in parse_fragment(page_html(template)).select("a"):
        yield link.attr("href") or ""


# ------------------------------------------------------- finding templates

PROMO = read_data(__file__, "PROMO", dict[str, Any])


def test_a_template_is_read_as_its_world_file_wrote_it(make_service: MakeService) -> None:
    service = make_service(world=world(templates=[PROMO]))

    assert _find(service, "promo") == PageTemplate(
        code="promo",
        type="STORE",
        title="Promo",
        description="Sells",
        fields={"TITLE": 5, "ADDITIONAL_FIELDS": None},
        locked=True,
        blocks=(
            TemplateBlock("test.all", anchor="a", params={"b:c": {"ELEMENT_ID": ""}}),
            TemplateBlock("x.y", content="<p>own</p>"),
            TemplateBlock("x.y", content=""),
        ),
    )


def test_a_world_file_wins_over_a_built_in_template(make_service: MakeService) -> None:
    service = make_service(world=world(templates=[{**PROMO, "code": "event"}]))

    found = _find(service, "event")
    assert found is not None
    assert found.title == "Promo"
    assert _find(service, "product") == builtin_templates()["product"]


def test_an_unknown_code_finds_nothing(make_service: MakeService) -> None:
    assert _find(make_service(world=world()), "nobody@nowhere") is None


def test_every_template_is_listed_once(make_service: MakeService) -> None:
    own = [{**PROMO, "code": "event"}, PROMO]
    service = make_service(world=world(templates=own))

    with service.kernel.store.session() as session:
        listed = list_templates(session.connection(), {})
        stored = stored_templates(session.connection())
    assert [template.code for template in listed] == sorted({*TEMPLATES, "promo"})
    assert stored.keys() == {"event", "promo"}
    assert [template.title for template in listed if template.code in stored] == ["Promo", "Promo"]


@pytest.mark.parametrize("code", TEMPLATES)
def test_a_built_in_template_is_one_of_a_world_file(make_service: MakeService, code: str) -> None:
    """An operator's changed copy of a built-in template is loaded as it is."""
    service = make_service(world=world(templates=[TEMPLATES[code]]))

    assert _find(service, code) == builtin_templates()[code]
    assert msgspec.json.decode(msgspec.json.encode(builtin_templates()[code])) == TEMPLATES[code]


def _find(service: Service, code: str) -> PageTemplate | None:
    with service.kernel.store.session() as session:
        return find_template(session.connection(), code, {})
