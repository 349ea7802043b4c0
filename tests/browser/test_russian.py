"""A site in Russian, made by calls alone: nothing that visitors read in it is in another script."""

# ruff: noqa: RUF001 - Cyrillic letters are meant
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
from kernel.supervised import until
from PIL import Image
from playwright.async_api import Page
from turbohtml import parse_fragment

pytestmark = pytest.mark.soak

N = ".landing-block-node-"
SITE = "/лодки-на-реке/"
PATHS = {"main": SITE, "about": f"{SITE}мастерская/", "write": f"{SITE}напишите-нам/"}
FOREIGN = re.compile(r"[A-Za-z]{2,}")
TITLES = (
    "Деревянные лодки, собранные вручную",
    "Лиственница и смола",
    "Обшивка внакрой",
    "Испытание на воде",
    "Четыре человека и один стапель",
)
TEXTS = (
    "<p>Мы строим лодки из лиственницы: доска за доской, <em>без спешки</em>.</p>",
    "<p>Каждую доску распариваем, выгибаем и крепим медными заклёпками.</p>",
    "<p>Первую неделю лодка стоит в воде: дерево разбухает, и швы закрываются сами.</p>",
)
WORDS: Mapping[str, tuple[str, ...]] = {
    f"{N}brand": ("Лодки на реке",),
    f"{N}button": ("Заказать лодку",),
    f"{N}link": ("Посмотреть мастерскую",),
    f"{N}caption": ("Мастерская в марте, когда вскрылся лёд",),
    f"{N}quote": ("Двенадцать лет на воде, и ни капли внутри.",),
    f"{N}author": ("Сосед с того берега",),
    f"{N}title": TITLES,
    f"{N}text": TEXTS,
    f"{N}card-title": TITLES[1:],
    f"{N}card-date": ("Март", "Июнь", "Октябрь"),
    f"{N}card-text": TEXTS[1:],
}
MENU = (
    {"text": "Начало", "href": SITE},
    {"text": "Мастерская", "href": PATHS["about"]},
    {"text": "Напишите нам", "href": PATHS["write"]},
)
PAGES = {
    "main": ("ly.menu", "ly.cover", "site.features", "ly.quote", "ly.footer"),
    "about": ("ly.menu", "ly.text", "ly.text_picture", "site.timeline", "ly.faq", "ly.footer"),
    "write": ("ly.menu", "forms.form", "ly.footer"),
}


class Editor:
    """Whoever makes the site, with nothing but calls."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo

    def call(self, method: str, **params: Any) -> Any:
        answer = self._demo.call(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def make(self) -> None:
        fields = {"TITLE": "Лодки на реке", "CODE": SITE.strip("/"), "LANG": "ru"}
        site = self.call("landing.site.add", fields=fields)
        self.call("landyard.theme.set", id=site, theme="folio")
        pages = {}
        for name, codes in PAGES.items():
            path = PATHS[name].removeprefix(SITE).strip("/")
            entry = MENU[list(PAGES).index(name)]["text"]
            given = {"TITLE": entry, "SITE_ID": site, "CODE": path or "начало"}
            pages[name] = self.call("landing.landing.add", fields=given)
            block = 0
            for code in codes:
                block = self._add(pages[name], code, block)
        self.call("landing.site.update", id=site, fields={"LANDING_ID_INDEX": pages["main"]})
        for page in pages.values():
            self.call("landing.landing.publication", lid=page)

    def _add(self, page: int, code: str, after: int) -> int:
        added = {"CODE": code, "AFTER_ID": after}
        block: int = self.call("landing.landing.addblock", lid=page, fields=added)
        if code != "forms.form":  # it speaks Russian by itself
            self.call(
                "landing.block.updatenodes", lid=page, block=block, data=self._said(page, block)
            )
        return block

    def _said(self, page: int, block: int) -> dict[str, Any]:
        """What a block's nodes become: each text is Russian, each picture is told of."""
        asked = {"lid": page, "block": block, "params": {"edit_mode": True}}
        nodes = self.call("landing.block.getmanifest", **asked)["nodes"]
        content = self.call("landing.block.getcontent", lid=page, block=block, editMode=1)[
            "content"
        ]
        root, said = parse_fragment(content), dict[str, Any]()
        for selector, node in nodes.items():
            found = root.select(selector)
            links = cycle(MENU) if "menu" in selector else None
            words = islice(cycle(WORDS.get(selector, TITLES)), block, None)
            for number, element in enumerate(found):
                key = f"{selector}@{number}"
                if selector.endswith("bgimg"):
                    said[key] = self._picture(block)
                elif node["type"] == "img":
                    said[key] = {"src": element.attr("src"), "alt": "Лодка у причала"}
                elif node["type"] == "link":
                    said[key] = (
                        next(links) if links else {"text": next(words), "href": PATHS["write"]}
                    )
                elif node["type"] == "text":
                    said[key] = next(words)
        return said

    def _picture(self, block: int) -> dict[str, str]:
        written = io.BytesIO()
        Image.linear_gradient("L").resize((2000, 1000)).convert("RGB").save(written, "BMP")
        content = base64.b64encode(written.getvalue()).decode()
        picture = self.call("landing.block.uploadfile", block=block, picture=["лёд.bmp", content])
        return {"src": picture["src"]}


