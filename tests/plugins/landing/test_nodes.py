"""updatenodes on a block's HTML, rule by rule (B7-B11, B16, H1-H3)."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugins.landing.corpus import HOSTILE, RICH, dangers
from turbohtml import Element, parse_fragment

from landyard_landing.manifests import parse_manifest
from landyard_landing.nodes import Edited, Rules, WrongValue, update_nodes
from landyard_landing.policy import SANDBOX, clean_block

BLOCK = (
    '<section class="landing-block">'
    '<h2 class="title">Old</h2><p class="text">One</p><div class="text">Two</div>'
    '<img class="img" src="/old.png" srcset="/old2.png 2x" alt="old" data-fileid="3">'
    '<div class="bg" style="color: red; background-image: url(/old.jpg); margin: 0">x</div>'
    '<a class="link" href="/old?a=b#c" target="_blank" data-url="/u">Go</a>'
    f'<iframe class="frame" src="https://old.example/v" sandbox="{SANDBOX}"></iframe>'
    '<div class="lazy" data-src="//old.example/v" data-preview="/p.jpg"></div>'
    '<i class="icon fa fa-heart g-mb-5 added"></i><div class="map" data-map="{}"></div>'
    '<ul class="menu"><li class="li"><a class="a" href="/1">1</a></li></ul></section>'
)
STRUCTURE = '<section class="landing-block"><i class="icon g-mb-5 fa fa-star"></i></section>'
MANIFEST = parse_manifest(
    {
        "nodes": {
            ".title": {"type": "text"},
            ".text": {"type": "text"},
            ".img": {"type": "img"},
            ".bg": {"type": "styleimg"},
            ".link": {"type": "link"},
            ".frame": {"type": "embed"},
            ".lazy": {"type": "embed"},
            ".icon": {"type": "icon"},
            ".map": {"type": "map"},
            ".absent": {"type": "text"},
            ".bro[ken": {"type": "text"},
            ".text:last-of-type": {"type": "text"},
            "bitrix:catalog.section": {"type": "component"},
        },
        "attrs": {
            "bitrix:catalog.section": [{"attribute": "MESS_BTN_BUY"}, {"attribute": "COUNT"}],
            ".map": [{"attribute": "data-zoom"}],
            "section": [],
        },
        "style": {"nodes": {".title": {"additional": {"attrs": [{"attribute": "data-t"}]}}}},
        "cards": {"li": {"name": "Item"}},
        "menu": {
            ".menu": {
                "root": {"liClassName": "li", "aClassName": "a"},
                "children": {"ulClassName": "ul2"},
                "nodes": {".a": {"type": "link"}},
            }
        },
    }
)
BOTH = (
    "color: red; margin: 0; background-image: url('/n.jpg'); "
    "background-image: image-set(url('/n.jpg') 1x, url('/n2.jpg') 2x)"
)
RULES = Rules(own_hosts=frozenset({"example.org"}))


def update(
    data: Mapping[str, object],
    *,
    content: str = BLOCK,
    rules: Rules = RULES,
    append_menu: bool = False,
    params: Mapping[str, Mapping[str, object]] | None = None,
) -> Edited:
    return update_nodes(
        content,
        params or {},
        data,
        MANIFEST,
        structure=STRUCTURE,
        rules=rules,
        append_menu=append_menu,
    )


def edited(data: Mapping[str, object], selector: str, *, rules: Rules = RULES) -> Element:
    (element, *_) = parse_fragment(update(data, rules=rules).content).select(selector)
    return element


def test_B7_nothing_applicable_changes_nothing() -> None:
    for data in ({}, {".other": "x"}, {"": "x"}, {"p": "x"}, {".text@5": "x"}, {".absent": "x"}):
        assert update(data) == Edited(BLOCK, {}, 0)


def test_B7_unknown_keys_are_ignored_beside_known_ones() -> None:
    assert update({".other": {"any": "shape"}, ".title": "New"}).applied == 1


def test_B7_a_value_equal_to_the_current_one_counts() -> None:
    assert update({".title": "Old"}) == Edited(BLOCK, {}, 1)


@pytest.mark.parametrize("key", [".bro[ken", ".bro[ken@1"])
def test_B7_a_broken_selector_finds_nothing(key: str) -> None:
    assert update({key: "x"}).applied == 0


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        (".text", ["X", "Two"]),
        (".text@0", ["X", "Two"]),
        (".text@1", ["One", "X"]),
        (".text@", ["X", "Two"]),
        (".text@one", ["X", "Two"]),
        (".text@-1", ["X", "Two"]),
        (".text@01", ["One", "X"]),
        (".text@2", ["One", "Two"]),
        (".text@" + "9" * 5000, ["One", "Two"]),
        (".text:last-of-type", ["X", "Two"]),
    ],
)
def test_B8_the_index_counts_what_the_selector_finds(key: str, texts: list[str]) -> None:
    found = parse_fragment(update({key: "X"}).content).select(".text")

    assert [element.text for element in found] == texts


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (".title", 5),
        (".title", None),
        (".title", []),
        (".title", {}),
        (".title", {"text": 5}),
        (".title", {"html": "x"}),
        (".absent", 5),
        (".title@9", 5),
        (".link", "x"),
        (".link", {"text": 1}),
        (".link", {"href": ["x"]}),
        (".link", {"target": True}),
        (".link", {"query": 1}),
        (".img", "x"),
        (".img", {"src": 1}),
        (".img", {"alt": {}}),
        (".bg", {"src2x": 1}),
        (".icon", "fa"),
        (".icon", {"0": "fa"}),
        (".icon", [1]),
        (".icon", ["fa fa-x"]),
        (".icon", ['"><b>']),
        (".icon", [""]),
        (".frame", "https://video.example/"),
        (".frame", {"src": 1}),
        (".frame", {"source": []}),
        (".map", "{"),
        (".map", "[]"),
        (".map", 1),
        (".menu", {}),
        (".menu", [{"text": 1}]),
        (".title", {"attrs": "x"}),
        ("bitrix:catalog.section", "x"),
        ("bitrix:catalog.section", {"attrs": 1}),
        ("bitrix:catalog.section", {"MESS_BTN_BUY": "x"}),
    ],
)
def test_B9_a_wrong_shape_is_refused_for_the_whole_call(key: str, value: object) -> None:
    with pytest.raises(WrongValue) as refused:
        update({".text": "New", key: value})

    assert refused.value.parameter == f"data[{key}]"
    assert refused.value.expected


def test_B9_the_block_and_the_data_given_are_not_touched() -> None:
    data = {"bitrix:catalog.section": {"attrs": {"COUNT": [1]}}, ".title": {"text": "x"}}
    params = {"bitrix:catalog.section": {"COUNT": 1}}
    before = copy.deepcopy((data, params))

    update(data, params=params)

    assert (data, params) == before


@pytest.mark.parametrize("value", ["New <b>text</b>", {"text": "New <b>text</b>"}])
def test_text_replaces_the_content_and_nothing_else(value: object) -> None:
    expected = BLOCK.replace(">Old<", ">New <b>text</b><")

    assert update({".title": value}) == Edited(expected, {}, 1)


def test_the_order_of_data_is_the_order_of_edits() -> None:
    data = {".text": '<b>a</b><i class="title">b</i>', ".title@1": "c", ".text@0": "d"}

    assert update({".text@1": '<i class="title">b</i>', ".title@1": "c"}).applied == 2
    assert update(data).content == BLOCK.replace("One", "d")


@pytest.mark.parametrize("html", [html for html in RICH if "<a" not in html])
def test_H1_rich_text_survives_in_any_text_node(html: str) -> None:
    content = update({".title": html, ".text@0": html, ".text@1": html}).content

    assert content.count(html) == 3
    assert [element.tag for element in parse_fragment(content).select(".text, .title")]


@pytest.mark.parametrize(
    ("html", "tag"), [("<b>x</b>", "p"), ("<ul><li>x</li></ul>", "div"), ("<p>x</p>", "div")]
)
def test_H2_a_paragraph_that_cannot_hold_the_text_becomes_a_div(html: str, tag: str) -> None:
    expected = BLOCK.replace('<p class="text">One</p>', f'<{tag} class="text">{html}</{tag}>')

    assert update({".text": html}).content == expected


def test_H2_what_an_ancestor_cannot_hold_becomes_phrases() -> None:
    content = '<p><span class="text">x</span></p>'
    value = "<ul><li>One</li><li>Two</li></ul>"

    expected = '<p><span class="text">One<br>Two</span></p>'
    assert update({".text": value}, content=content).content == expected


@pytest.mark.parametrize("html", HOSTILE)
def test_H1_hostile_values_are_inert_wherever_they_are_put(html: str) -> None:
    data = {
        ".title": html,
        ".text": {"text": html},
        ".img": {"src": html, "src2x": html, "alt": html},
        ".bg": {"src": html, "src2x": html},
        ".link": {"text": html, "href": html, "target": html, "query": html},
        ".lazy": {"source": html, "preview": html},
        ".menu": [{"text": html, "href": html, "target": html}],
        "section": {"attrs": {"title": html, "onclick": html, "style": html, html: html}},
    }

    content = update(data).content

    assert dangers(content) == []
    assert clean_block(content) == content


def test_B10_a_link_takes_text_address_and_target() -> None:
    value = {"text": "<b>Read</b>", "href": "/new", "target": "_self"}

    expected = '<a class="link" href="/new" target="_self"><b>Read</b></a>'
    assert f">{expected}<" in update({".link": value}).content


def test_B10_a_missing_text_stays_and_a_missing_target_is_cleared() -> None:
    expected = '<a class="link" href="/new">Go</a>'

    assert f">{expected}<" in update({".link": {"href": "/new"}}).content


def test_B10_a_missing_address_stays() -> None:
    assert edited({".link": {"text": "x"}}, ".link").attr("href") == "/old?a=b#c"


@pytest.mark.parametrize(
    ("value", "href"),
    [
        ({"query": "x=1"}, "/old?a=b&x=1#c"),
        ({"href": "/n", "query": "x=1"}, "/n?x=1"),
        ({"href": "/n?y#z", "query": "?x=1"}, "/n?y&x=1#z"),
        ({"href": "/n", "query": ""}, "/n"),
    ],
)
def test_B10_a_query_is_appended_to_the_address(value: object, href: str) -> None:
    assert edited({".link": value}, ".link").attr("href") == href


@pytest.mark.parametrize("href", ["javascript:x", "java\tscript:x", "data:text/html,x", "x:y"])
def test_H1_a_refused_link_address_leads_nowhere(href: str) -> None:
    assert edited({".link": {"href": href}}, ".link").attr("href") == "#"


@pytest.mark.parametrize(
    ("target", "kept"), [("_popup", "_blank"), ("_TOP", "_top"), ("frame", None), ("", None)]
)
def test_B10_a_target_is_one_of_the_keywords(target: str, kept: str | None) -> None:
    assert edited({".link": {"target": target}}, ".link").attr("target") == kept


def test_a_link_holds_no_link() -> None:
    value = {"text": 'a<a href="/x">b</a>c'}

    assert update({".link": value}).content.count("<a ") == BLOCK.count("<a ")


def test_a_link_may_keep_its_content_and_takes_its_data_attributes() -> None:
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


def test_B10_a_picture_has_an_address_a_double_one_and_words() -> None:
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


@pytest.mark.parametrize("value", [{}, [], {"src": ""}, {"src": None}, {"src": "javascript:x"}])
def test_B10_missing_picture_addresses_are_cleared(value: object) -> None:
    image = edited({".img": value}, ".img")

    assert [image.attr(name) for name in ("src", "srcset", "data-fileid")] == [None, None, None]
    assert image.attr("alt") == "old"


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
def test_B10_elsewhere_a_picture_is_a_css_background(value: object, style: str) -> None:
    assert edited({".bg": value}, ".bg").attr("style") == style


def test_B10_a_cleared_background_clears_the_shorthand_too() -> None:
    content = '<div class="bg" style="background: url(/x.jpg) center"></div>'

    style = "background: url(/x.jpg) center; background-image: none"
    assert style in update({".bg": {}}, content=content).content


def test_B10_an_icon_keeps_its_structural_classes() -> None:
    assert edited({".icon": ["fa", "fa-telegram"]}, ".icon").attr("class") == (
        "icon g-mb-5 fa fa-telegram"
    )


def test_B10_without_a_counterpart_an_icon_keeps_what_is_no_icon_class() -> None:
    found = update_nodes(
        BLOCK, {}, {".icon": ["bi-x"]}, MANIFEST, structure="<p>x</p>", rules=RULES
    )

    assert 'class="icon g-mb-5 added bi-x"' in found.content


def test_B10_a_frame_has_an_address_and_a_source() -> None:
    value = {"src": "//video.example/v?a=1&b=2", "source": "https://video.example/w"}

    frame, lazy = edited({".frame": value}, ".frame"), edited({".lazy": value}, ".lazy")

    assert frame.attr("src") == lazy.attr("data-src") == "https://video.example/v?a=1&b=2"
    assert frame.attr("data-source") == lazy.attr("data-source") == "https://video.example/w"
    assert (frame.attr("data-src"), lazy.attr("src"), lazy.attr("data-preview")) == (None,) * 3


@pytest.mark.parametrize(
    "src",
    ["http://video.example/", "https://example.org/", "//EXAMPLE.org/", "/v", "javascript:x"],
)
@pytest.mark.parametrize("key", [".frame", ".lazy", ".lazy@7"])
def test_H3_a_refused_frame_is_refused_for_the_whole_call(key: str, src: str) -> None:
    with pytest.raises(WrongValue) as refused:
        update({key: {"src": src}})

    assert refused.value.parameter == f"data[{key}]"


def test_H3_listed_hosts_narrow_the_frames() -> None:
    rules = Rules(embed_hosts=frozenset({"video.example"}))

    assert edited({".frame": {"src": "//video.example/"}}, ".frame", rules=rules)
    with pytest.raises(WrongValue):
        update({".frame": {"src": "//other.example/"}}, rules=rules)


def test_H3_attributes_do_not_lead_around_the_rule() -> None:
    with pytest.raises(WrongValue):
        update({".frame": {"attrs": {"src": "https://example.org/"}}})
    with pytest.raises(WrongValue):
        update({".lazy": {"attrs": {"data-src": "https://example.org/"}}})


@pytest.mark.parametrize("value", [{"zoom": 3}, '{"zoom":3}'])
def test_a_map_is_stored_as_json(value: object) -> None:
    assert edited({".map": value}, ".map").attr("data-map") == '{"zoom":3}'


def test_B11_component_parameters_are_those_the_manifest_lists() -> None:
    value = {"attrs": {"MESS_BTN_BUY": "Buy", "COUNT": [1, {"a": True}], "OTHER": "x"}}
    params = {"bitrix:catalog.section": {"COUNT": 5, "KEPT": 1}, "x:y": {}}

    found = update({"bitrix:catalog.section@4": value}, params=params)

    assert found.params == {
        "bitrix:catalog.section": {"COUNT": [1, {"a": True}], "KEPT": 1, "MESS_BTN_BUY": "Buy"},
        "x:y": {},
    }
    assert (found.content, found.applied) == (BLOCK, 1)


def test_B11_a_component_without_a_listed_parameter_does_not_count() -> None:
    nothing: list[object] = [{}, [], {"OTHER": 1}, {"COUNT": None}]
    for attributes in nothing:
        assert update({"bitrix:catalog.section": {"attrs": attributes}}) == Edited(BLOCK, {}, 0)


def test_B11_attributes_reach_all_matches_or_the_one_at_the_position() -> None:
    everywhere = update({".text": {"attrs": {"data-x": "1"}}}).content
    one = update({".text@1": {"attrs": {"data-x": "1"}}}).content

    assert everywhere.count('data-x="1"') == 2
    assert one == BLOCK.replace('<div class="text">', '<div class="text" data-x="1">')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (5, "5"),
        (1.5, "1.5"),
        (True, "true"),
        ([1, "\u00e9"], '[1,"\u00e9"]'),
        ({}, "{}"),
    ],
)
def test_B12_attribute_values_are_stored_as_text(value: object, text: str) -> None:
    assert edited({".title": {"attrs": {"data-t": value}}}, ".title").attr("data-t") == text


def test_B12_declared_attributes_are_the_only_ones() -> None:
    assert update({".map": {"attrs": {"data-map": "x", "title": "x"}}}) == Edited(BLOCK, {}, 0)
    assert update({".map": {"attrs": {"data-zoom": "3", "title": "x"}}}).applied == 1


@pytest.mark.parametrize(
    "name", ["class", "STYLE", "id", "onclick", "OnClick", "srcdoc", "sandbox", "x y", "a=b", ""]
)
def test_B12_some_attributes_are_never_set(name: str) -> None:
    assert update({"section": {"attrs": {name: "x"}}, ".frame": {"attrs": {name: "x"}}}) == (
        Edited(BLOCK, {}, 0)
    )


def test_H1_addresses_in_attributes_follow_their_rules() -> None:
    assert edited({".link": {"attrs": {"href": "javascript:x"}}}, ".link").attr("href") == "#"
    assert edited({".img": {"attrs": {"src": "javascript:x"}}}, ".img").attr("src") is None
    assert edited({".img": {"attrs": {"src": "http://a.b/c"}}}, ".img").attr("src") == (
        "https://a.b/c"
    )


def test_B16_a_menu_is_replaced_by_a_list_of_items() -> None:
    value = [{"text": "A & B", "href": "/a", "children": [{"text": "C", "target": "_blank"}]}]

    assert update({".menu": value}).content.endswith(
        '<ul class="menu"><li class="li"><a class="a" href="/a">A &amp; B</a><ul class="ul2">'
        '<li><a href="#" target="_blank">C</a></li></ul></li></ul></section>'
    )


def test_B16_append_menu_adds_to_the_present_items() -> None:
    expected = BLOCK.replace("</ul>", '<li class="li"><a class="a" href="#">2</a></li></ul>')

    assert update({".menu": [{"text": "2"}]}, append_menu=True).content == expected


def test_B16_append_menu_changes_no_other_node() -> None:
    assert update({".title": "x"}, append_menu=True) == update({".title": "x"})


def test_B16_the_links_of_a_menu_are_link_nodes() -> None:
    assert edited({".a@0": {"text": "One", "href": "/one"}}, ".a").attr("href") == "/one"


VALUES = st.sampled_from([*HOSTILE, *RICH]) | st.text(max_size=20)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([".title", ".text@1", ".img", ".bg", ".link", ".lazy", ".map", ".menu"]),
        st.fixed_dictionaries(
            {"text": VALUES},
            optional=dict.fromkeys(
                ("href", "query", "target", "src", "src2x", "alt", "id"), VALUES
            ),
        ),
        min_size=1,
    )
)
def test_H2_an_edited_block_is_already_as_the_policy_wants_it(
    data: dict[str, dict[str, object]],
) -> None:
    shaped: dict[str, object] = {**data}
    if ".menu" in data:
        shaped[".menu"] = [data[".menu"]]
    if ".lazy" in data:
        shaped[".lazy"] = {"source": data[".lazy"]["text"]}

    found = update(shaped)

    assert clean_block(found.content) == found.content
    assert dangers(found.content) == []


@pytest.mark.parametrize("value", ["x", "<b>x</b>", {"text": "<p>y</p>"}])
def test_many_keys_on_a_long_block_are_not_quadratic(value: object) -> None:
    content = '<p class="text">some words</p>' * 10_000

    found = update({f".text@{index}": value for index in range(10_000)}, content=content)

    assert found.applied == 10_000


def test_a_long_text_is_one_edit() -> None:
    assert update({".text@1": "words <b>and</b> more " * 50_000}).applied == 1
