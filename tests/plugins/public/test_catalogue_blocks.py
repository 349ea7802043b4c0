"""Blocks of the catalogue as visitors get them: menus, films and embeds; hostile texts stay
text.
"""

from typing import Any

import pytest
from plugins.content.blocks.shipped import EVERY_HTML, HTML
from turbohtml import parse_fragment

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
from landyard.testing import WEBHOOK, Service
from landyard_content.blocks.blocktypes import catalogue
from landyard_content.blocks.showing import fold_menu, show_embed, show_menu, show_video
from landyard_html.policy import clean_block

MENU = HTML["ly.menu"]
NAV = 'class="landing-block-node-nav ly-menu-nav"'
FILM = "https://films.example/1"


def test_a_folded_menu_opens_and_closes_through_links() -> None:
    kind = catalogue()["ly.menu"]
    assert kind.show is not None
    shown = parse_fragment(kind.show(7, kind.content, "en"))
    (nav,) = shown.select("nav")
    (opens,), (closes,) = shown.select(".ly-menu-open"), shown.select("nav > .ly-menu-close")

    assert (nav.attr("id"), opens.attr("href"), opens.text) == ("menu7", "#menu7", "Menu")
    assert (closes.attr("href"), closes.text) == (f"#{opens.attr('id')}", "Close")
    assert [link.text for link in shown.select("li a")] == ["First", "Second", "Third"]


@pytest.mark.parametrize(
    ("language", "own", "labels"),
    [
        ("de-CH", "", ["Menü", "Schließen"]),
        ("fr", "", ["Menu", "Fermer"]),
        ("de", ' data-open="Los" data-close=" "', ["Los", "Schließen"]),
        ("en", ' data-open="&quot;&gt;&lt;b&gt;"', ['"><b>', "Close"]),
    ],
)
def test_the_labels_are_the_editors_or_in_the_language_of_the_page(
    language: str, own: str, labels: list[str]
) -> None:
    html = clean_block(MENU.replace(NAV, NAV + own))
    shown = parse_fragment(show_menu(7, html, language))

    assert [link.text for link in shown.select(".ly-menu-open, .ly-menu-close")] == labels
    assert shown.select("b") == []


# An attribute value that contains the start of a menu: each value is cleaned first.
HOSTILE = [
    '<p title="<nav class=ly-menu-nav>">x</p>',
    '<p title="<nav class=" data-x="ly-menu-nav">x</p>',
    '<p title="<nav data-a=" data-b=" class=" class=" ly-menu-nav " data-c="">x</p>',
    "<p title='<nav class=\"ly-menu-nav\">'>x</p>",
    '<p>&lt;nav class="ly-menu-nav"&gt;</p>',
    '<nav class="not-ly-menu-nav">x</nav>',
]


@pytest.mark.parametrize("html", HOSTILE)
def test_H2_a_text_that_only_looks_like_a_menu_is_unchanged(html: str) -> None:
    cleaned = clean_block(html)
    assert fold_menu(7, cleaned, "ly-menu", "en") == cleaned


@pytest.mark.parametrize("html", HOSTILE)
def test_H2_the_menu_after_it_is_folded(html: str) -> None:
    shown = parse_fragment(fold_menu(7, clean_block(html + MENU), "ly-menu", "en"))
    assert len(shown.select("nav.ly-menu-nav > .ly-menu-close")) == 1
    assert len(shown.select(".ly-menu-close")) == 1


def test_a_video_without_its_film_is_a_picture() -> None:
    shown = parse_fragment(show_video(1, HTML["ly.video"], "en"))
    assert shown.select("iframe, details, summary") == []
    assert len(shown.select("img")) == 1


def test_an_embed_without_its_film_is_its_preview_or_nothing() -> None:
    bare = HTML["ly.embed"].replace(' data-preview="/assets/pictures/slipway.svg"', "")
    (picture,) = parse_fragment(show_embed(1, HTML["ly.embed"], "en")).select("img")

    assert picture.attr("src") == "/assets/pictures/slipway.svg"
    assert parse_fragment(show_embed(1, bare, "en")).select("img, iframe") == []


@pytest.mark.parametrize(("code", "show"), [("ly.video", show_video), ("ly.embed", show_embed)])
def test_a_film_is_shown_unchanged(code: str, show: type) -> None:
    html = HTML[code].replace("<iframe ", f'<iframe src="{FILM}" ')
    assert show(1, html, "en") == html


@pytest.mark.parametrize("source", EVERY_HTML)
def test_no_shipped_block_loads_from_another_server(source: str) -> None:
    loading = parse_fragment(EVERY_HTML[source]).select("[src]")
    assert [each for each in loading if not (each.attr("src") or "").startswith("/")] == []


WORLD: dict[str, Any] = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["landing"]}],
    "sites": [{"id": 1, "code": "shop", "type": "PAGE", "main_page": 10}],
    "pages": [
        {
            "id": 10,
            "site": 1,
            "code": "home",
            "active": True,
            "published": True,
            "blocks": [{"id": 100, "code": "ly.menu", "content": MENU, "published_id": 90}],
        }
    ],
}


def test_a_stored_menu_is_folded_and_takes_a_layout_by_a_call() -> None:
    plugins = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        landyard_pages,
    ]
    with Service(plugins, world=WORLD) as service:
        before = parse_fragment(service.get("/shop/").text)
        look = {"data-layout": "centre", "data-stay": "yes"}
        edit = {"lid": 10, "block": 100, "data": {"#block100": look}}
        service.result("landing.block.updateattrs", edit)
        draft = service.result(
            "landing.block.getlist", {"lid": 10, "params": {"edit_mode": True, "get_content": True}}
        )[0]["content"]
        service.result("landing.landing.publication", {"lid": 10})
        (header,) = parse_fragment(service.get("/shop/").text).select("header")

    assert len(before.select(".ly-menu-close")) == 1
    assert "ly-menu-close" not in draft
    assert {name: header.attr(name) for name in look} == look
    assert len(header.select(".ly-menu-close")) == 1