@pytest.fixture(scope="module", autouse=True)
def _made(demo: Demo) -> None:
    Editor(demo).make()
    # The background's variants are made behind the call that publishes.
    until(lambda: "_w1600.avif" in httpx.get(demo.base + SITE).text, lambda: "no variants")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [*PAGES, "lost"])
def test_nothing_that_is_read_is_in_another_script(
    demo: Demo, visitor: Visitor, tmp_path: Path, name: str, width: int
) -> None:
    path = PATHS.get(name, f"{SITE}нет-такой/")
    seen = visitor.visit(path, width=width, schemes=("light", "dark"), shots=tmp_path)
    html = httpx.get(demo.base + path).text
    labels = re.findall(r' (?:aria-label|alt|title|placeholder)="([^"]*)"', html)
    text = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    text = re.sub(r"<code.*?</code>|<[^>]+>", " ", text)

    assert (seen.violations, seen.foreign) == ([], [])
    assert seen.measured["light"].overflow == 0
    assert '<html lang="ru" dir="ltr">' in html
    assert FOREIGN.findall(" ".join([text, *labels])) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_its_pages_are_accessible_and_valid(demo: Demo, visitor: Visitor, width: int) -> None:
    served = {path: httpx.get(demo.base + path).text for path in PATHS.values()}
    found = [examine_path(visitor, demo.base + path, width) for path in PATHS.values()]

    assert errors_of(served) + [line for lines in found for line in lines] == []


def test_its_form_is_sent_and_its_background_is_the_small_one(
    demo: Demo, visitor: Visitor, tmp_path: Path
) -> None:
    asked = list[str]()

    async def act(page: Page) -> None:
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(demo.base + SITE)
        await page.get_by_role("link", name="Напишите нам").first.click()
        await page.get_by_label("Ваше имя").fill("Анна")
        await page.get_by_label("Адрес вашей почты").fill("anna@example.org")
        await page.get_by_label("О чём вы пишете").fill("Можно посмотреть лодку?")
        await page.get_by_label("Я соглашаюсь").check()
        await page.wait_for_timeout(3500)
        await page.get_by_role("button", name="Отправить").click()
        await page.get_by_text("Спасибо. Сообщение пришло").wait_for()
        await page.screenshot(path=tmp_path / "thanks.png", full_page=True)

    _, visit = visitor.act(act)

    assert (visit.violations, visit.foreign) == ([], [])
    assert [url.rpartition("/")[2] for url in asked if "/files/" in url] == ["_w1600.avif"]
