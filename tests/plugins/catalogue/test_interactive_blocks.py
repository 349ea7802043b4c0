"""Visitors can open menus, tabs, pictures and films of blocks, and hostile texts stay text."""

import pytest
from plugins.catalogue.shipped import PLUGINS, TYPES, world
from turbohtml import parse_fragment

from landyard.testing import Service
from landyard_catalogue.interactive_blocks import (
    show_accordion,
    show_chapter,
    show_film,
    show_gallery,
    show_header,
    show_map,
    show_tabs,
)
from landyard_html.policy import clean_block

HOSTILE = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"


def html(code: str) -> str:
    return TYPES[code].content


def test_a_menu_opens_and_closes_through_links_to_itself() -> None:
    shown = parse_fragment(show_header(7, html("site.header"), "en"))
    (nav,) = shown.select("nav")
    (opens,), (closes,) = shown.select(".site-open"), shown.select("nav > .site-close")

    assert (nav.attr("id"), opens.attr("href"), opens.text) == ("menu7", "#menu7", "Menu")
    assert (closes.attr("href"), closes.text) == (f"#{opens.attr('id')}", "Close")


def test_the_words_of_a_menu_can_be_set_by_the_editor() -> None:
    content = html("site.header").replace('data-open="Menu"', f'data-open="{HOSTILE}"')
    shown = parse_fragment(show_header(7, content, "en"))

    assert shown.select(".site-open")[0].text == '"><script>alert(1)</script>'
    assert shown.select("script") == []


LANGUAGES = [("de-CH", "Menü"), ("ar", "القائمة"), ("fr", "Menu")]


@pytest.mark.parametrize(("language", "menu"), LANGUAGES)
def test_labels_are_in_the_pages_language_and_own_texts_stay(language: str, menu: str) -> None:
    own = html("site.header").replace('data-close="Close"', 'data-close="Away with it"')
    shown = world(own, "site.header")
    shown["sites"][0]["language"] = language
    with Service(PLUGINS, world=shown) as service:
        page = parse_fragment(service.get("/shop/").text)

    assert [each.text for each in page.select(".site-open, .site-close")] == [menu, "Away with it"]


def test_every_language_has_all_labels_of_the_blocks() -> None:
    labels = TYPES["site.header"].labels
    said = {
        value
        for kind in TYPES.values()
        for each in parse_fragment(kind.content).select("[aria-label], [data-open]")
        for name in ("aria-label", "data-open", "data-close")
        if (value := each.attr(name))
    }
    assert labels.keys() == {"ar", "de", "fr", "ru"}
    assert {language: each.keys() for language, each in labels.items()} == dict.fromkeys(
        labels, said
    )


def test_the_first_tab_is_open_unless_the_block_names_another() -> None:
    closed = html("site.tabs").replace(' open=""', "")
    tabs = parse_fragment(show_tabs(3, closed, "en")).select("details")
    assert [("open" in tab.attrs, tab.attr("name")) for tab in tabs] == [
        (True, "tabs3"),
        (False, "tabs3"),
        (False, "tabs3"),
    ]
    last = "<details open".join(closed.rsplit("<details", 1))
    tabs = parse_fragment(show_tabs(3, last, "en")).select("details")
    assert ["open" in tab.attrs for tab in tabs] == [False, False, True]


def test_the_block_names_the_open_part_of_an_accordion() -> None:
    every = html("site.accordion").replace("<details ", '<details open="" ')
    one = parse_fragment(show_accordion(3, every, "en")).select("details")
    assert ["open" in part.attrs for part in one] == [True, False, False]
    many = every.replace('data-one="yes"', 'data-one="no"')
    assert [
        part.attr("name")
        for part in parse_fragment(show_accordion(3, many, "en")).select("details")
    ]
    assert "name=" not in show_accordion(3, many, "en")


