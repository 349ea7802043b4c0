"""A site in Russian and one in Arabic, made by calls alone: every text is in the site's script."""

import base64
import io
import re
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser.axe import examine_path
from browser.conftest import Demo
from browser.validity import errors_of
from browser.visiting import Visitor
from corpora import read_data
from kernel.supervised import until
from msgspec import Struct
from PIL import Image
from playwright.async_api import Page
from turbohtml import parse_fragment

pytestmark = pytest.mark.soak

NODE = ".landing-block-node-"
FOREIGN = re.compile(r"[A-Za-z]{2,}")
PAGES = {
    "main": ("ly.menu", "ly.cover", "site.features", "ly.quote", "ly.footer"),
    "about": ("ly.menu", "ly.text", "ly.text_picture", "site.timeline", "ly.faq", "ly.footer"),
    "write": ("ly.menu", "forms.form", "ly.footer"),
}


class Site(Struct, frozen=True):
    """The texts of a site in one language; `paths` are those of the site and of its further pages.

    `words` are texts of nodes by node name; `form` is the visitor's input by the labels of the
    fields.
    """

    direction: str
    theme: str
    paths: tuple[str, str, str]
    lost: str
    main: str
    title: str
    menu: tuple[str, ...]
    alt: str
    file: str
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    form: Mapping[str, str]
    agree: str
    send: str
    thanks: str

    def path(self, page: str) -> str:
        """The path of a page, by its name in `PAGES`; any other name gives the path of a missing
        page.
        """
        home, about, write = self.paths
        below = {"main": "", "about": f"{about}/", "write": f"{write}/"}
        return f"/{home}/{below.get(page, f'{self.lost}/')}"

    def said(self, selector: str) -> tuple[str, ...]:
        """The texts for the nodes of a selector."""
        name = selector.removeprefix(NODE)
        more = {"text": self.texts, "card-text": self.texts[1:], "card-title": self.titles[1:]}
        return self.words.get(name) or more.get(name) or self.titles


SITES = read_data(__file__, "SITES", dict[str, Site])


