# ruff: noqa: RUF001 - French
"""The bakery: four French pages, made by clicks and keys alone, then read as visitors read them."""

import io
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from browser.console_editor import READY, Opened
from browser.visiting import CHROMIUM, Visitor
from contract.worlds import find
from kernel import processes
from kernel.supervised import until
from msgspec import Struct
from PIL import Image
from playwright.async_api import FilePayload, Page, expect

pytestmark = pytest.mark.soak

PATIENCE = 400.0
SIGN_IN = re.compile(r"Console +(http://\S+/-/console/sign-in\?key=\S+)")
BRAND = "Boulangerie Martin"


class Made(Struct, frozen=True):
    """The content that a page of the baker gets; `template` is the template it starts from."""

    title: str
    code: str
    template: str
    heading: str
    text: str
    caption: str
    alt: str
    link: tuple[str, str]
    description: str = ""


PAGES = [
    Made(
        "Le pain de Martin", "accueil", "Product", "Du pain, tous les jours",
        "Chez nous, le levain a trente ans et le four n’a jamais froid.",
        "La vitrine, à sept heures", "Une vitrine pleine de pains dorés",
        ("Voir nos pains", "/martin/pains/"), "Une boulangerie de quartier, au levain.",
    ),
    Made(
        "Nos pains", "pains", "Event", "Six farines, six pains",
        "Blé, seigle, épeautre, sarrasin, maïs et avoine : rien d’autre.",
        "Le pain de seigle", "Un pain de seigle coupé en deux",
        ("Quand venir", "/martin/horaires/"),
    ),
    Made(
        "Nos horaires", "horaires", "News article", "Ouvert dès sept heures",
        "Du mardi au dimanche, de 7 h à 13 h, puis de 16 h à 19 h.",
        "La porte de la boutique", "Une porte bleue sous une enseigne",
        ("Nous écrire", "/martin/contact/"),
    ),
    Made(
        "Nous écrire", "contact", "Empty", "Un mot pour le boulanger",
        "Nous répondons le soir, quand le four est éteint.",
        "Martin, le matin", "Un boulanger en tablier blanc",
        ("Retour à l’accueil", "/martin/"),
    ),
]  # fmt: skip
MENU = [("Accueil", "/martin/"), *((each.title, f"/martin/{each.code}/") for each in PAGES[1:])]
COLOURS = ["#c8813a", "#7a4a21", "#2d5f8a", "#e8e2d4"]


def picture(at: int) -> FilePayload:
    kept = io.BytesIO()
    Image.new("RGB", (1200, 800), COLOURS[at]).save(kept, "PNG")
    return FilePayload(name=f"{PAGES[at].code}.png", mimeType="image/png", buffer=kept.getvalue())