def test_a_chapter_lists_its_headings_below_its_link() -> None:
    content = html("site.chapter").replace("</h2>", f" {HOSTILE}</h2><h2 id='own'>Then</h2>")
    shown = parse_fragment(show_chapter(7, content, "en"))
    marked = content.replace('href="#content">Second', 'href="#content" aria-current="page">Second')
    second = parse_fragment(show_chapter(7, marked, "en")).select("nav > ul > li")[1]

    links = shown.select(".site-contents-list + .site-outline a")
    assert [each.attr("href") for each in links] == ["#part7-1", "#own"]
    assert links[0].text == 'The first step "><script>alert(1)</script>'
    assert [each.attr("id") for each in shown.select("h2")] == ["part7-1", "own"]
    assert len(second.select(".site-outline a")) == 2
    assert show_chapter(7, html("site.chapter"), "en") == html("site.chapter")


def test_each_picture_opens_a_box_of_its_own() -> None:
    shown = parse_fragment(show_gallery(5, html("site.gallery"), "en"))
    buttons, boxes = shown.select(".site-photo-open"), shown.select("[popover]")

    assert len(buttons) == len(boxes) == 5
    targets = [button.attr("popovertarget") for button in buttons]
    assert targets == [box.attr("id") for box in boxes] == [f"photo5-{n}" for n in range(1, 6)]
    assert {button.attr("type") for button in shown.select("button")} == {"button"}
    assert [len(box.select("img")) for box in boxes] == [1] * 5
    for box in boxes:  # each box has a link that closes it
        (close,) = box.select("button")
        assert close.attr("popovertarget") == box.attr("id")


def test_hostile_captions_of_a_picture_stay_text() -> None:
    content = html("site.gallery").replace("A flat punt among reeds at dusk", HOSTILE)
    content = clean_block(content.replace("Among reeds", "&lt;img src=x onerror=alert(2)&gt;"))
    shown = parse_fragment(show_gallery(5, content, "en"))

    assert shown.select("script, [onerror]") == []
    assert '"><script>alert(1)</script>' in [
        each.attr("aria-label") for each in shown.select("div")
    ]
    assert "<img src=x onerror=alert(2)>" in [each.text for each in shown.select("[popover] p")]


def test_a_picture_that_is_a_link_stays_one() -> None:
    first = '<img class="landing-block-node-card-img'
    before, _, after = html("site.gallery").partition(first)
    picture, _, rest = after.partition(">")
    linked = f'{before}<a href="/boats/">{first}{picture}></a>{rest}'
    shown = parse_fragment(show_gallery(5, linked, "en"))

    assert len(shown.select(".site-photo-open")) == 4
    assert shown.select("a button, button a") == []


def test_a_map_of_another_server_is_shown_only_with_an_address() -> None:
    named = html("site.map").replace("<iframe ", '<iframe src="https://map.example/7" ')

    assert "<iframe" not in show_map(1, html("site.map"), "en")
    assert "<details" not in show_map(1, html("site.map"), "en")
    assert "map.svg" in show_map(1, html("site.map"), "en")
    (frame,) = parse_fragment(show_map(1, named, "en")).select("details:not([open]) > iframe")
    assert frame.attr("loading") == "lazy"


def test_a_film_is_shown_only_with_an_address() -> None:
    pending = parse_fragment(show_film(1, html("site.film"), "en"))
    assert pending.select("video") == []
    assert [each.attr("alt") for each in pending.select("img")] == ["Film"]
    named = html("site.film").replace("<video ", '<video src="/files/film.webm" ')
    assert show_film(1, named, "en") == named


@pytest.mark.parametrize("code", [code for code, kind in TYPES.items() if kind.show])
def test_an_incomplete_block_is_shown_unchanged(code: str) -> None:
    show = TYPES[code].show
    assert show is not None
    assert show(1, "<p>Nothing of it.</p>", "en") == "<p>Nothing of it.</p>"


def test_visitors_get_the_links_and_editors_do_not() -> None:
    with Service(PLUGINS, world=world(code="site.gallery")) as service:
        page = service.get("/shop/")
        shown = {"lid": 10, "params": {"edit_mode": True, "get_content": True}}
        (draft,) = service.result("landing.block.getlist", shown)

    assert "popover" in page.text
    assert "popover" not in draft["content"]
    assert "script-src" not in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
