"""`landing.block.updatenodes`: the effect of a value, as `getlist` shows it (B8, B10, B11, B16)."""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    DRAFT,
    PAGE,
    attributes,
    draft_html,
    find,
    one_page,
    stored,
)
from corpora import read_data

from landyard.testing import Service

METHOD = "landing.block.updatenodes"

# The effect of a value does not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

FRAME = {
    "class": "film",
    "sandbox": "allow-scripts allow-same-origin allow-presentation allow-popups",
}
Attributes = dict[str, str | None]


def _edited(service: Service, data: dict[str, Any], **more: Any) -> str:
    """The draft's HTML after an edit, as `getlist` answers it."""
    service.result(METHOD, {"lid": PAGE, "block": DRAFT, "data": data, **more})
    mode = {"edit_mode": True, "get_content": True}
    (item,) = service.result("landing.block.getlist", {"lid": PAGE, "params": mode})
    return str(item["content"])


def _texts(html: str, selector: str) -> list[str]:
    return [each.inner_html for each in find(html, selector)]


@pytest.mark.rule("B8", "limit: index base", *rows(METHOD, "data:@ data:text"))
@pytest.mark.parametrize(
    ("data", "texts"),
    read_data(
        __file__,
        "B8 text goes to the element the position names",
        list[tuple[dict[str, Any], list[str]]],
    ),
)
def test_B8_text_goes_to_the_element_the_position_names(
    make_service: MakeService, data: dict[str, Any], texts: list[str]
) -> None:
    assert _texts(_edited(make_service(world=one_page()), data), ".text") == texts


@pytest.mark.rule("H2")
def test_H2_bytes_beside_the_edit_stay(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    odd = (
        "<DIV  CLASS='a' >\r\n<p class=title>Old</P><br/>&nbsp;\u00a0&copy; </DIV>\r\n<!-- kept -->"
    )
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.text("UPDATE landing_block SET content = :odd"), {"odd": odd})

    service.result(METHOD, {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}})

    assert draft_html(service) == odd.replace("Old", "New")


@pytest.mark.rule("B10", "landing.block.updatenodes data:img")
@pytest.mark.parametrize(
    ("value", "left"),
    read_data(__file__, "B10 image", list[tuple[dict[str, Any], dict[str, str]]]),
)
def test_B10_an_image_changes_its_source_and_alternative_text(
    make_service: MakeService, value: dict[str, Any], left: Attributes
) -> None:
    service = make_service(world=one_page(), public_base="http://own.example")
    service.load({"sites": [{"id": 7, "domain": "shop.example"}]})

    (image,) = find(_edited(service, {".pic": value}), ".pic")

    assert attributes(image) == {"class": "pic", **left}


@pytest.mark.rule("B10", "landing.block.updatenodes data:img")
@pytest.mark.parametrize(
    ("value", "style"),
    [
        ({"src": "/n.png"}, "color: red; background-image: url('/n.png')"),
        ({}, "color: red"),
        (
            {"src": "http://cdn.example/n.png"},
            "color: red; background-image: url('https://cdn.example/n.png')",
        ),
    ],
)
def test_B10_an_image_value_of_another_element_becomes_its_background(
    make_service: MakeService, value: dict[str, Any], style: str
) -> None:
    (element,) = find(_edited(make_service(world=one_page()), {".bg": value}), ".bg")

    assert attributes(element) == {"class": "bg", "style": style}


@pytest.mark.rule("B10", "landing.block.updatenodes data:link")
@pytest.mark.parametrize(
    ("value", "text", "left"),
    read_data(__file__, "B10 link", list[tuple[dict[str, str], str, dict[str, str]]]),
)
def test_B10_a_link_changes_its_text_address_and_target(
    make_service: MakeService, value: dict[str, Any], text: str, left: Attributes
) -> None:
    (link,) = find(_edited(make_service(world=one_page()), {".go": value}), ".go")

    assert (link.inner_html, attributes(link)) == (text, {"class": "go", **left})


@pytest.mark.rule("B10", "landing.block.updatenodes data:icon")
@pytest.mark.parametrize(
    ("value", "classes"),
    [
        (["fa", "fa-telegram"], {"mark", "icon", "fa", "fa-telegram"}),
        (["et-icon-map"], {"mark", "icon", "et-icon-map"}),
        ([], {"mark", "icon"}),
    ],
)
def test_B10_icon_replaces_the_icons_classes(
    make_service: MakeService, value: list[str], classes: set[str]
) -> None:
    service = make_service(world=one_page())
    _edited(service, {".mark": ["fa", "fa-first"]})

    (icon,) = find(_edited(service, {".mark": value}), ".mark")

    assert set((icon.attr("class") or "").split()) == classes


@pytest.mark.rule("B10", "landing.block.updatenodes data:embed")
@pytest.mark.parametrize(
    ("value", "left"),
    [
        (
            {"src": "//film.example/2", "source": "https://film.example/watch"},
            {"src": "https://film.example/2", "data-source": "https://film.example/watch"},
        ),
        ({"src": "https://other.example/2"}, {"src": "https://other.example/2"}),
    ],
)
def test_B10_an_embed_changes_the_frame(
    make_service: MakeService, value: dict[str, Any], left: Attributes
) -> None:
    (frame,) = find(_edited(make_service(world=one_page()), {".film": value}), ".film")

    assert attributes(frame) == {**FRAME, **left}