async def begin_site(page: Page) -> None:
    await page.get_by_role("link", name="New site").first.click()
    await page.get_by_role("button", name="Empty", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Title").fill(BRAND)
    await dialog.get_by_label("Address").fill("martin")
    await dialog.get_by_label("Language").select_option(label="Français")
    await dialog.get_by_role("button", name="Make the site").click()
    await expect(page.get_by_role("link", name=BRAND)).to_be_visible()


async def begin_page(page: Page, made: Made) -> Opened:
    await page.get_by_role("link", name="New page").first.click()
    await page.get_by_role("button", name=made.template, exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Title").fill(made.title)
    await dialog.get_by_label("Address").fill(made.code)
    await dialog.get_by_role("button", name="Make the page").click()
    await page.locator(READY).wait_for()
    return Opened(page, "")


async def clear(tab: Opened) -> None:
    """Remove the content of the template, because the baker's page is a different one."""
    blocks = tab.page.locator(".ed-block")
    while count := await blocks.count():
        await blocks.first.focus()
        await tab.page.keyboard.press("Delete")
        await expect(blocks).to_have_count(count - 1)
    await tab.saved()


async def add(tab: Opened, name: str, selector: str) -> None:
    await tab.page.get_by_role("button", name="Add a block").click()
    await tab.page.get_by_role("searchbox").fill(name)
    await tab.page.locator(".ed-gallery button").filter(has_text=name).first.click()
    await tab.frame.locator(selector).first.wait_for()
    await tab.saved()


async def write(tab: Opened, selector: str, text: str) -> None:
    await tab.node(selector).click()
    await tab.frame.locator(".ProseMirror").wait_for()
    await tab.page.keyboard.press("Control+a")
    await tab.page.keyboard.type(text)
    await tab.page.keyboard.press("Escape")
    await tab.saved()


async def fill_in(tab: Opened, name: str, value: str) -> None:
    field = tab.page.locator(f".ed-panel [data-name='{name}']")
    await field.fill(value)
    await field.press("Tab")
    await tab.saved()


async def write_menu(tab: Opened) -> None:
    page = tab.page
    await write(tab, ".landing-block-node-brand", BRAND)
    await fill_in(tab, "href", "/martin/")
    await page.locator(".ed-block").first.click()
    await page.get_by_role("button", name="Add an item").click()
    await tab.saved()
    for at, (text, href) in enumerate(MENU):
        await fill_in(tab, f"text{at}", text)
        await fill_in(tab, f"href{at}", href)


async def write_page(tab: Opened, at: int) -> None:
    page, made = tab.page, PAGES[at]
    await add(tab, "Menu", ".ly-menu")
    await write_menu(tab)
    await add(tab, "Text beside a picture", ".ly-text-picture")
    await write(tab, ".landing-block-node-title", made.heading)
    await write(tab, ".landing-block-node-text", made.text)
    await write(tab, ".landing-block-node-caption", made.caption)
    await write(tab, ".landing-block-node-link", made.link[0])
    await fill_in(tab, "href", made.link[1])
    await tab.node("[data-ly-kind=img]").click()
    async with page.expect_file_chooser() as asked:
        await page.get_by_role("button", name="Upload …").click()
    await (await asked.value).set_files(picture(at))
    await tab.frame.locator(f"img[src*='{made.code}.png']").wait_for()
    await page.get_by_label("Alternative text").fill(made.alt)
    await page.keyboard.press("Tab")
    await tab.saved()
    if made.code == "contact":
        await add(tab, "Contact form", ".forms-form")


async def describe(tab: Opened, made: Made) -> None:
    page = tab.page
    await page.get_by_role("button", name="title and address").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("Search engines, sharing and language").click()
    await dialog.get_by_label("Description", exact=True).fill(made.description)
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)


async def publish(tab: Opened) -> None:
    page = tab.page
    await page.get_by_role("button", name="Publish …").click()
    await page.get_by_role("button", name="Publish now").click()
    await page.get_by_text("Published. Visitors see it now.").wait_for()
    await page.get_by_role("link", name="To the pages").click()
    await page.get_by_role("link", name="New page").first.wait_for()


async def make(page: Page) -> None:
    await begin_site(page)
    for at, made in enumerate(PAGES):
        tab = await begin_page(page, made)
        await clear(tab)
        await write_page(tab, at)
        if made.description:
            await describe(tab, made)
        await publish(tab)
    await page.get_by_role("button", name=f"Actions for {PAGES[0].title}").click()
    action = page.get_by_role("button", name="Make it the main page")
    await action.and_(page.locator(":visible")).click()
    await expect(page.locator("#told")).to_contain_text("It is the main page now")


def told(html: str) -> dict[str, str]:
    """Read the language, the titles and the descriptions of a page."""
    metas = {
        str(each.attr("name") or each.attr("property")): str(each.attr("content"))
        for each in find(html, "meta")
    }
    names = ("og:title", "description", "og:description", "og:locale", "og:image")
    said = {"lang": html.partition('lang="')[2].partition('"')[0]}
    said["title"] = html.partition("<title>")[2].partition("</title>")[0]
    return said | {name: metas.get(name, "") for name in names}


def links(html: str, url: str) -> dict[str, int | str]:
    """The status of each link of a page, or its scheme."""
    found: dict[str, int | str] = {}
    for each in find(html, "a[href]"):
        target = urljoin(url, str(each.attr("href")))
        parts = urlsplit(target)
        if not parts.scheme.startswith("http"):
            found[target] = parts.scheme
        elif target.partition("#")[0] == url:
            found[target] = 200 if not parts.fragment or f'id="{parts.fragment}"' in html else 404
        else:
            found[target] = httpx.get(target).status_code
    return found


async def shot(page: Page, url: str, to: Path) -> list[tuple[str, int]]:
    """Photograph a page; return the alternative texts of its pictures, and the width of each."""
    await page.goto(url)
    for each in await page.locator("img.ly-picture").all():
        await each.scroll_into_view_if_needed()
        await expect(each).to_have_js_property("complete", value=True)
    await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    await page.screenshot(path=to, full_page=True)
    shown = page.locator("img.ly-picture")
    pictures: list[tuple[str, int]] = await shown.evaluate_all(
        "all => all.map(each => [each.alt, each.naturalWidth])"
    )
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, url
    return pictures


ENGLISH = re.compile(
    r"\b(?:the|and|your|our|what|where|when|read|write|send|first|second|third|skip|menu to)\b",
    re.IGNORECASE,
)


def test_a_french_site_of_four_pages_has_no_mistakes(tmp_path: Path) -> None:
    """Titles, languages, links and pictures are right; photographs are stored beside the test."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    with processes.serving(tmp_path, "--demo", LANDYARD_DATA=str(tmp_path)) as server:
        until(lambda: SIGN_IN.search(server.out) is not None, lambda: server.out)
        link = SIGN_IN.search(server.out)
        assert link
        base = f"http://127.0.0.1:{server.port}"
        visitor = Visitor(base)

        async def act(page: Page) -> None:
            await page.goto(link[1])
            await make(page)

        visitor.act(act, patience=PATIENCE)
        urls = [f"{base}{href}" for _, href in MENU]
        for made, url in zip(PAGES, urls, strict=True):
            html = httpx.get(url).text
            said = told(html)
            assert re.search(rf"/files/.*{made.code}[^/]*$", said.pop("og:image")), url
            assert said == {
                "lang": "fr",
                "title": made.title,
                "og:title": made.title,
                "description": made.description,
                "og:description": made.description,
                "og:locale": "fr_FR",
            }
            assert {*links(html, url).values()} == {200}, links(html, url)
            text = re.sub(r"<[^>]*>", " ", html.partition("<body>")[2])
            labels = re.findall(r'(?:aria-label|alt|placeholder|title)="([^"]*)"', html)
            assert ENGLISH.findall(" ".join([text, *labels])) == [], url
        for width in (1280, 390):

            async def look(page: Page, width: int = width) -> list[list[tuple[str, int]]]:
                return [
                    await shot(page, url, tmp_path / f"{made.code}-{width}.png")
                    for made, url in zip(PAGES, urls, strict=True)
                ]

            seen, visit = visitor.act(look, width=width, patience=PATIENCE)
            assert [[alt for alt, _ in each] for each in seen] == [[each.alt] for each in PAGES]
            assert all(wide > 0 for each in seen for _, wide in each)
            assert (visit.violations, visit.foreign) == ([], [])
        visitor.close()