class Editor:
    """The editor who makes the site, only by calls."""

    def __init__(self, demo: Demo, language: str) -> None:
        self._demo = demo
        self._language = language
        self._site = SITES[language]
        self._menu = [
            {"text": text, "href": self._site.path(page)}
            for text, page in zip(self._site.menu, PAGES, strict=True)
        ]

    def call(self, method: str, **params: Any) -> Any:
        answer = self._demo.call(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def make(self) -> None:
        said = self._site
        fields = {"TITLE": said.title, "CODE": said.paths[0], "LANG": self._language}
        site = self.call("landing.site.add", fields=fields)
        self.call("landyard.theme.set", id=site, theme=said.theme)
        pages = {}
        for code, title, name in zip((said.main, *said.paths[1:]), said.menu, PAGES, strict=True):
            params = {"TITLE": title, "SITE_ID": site, "CODE": code}
            pages[name] = self.call("landing.landing.add", fields=params)
            block = 0
            for kind in PAGES[name]:
                block = self._add(pages[name], kind, block)
        self.call("landing.site.update", id=site, fields={"LANDING_ID_INDEX": pages["main"]})
        for page in pages.values():
            self.call("landing.landing.publication", lid=page)

    def _add(self, page: int, code: str, after: int) -> int:
        added = {"CODE": code, "AFTER_ID": after}
        block: int = self.call("landing.landing.addblock", lid=page, fields=added)
        if code != "forms.form":  # a form uses the language by itself
            self.call(
                "landing.block.updatenodes", lid=page, block=block, data=self._said(page, block)
            )
        return block

    def _said(self, page: int, block: int) -> dict[str, Any]:
        """The values for a block's nodes: each text is in the language, and each picture has a
        text.
        """
        value = {"lid": page, "block": block, "params": {"edit_mode": True}}
        nodes = self.call("landing.block.getmanifest", **value)["nodes"]
        content = self.call("landing.block.getcontent", lid=page, block=block, editMode=1)[
            "content"
        ]
        root, said = parse_fragment(content), dict[str, Any]()
        for selector, node in nodes.items():
            found = root.select(selector)
            links = cycle(self._menu) if "menu" in selector else None
            words = islice(cycle(self._site.said(selector)), block, None)
            for number, element in enumerate(found):
                key = f"{selector}@{number}"
                if selector.endswith("bgimg"):
                    said[key] = self._picture(block)
                elif node["type"] == "img":
                    said[key] = {"src": element.attr("src"), "alt": self._site.alt}
                elif node["type"] == "link":
                    value = {"text": next(words), "href": self._site.path("write")}
                    said[key] = next(links) if links else value
                elif node["type"] == "text":
                    said[key] = next(words)
        return said

    def _picture(self, block: int) -> dict[str, str]:
        written = io.BytesIO()
        Image.linear_gradient("L").resize((2000, 1000)).convert("RGB").save(written, "BMP")
        sent = [self._site.file, base64.b64encode(written.getvalue()).decode()]
        picture = self.call("landing.block.uploadfile", block=block, picture=sent)
        return {"src": picture["src"]}


@pytest.fixture(scope="module", params=SITES)
def language(demo: Demo, request: pytest.FixtureRequest) -> str:
    """Make the site of a language."""
    language: str = request.param
    Editor(demo, language).make()
    # The variants of the background are made after the call that publishes.
    home = demo.base + SITES[language].path("main")
    until(lambda: "_w1600.avif" in httpx.get(home).text, lambda: "no variants")
    return language


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [*PAGES, "lost"])
def test_no_text_is_in_another_script(  # noqa: PLR0917 - a page, and who looks at it
    demo: Demo, visitor: Visitor, tmp_path: Path, language: str, name: str, width: int
) -> None:
    path = SITES[language].path(name)
    seen = visitor.visit(path, width=width, schemes=("light", "dark"), shots=tmp_path)
    html = httpx.get(demo.base + path).text
    labels = re.findall(r' (?:aria-label|alt|title|placeholder)="([^"]*)"', html)
    text = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    text = re.sub(r"<code.*?</code>|<[^>]+>", " ", text)

    assert (seen.violations, seen.foreign) == ([], [])
    assert seen.measured["light"].overflow == 0
    assert f'<html lang="{language}" dir="{SITES[language].direction}">' in html
    assert FOREIGN.findall(" ".join([text, *labels])) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_its_pages_are_accessible_and_valid(
    demo: Demo, visitor: Visitor, language: str, width: int
) -> None:
    paths = [SITES[language].path(page) for page in PAGES]
    served = {path: httpx.get(demo.base + path).text for path in paths}
    found = [examine_path(visitor, demo.base + path, width) for path in paths]

    assert errors_of(served) + [line for lines in found for line in lines] == []


def test_its_form_is_sent_and_its_background_is_the_small_one(
    demo: Demo, visitor: Visitor, tmp_path: Path, language: str
) -> None:
    site, asked = SITES[language], list[str]()

    async def act(page: Page) -> None:
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(demo.base + site.path("main"))
        await page.get_by_role("link", name=site.menu[-1]).first.click()
        for label, value in site.form.items():
            await page.get_by_label(label).fill(value)
        await page.get_by_label(site.agree).check()
        await page.wait_for_timeout(3500)
        await page.get_by_role("button", name=site.send).click()
        await page.get_by_text(site.thanks).wait_for()
        await page.screenshot(path=tmp_path / "thanks.png", full_page=True)

    _, visit = visitor.act(act)

    assert (visit.violations, visit.foreign) == ([], [])
    assert [re.findall(r"_w\d+\.avif", url) for url in asked if "/files/" in url] == [
        ["_w1600.avif"]
    ]
