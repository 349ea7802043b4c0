"""Links, pictures, icons, frames and maps as updatenodes writes them (B10, H1, H3)."""

from __future__ import annotations

import pytest
from corpora import read_data
from plugins.html.sample import BLOCK, MANIFEST, RULES, edited, update

from landyard_html.nodes import update_nodes
from landyard_html.values import Rules, WrongValue

BOTH = (
    "color: red; margin: 0; background-image: url('/n.jpg'); "
    "background-image: image-set(url('/n.jpg') 1x, url('/n2.jpg') 2x)"
)


@pytest.mark.rule("B10")
def test_B10_a_link_gets_text_address_and_target() -> None:
    value = {"text": "<b>Read</b>", "href": "/new", "target": "_self"}

    expected = '<a class="link" href="/new" target="_self"><b>Read</b></a>'
    assert f">{expected}<" in update({".link": value}).content


@pytest.mark.rule("B10")
def test_B10_an_absent_text_is_kept_and_an_absent_target_is_cleared() -> None:
    expected = '<a class="link" href="/new">Go</a>'

    assert f">{expected}<" in update({".link": {"href": "/new"}}).content


@pytest.mark.rule("B10")
def test_B10_an_absent_address_is_kept() -> None:
    assert edited({".link": {"text": "x"}}, ".link").attr("href") == "/old?a=b#c"


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("value", "href"),
    read_data(__file__, "B10 queries", list[tuple[object, str]]),
)
def test_B10_a_query_is_appended_to_the_address(value: object, href: str) -> None:
    assert edited({".link": value}, ".link").attr("href") == href


@pytest.mark.rule("H1")
@pytest.mark.parametrize("href", ["javascript:x", "java\tscript:x", "data:text/html,x", "x:y"])
def test_H1_a_refused_link_address_leads_nowhere(href: str) -> None:
    assert edited({".link": {"href": href}}, ".link").attr("href") == "#"


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("target", "kept"), [("_popup", "_blank"), ("_TOP", "_top"), ("frame", None), ("", None)]
)
def test_B10_a_target_is_one_of_the_keywords(target: str, kept: str | None) -> None:
    assert edited({".link": {"target": target}}, ".link").attr("target") == kept


def test_a_link_contains_no_link() -> None:
    value = {"text": 'a<a href="/x">b</a>c'}

    assert update({".link": value}).content.count("<a ") == BLOCK.count("<a ")


def test_a_link_may_keep_its_content_and_gets_data_attributes() -> None:
    value = {
        "text": "New",
        "skipContent": True,
        "attrs": {"data-embed": "e", "data-url": "javascript:x", "data-x": "x"},
    }

    link = edited({".link": value}, ".link")

    assert link.text == "Go"
    assert (link.attr("data-embed"), link.attr("data-url"), link.attr("data-x")) == (
        "e",
        None,
        None,
    )


@pytest.mark.rule("B10")
def test_B10_a_picture_gets_an_address_one_for_dense_screens_and_a_text() -> None:
    value = {"src": "/new.png", "src2x": "/n,2x.png", "alt": 'A "boat"', "id": 5, "id2x": "6"}

    image = edited({".img": value}, ".img")

    names = ("src", "srcset", "alt", "data-fileid", "data-fileid2x")
    assert [image.attr(name) for name in names] == [
        "/new.png",
        "/n%2C2x.png 2x",
        'A "boat"',
        "5",
        "6",
    ]