@pytest.mark.rule("B10", "landing.block.updatenodes data:embed")
def test_B10_an_embed_value_of_another_element_becomes_data_attributes(
    make_service: MakeService,
) -> None:
    value = {"src": "//film.example/2", "source": "https://film.example/watch"}

    (element,) = find(_edited(make_service(world=one_page()), {".lazy": value}), ".lazy")

    assert attributes(element) == {
        "class": "lazy",
        "data-src": "https://film.example/2",
        "data-source": "https://film.example/watch",
    }


@pytest.mark.rule("B11", "landing.block.updatenodes data:attrs", "landing.block.updatenodes data:@")
@pytest.mark.parametrize(
    ("data", "moods"),
    [
        ({".text": {"attrs": {"data-mood": "x"}}}, ["x", "x", "x"]),
        ({".text@1": {"attrs": {"data-mood": "x"}}}, [None, "x", None]),
        ({".text": {"attrs": {"data-mood": 7}}}, ["7", "7", "7"]),
        ({".text": {"attrs": {"data-mood": True}}}, ["true", "true", "true"]),
        ({".text": {"attrs": {"data-mood": [1, "a"]}}}, ['[1,"a"]'] * 3),
        ({".text": {"attrs": {"data-mood": "x", "data-other": "y"}}}, ["x", "x", "x"]),
    ],
)
def test_B11_attributes_go_to_all_matches_or_the_named_one(
    make_service: MakeService, data: dict[str, Any], moods: list[str | None]
) -> None:
    html = _edited(make_service(world=one_page()), data)

    found = find(html, ".text")
    assert [each.attr("data-mood") for each in found] == moods
    assert [each.inner_html for each in found] == ["One", "Two", "Three"]
    assert "data-other" not in html


@pytest.mark.rule("B11", "landing.block.updatenodes data:component")
@pytest.mark.parametrize("key", ["bitrix:catalog.section", "bitrix:catalog.section@5"])
def test_B11_component_parameters_the_manifest_lists(make_service: MakeService, key: str) -> None:
    service = make_service(world=one_page(params={"other:one": {"A": 1}}))

    _edited(service, {key: {"attrs": {"MESS_BTN_BUY": "Buy", "SECTION_ID": 5, "OTHER": "x"}}})

    assert stored(service, "landing_block", id=DRAFT)[0]["params"] == {
        "other:one": {"A": 1},
        "bitrix:catalog.section": {"MESS_BTN_BUY": "Buy", "SECTION_ID": 5},
    }


ITEMS: list[dict[str, Any]] = [
    {"text": "A & B", "href": "/a", "target": "_blank"},
    {"text": "C", "children": [{"text": "D", "href": "javascript:x()"}]},
]
DRAWN = (
    '<li class="menu-item"><a class="menu-link" href="/a" target="_blank">A &amp; B</a></li>'
    '<li class="menu-item"><a class="menu-link" href="#">C</a>'
    '<ul class="sub"><li class="sub-item"><a class="sub-link" href="#">D</a></li></ul></li>'
)
FIRST = '<li class="menu-item"><a class="menu-link" href="/1">First</a></li>'


@pytest.mark.rule(
    "B16", "landing.block.updatenodes additional", "landing.block.updatenodes additional.appendMenu"
)
@pytest.mark.parametrize(
    ("items", "more", "drawn"),
    [
        (ITEMS, {}, DRAWN),
        (ITEMS, {"additional": {"appendMenu": False}}, DRAWN),
        (ITEMS, {"additional": {"appendMenu": True}}, FIRST + DRAWN),
        (ITEMS, {"additional": {"appendMenu": "Y"}}, FIRST + DRAWN),
        ([], {}, ""),
        ([], {"additional": {"appendMenu": True}}, FIRST),
    ],
)
def test_B16_a_menu_gets_the_listed_links(
    make_service: MakeService, items: list[Any], more: dict[str, Any], drawn: str
) -> None:
    html = _edited(make_service(world=one_page()), {".menu-list": items}, **more)

    assert _texts(html, ".menu-list") == [drawn]


@pytest.mark.rule("B16", "landing.block.updatenodes additional.appendMenu")
def test_B16_appendMenu_acts_on_menus_only(make_service: MakeService) -> None:
    html = _edited(make_service(world=one_page()), {".text": "X"}, additional={"appendMenu": True})

    assert _texts(html, ".text") == ["X", "Two", "Three"]


@pytest.mark.rule("B16")
def test_B16_a_menus_link_is_a_node(make_service: MakeService) -> None:
    html = _edited(make_service(world=one_page()), {".menu-link": {"text": "N", "href": "/n"}})

    assert _texts(html, ".menu-list") == [
        '<li class="menu-item"><a class="menu-link" href="/n">N</a></li>'
    ]