@pytest.mark.rule("B10")
@pytest.mark.parametrize("value", [{}, [], {"src": ""}, {"src": None}, {"src": "javascript:x"}])
def test_B10_absent_picture_addresses_are_cleared(value: object) -> None:
    image = edited({".img": value}, ".img")

    assert [image.attr(name) for name in ("src", "srcset", "data-fileid")] == [None, None, None]
    assert image.attr("alt") == "old"


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("src", "stored"),
    [
        ("http://other.org/a.png", "https://other.org/a.png"),
        ("http://example.org/a.png", "http://example.org/a.png"),
    ],
)
def test_B10_http_pictures_become_https_unless_our_own(src: str, stored: str) -> None:
    assert edited({".img": {"src": src, "src2x": src}}, ".img").attr("src") == stored
    assert edited({".img": {"src": src, "src2x": src}}, ".img").attr("srcset") == f"{stored} 2x"
    assert stored in (edited({".bg": {"src": src}}, ".bg").attr("style") or "")


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("value", "style"),
    [
        ({"src": "/n.jpg"}, "color: red; margin: 0; background-image: url('/n.jpg')"),
        (
            {"src": "/n.jpg", "src2x": "/n2.jpg"},
            BOTH,
        ),
        ({}, "color: red; margin: 0"),
        (
            {"src": "/a')!b\"c.jpg"},
            "color: red; margin: 0; background-image: url('/a%27%29!b%22c.jpg')",
        ),
    ],
)
def test_B10_a_picture_of_another_element_is_a_css_background(value: object, style: str) -> None:
    assert edited({".bg": value}, ".bg").attr("style") == style


@pytest.mark.rule("B10")
def test_B10_a_cleared_background_clears_the_shorthand_too() -> None:
    content = '<div class="bg" style="background: url(/x.jpg) center"></div>'

    style = "background: url(/x.jpg) center; background-image: none"
    assert style in update({".bg": {}}, content=content).content


@pytest.mark.rule("B10")
def test_B10_an_icon_keeps_its_structural_classes() -> None:
    assert edited({".icon": ["fa", "fa-telegram"]}, ".icon").attr("class") == (
        "icon g-mb-5 fa fa-telegram"
    )


@pytest.mark.rule("B10")
def test_B10_without_a_replaceable_class_an_icon_keeps_its_other_classes() -> None:
    found = update_nodes(
        BLOCK, {}, {".icon": ["bi-x"]}, MANIFEST, structure="<p>x</p>", rules=RULES
    )

    assert 'class="icon g-mb-5 added bi-x"' in found.content


@pytest.mark.rule("B10")
def test_B10_a_frame_gets_an_address_and_a_source() -> None:
    value = {"src": "//video.example/v?a=1&b=2", "source": "https://video.example/w"}

    frame, lazy = edited({".frame": value}, ".frame"), edited({".lazy": value}, ".lazy")

    assert frame.attr("src") == lazy.attr("data-src") == "https://video.example/v?a=1&b=2"
    assert frame.attr("data-source") == lazy.attr("data-source") == "https://video.example/w"
    assert (frame.attr("data-src"), lazy.attr("src"), lazy.attr("data-preview")) == (None,) * 3


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    "src",
    ["http://video.example/", "https://example.org/", "//EXAMPLE.org/", "/v", "javascript:x"],
)
@pytest.mark.parametrize("key", [".frame", ".lazy", ".lazy@7"])
def test_H3_a_refused_frame_refuses_the_whole_call(key: str, src: str) -> None:
    with pytest.raises(WrongValue) as refused:
        update({key: {"src": src}})

    assert refused.value.parameter == f"data[{key}]"


@pytest.mark.rule("H3")
def test_H3_listed_hosts_narrow_the_frames() -> None:
    rules = Rules(embed_hosts=frozenset({"video.example"}))

    assert edited({".frame": {"src": "//video.example/"}}, ".frame", rules=rules)
    with pytest.raises(WrongValue):
        update({".frame": {"src": "//other.example/"}}, rules=rules)


@pytest.mark.rule("H3")
def test_H3_attributes_cannot_bypass_the_rule() -> None:
    with pytest.raises(WrongValue):
        update({".frame": {"attrs": {"src": "https://example.org/"}}})
    with pytest.raises(WrongValue):
        update({".lazy": {"attrs": {"data-src": "https://example.org/"}}})


@pytest.mark.parametrize("value", [{"zoom": 3}, '{"zoom":3}'])
def test_a_map_is_stored_as_json(value: object) -> None:
    assert edited({".map": value}, ".map").attr("data-map") == '{"zoom":3}'
