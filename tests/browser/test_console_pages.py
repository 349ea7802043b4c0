"""The console's list of pages: notices after an action, and the actions offered next."""

import asyncio
import re

import httpx
from browser.console_operator import Consoled
from browser.test_console import choose
from contract.worlds import find
from playwright.async_api import Page, expect


def test_trashing_is_undone_and_a_restored_page_is_published(console: Consoled) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Slipway", "SITE_ID": 1})
    console.call("landing.landing.publication", lid=made)

    async def act(page: Page) -> float:
        row, notice = page.get_by_role("row", name="Slipway"), page.locator("#told")
        await choose(page, "Slipway", "Move to trash")
        await expect(notice).to_contain_text("Visitors no longer see it.")
        await notice.get_by_role("button", name="Undo").click()
        await expect(row).to_contain_text("Published")
        await choose(page, "Slipway", "Move to trash")
        await page.get_by_role("link", name="Trash", exact=True).click()
        await expect(row.locator("th svg")).to_have_count(1)
        await choose(page, "Slipway", "Restore")
        await expect(row).to_have_count(0)
        await page.get_by_role("link", name="All", exact=True).click()
        seen = await row.get_by_text("Unpublished").bounding_box()
        await page.get_by_role("link", name="Unpublished", exact=True).click()
        await choose(page, "Slipway", "Move to trash")
        await expect(notice).to_contain_text("Moved to the trash.")
        await page.get_by_role("link", name="Trash", exact=True).click()
        await choose(page, "Slipway", "Restore")
        await notice.get_by_role("button", name="Publish").click()
        await page.get_by_role("link", name="All", exact=True).click()
        await expect(row).to_contain_text("Published")
        return seen["width"] if seen else 0

    width, _ = console.act(act)

    assert width > 20


def test_an_address_is_shown_during_typing_and_reported_where_it_is_taken(
    console: Consoled,
) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Our dinghy", "SITE_ID": 1})

    async def act(page: Page) -> None:
        await page.reload()
        await choose(page, "Our dinghy", "Rename…")
        dialog = page.get_by_role("dialog")
        address = dialog.get_by_label("Address")
        await address.fill("Our Dinghy & Sails!")
        await dialog.get_by_role("button", name="Use “our-dinghy-sails”").click()
        await expect(dialog).to_contain_text(f"{console.base}/demo/our-dinghy-sails/")
        await address.fill("boats")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_contain_text("“boats” is taken by another page")
        code = console.call("landing.landing.getList", params={"filter": {"ID": made}})[0]["CODE"]
        assert code.startswith("boats_")
        await expect(dialog).to_contain_text(f"is now “{code}”")
        await dialog.get_by_role("button", name="Close").click()
        await expect(page.get_by_role("row", name="Our dinghy")).to_contain_text(code)

    console.act(act)


def test_a_new_page_shows_its_address_and_gets_it(
    console: Consoled,
) -> None:
    async def act(page: Page) -> list[str]:
        codes = []
        for template, typed in (("Product", ""), ("Event", "regatta"), ("Empty", "slip")):
            await page.goto(f"{console.base}/-/console/pages/new/1/0")
            await page.get_by_role("button", name=template, exact=True).click()
            dialog = page.get_by_role("dialog")
            await expect(dialog).to_contain_text("It goes into Tidewright.")
            await page.keyboard.type(f"The {template} page")  # over the title that is there
            await dialog.get_by_label("Address").fill(typed)
            await dialog.get_by_role("button", name="Make the page").click()
            await page.wait_for_url("**/editor/*")
            params = {"filter": {"ID": page.url.rpartition("/")[2]}}
            (made,) = console.call("landing.landing.getList", params=params)
            codes += [made["TITLE"], made["CODE"]]
        return codes

    codes, _ = console.act(act)

    assert codes == [
        *("The Product page", "the-product-page"),
        *("The Event page", "regatta"),
        *("The Empty page", "slip"),
    ]


def test_the_history_of_a_page_names_who_changed_it(console: Consoled) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Tide table", "SITE_ID": 1})

    async def act(page: Page) -> None:
        await page.reload()
        await page.get_by_role("button", name="Actions for Tide table").click()
        await page.get_by_role("link", name="Who changed it").and_(page.locator(":visible")).click()
        await expect(page.get_by_role("dialog", name="History")).to_be_visible()
        assert page.url.endswith(f"/editor/{made}#history")

    console.act(act)


def test_a_folders_address_is_shown_during_typing(console: Consoled) -> None:
    fields = {"TITLE": "Boats", "CODE": "our-boats"}
    outer = console.call("landing.site.addFolder", siteId=1, fields=fields)
    below = f"{console.base}/demo/our-boats"

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}/-/console/pages/1/{outer}")
        dialog = page.get_by_role("dialog")
        await page.get_by_role("button", name="New folder").click()
        await dialog.get_by_label("Title").fill("Dinghies")
        await dialog.get_by_label("Address").fill("All Dinghies")
        await expect(dialog).to_contain_text(f"{below}/All%20Dinghies/")
        await dialog.get_by_role("button", name="Use “all-dinghies”").click()
        await dialog.get_by_role("button", name="New folder").click()
        await choose(page, "Dinghies", "Rename…")
        await expect(dialog).to_contain_text(f"{below}/all-dinghies/")
        await dialog.get_by_label("Address").fill("dinghies")
        await expect(dialog).to_contain_text(f"{below}/dinghies/")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)

    console.act(act)

    found = console.call("landing.site.getFolders", siteId=1, filter={"PARENT_ID": outer})
    assert [(each["TITLE"], each["CODE"]) for each in found] == [("Dinghies", "dinghies")]


def test_a_folder_is_moved_trashed_and_restored_with_its_content(console: Consoled) -> None:
    def add(title: str, parent: int = 0) -> int:
        fields = {"TITLE": title, "PARENT_ID": parent}
        made = console.call("landing.site.addFolder", siteId=1, fields=fields)
        assert isinstance(made, int)
        return made

    shed, loft = add("Boat shed"), add("Loft")
    rack = add("Rack", shed)
    console.call("landing.landing.add", fields={"TITLE": "Oars", "SITE_ID": 1, "FOLDER_ID": rack})

    async def act(page: Page) -> list[str]:
        await page.reload()
        dialog = page.get_by_role("dialog")
        await choose(page, "Boat shed", "Move…")
        await dialog.wait_for()  # its choices are loaded without a wait for them
        offered = await dialog.get_by_role("option").all_inner_texts()
        await dialog.get_by_label("Folder").select_option("Loft")
        await dialog.get_by_role("button", name="Move").click()
        await expect(page.get_by_role("row", name="Boat shed")).to_have_count(0)
        await choose(page, "Loft", "Move to trash")
        await dialog.get_by_role("button", name="Move to trash").click()
        await page.get_by_role("link", name="Trash", exact=True).click()
        await expect(page.get_by_role("row", name="Oars")).to_be_visible()
        # it is moved with the folder
        await expect(page.get_by_role("row", name="Rack")).to_have_count(0)
        await choose(page, "Loft", "Restore")
        await expect(page.get_by_role("row", name="Oars")).to_have_count(0)
        return offered

    offered, _ = console.act(act)

    assert "Loft" in offered
    assert not {"Boat shed", "Boat shed / Rack"} & {*offered}  # not into itself
    parents = {each["ID"]: each["PARENT_ID"] for each in _folders(console)}
    assert [parents[str(each)] for each in (loft, shed, rack)] == [None, str(loft), str(shed)]


def _folders(console: Consoled) -> list[dict[str, str]]:
    found: list[dict[str, str]] = console.call("landing.site.getFolders", siteId=1)
    return found


def test_a_site_without_a_main_page_says_so_until_one_is_chosen(console: Consoled) -> None:
    fields = {"TITLE": "Chandlery", "CODE": "chandlery", "TYPE": "PAGE"}
    site = console.call("landing.site.add", fields=fields)
    made = console.call("landing.landing.add", fields={"TITLE": "Ropes", "SITE_ID": site})

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}/-/console/pages/{site}")
        await expect(page.get_by_role("main")).to_contain_text("This site has no main page")
        await choose(page, "Ropes", "Make it the main page")
        await expect(page.get_by_role("row", name="Ropes")).to_contain_text("Main page")
        await expect(page.get_by_role("main")).not_to_contain_text("no main page")
        await choose(page, "Ropes", "Publish")
        await expect(page.get_by_role("row", name="Ropes")).to_contain_text("Published")
        await page.goto(f"{console.base}/chandlery/")
        await expect(page).to_have_title("Ropes")

    console.act(act)

    (kept,) = console.call("landing.site.getList", params={"filter": {"ID": site}})
    assert kept["LANDING_ID_INDEX"] == str(made)


def test_the_pages_that_link_to_a_page_are_named_before_it_is_trashed(
    console: Consoled,
) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Chandlery", "SITE_ID": 1})
    menu = console.call("landing.landing.add", fields={"TITLE": "Dock menu", "SITE_ID": 1})
    code = console.call("landing.landing.getList", params={"filter": {"ID": made}})[0]["CODE"]
    block = console.call("landing.landing.addblock", lid=menu, fields={"CODE": "ly.text"})
    html = f'<p><a href="/demo/{code}/">Chandlery</a></p>'
    console.call("landing.block.updatecontent", lid=menu, block=block, content=html)

    async def act(page: Page) -> None:
        await page.reload()
        await choose(page, "Chandlery", "Move to trash")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("1 page links here: Dock menu.")
        await dialog.get_by_role("button", name="Cancel").click()
        await expect(page.get_by_role("row", name="Chandlery")).to_have_count(1)
        await choose(page, "Chandlery", "Move to trash")
        await dialog.get_by_role("button", name="Move to trash").click()
        await expect(page.locator("#told")).to_contain_text("Moved to the trash.")
        await expect(page.get_by_role("row", name="Chandlery")).to_have_count(0)

    console.act(act)


async def head_of(url: str) -> dict[str, str]:
    """Read the language, the titles and the descriptions of a published page."""
    async with httpx.AsyncClient(follow_redirects=True) as client:
        html = (await client.get(url)).text
    metas = {
        str(each.attr("name") or each.attr("property")): str(each.attr("content"))
        for each in find(html, "meta")
    }
    told = {
        "lang": html.partition('lang="')[2].partition('"')[0],
        "title": find(html, "title")[0].text,
    }
    names = ("og:title", "description", "og:description")
    return told | {name: metas.get(name, "") for name in names}


def test_search_metadata_is_set_in_the_dialog_of_the_page(console: Consoled) -> None:
    fields = {"TITLE": "Oar"}
    made = console.call("landing.landing.addByTemplate", siteId=1, code="event", fields=fields)
    console.call("landing.landing.publication", lid=made)
    url = console.call("landing.landing.getPublicUrl", lid=made)

    async def act(page: Page) -> list[dict[str, str]]:
        heads, dialog = [await head_of(url)], page.get_by_role("dialog")
        await page.reload()
        await choose(page, "Oar", "Rename…")
        await dialog.get_by_text("Search engines, sharing and language").click()
        assert await dialog.get_by_label("Description", exact=False).first.input_value() == ""
        await dialog.get_by_label("Title").fill("Rames")
        await dialog.get_by_label("In the tab and in searches").fill("Rames & pagaies")
        await dialog.get_by_label("Description").first.fill("Faites main.")
        await dialog.get_by_label("Language").select_option(label="Français")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        heads.append(await head_of(url))
        await choose(page, "Rames", "Rename…")
        shown = dialog.get_by_label("In the tab and in searches")
        await expect(shown).to_have_value("Rames & pagaies")
        await shown.fill("")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        return [*heads, await head_of(url)]

    (before, set_, after), _ = console.act(act)

    own = {"lang": "en", "title": "Oar", "og:title": "Oar", "description": "", "og:description": ""}
    assert before == own
    told = {"lang": "fr", "description": "Faites main.", "og:description": "Faites main."}
    assert set_ == told | {"title": "Rames & pagaies", "og:title": "Rames & pagaies"}
    assert after == told | {"title": "Rames", "og:title": "Rames"}


def test_search_metadata_is_set_in_the_editor(console: Consoled) -> None:
    made = console.call("landing.landing.addByTemplate", siteId=1, code="product", fields={})
    console.call("landing.landing.publication", lid=made)

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}/-/console/editor/{made}")
        await page.locator("#editor[data-ready]").wait_for()
        await page.get_by_role("button", name="title and address").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_label("In the tab and in searches")).not_to_have_value("")
        await dialog.get_by_label("Title", exact=True).fill("Lanterne")
        await dialog.get_by_label("Headline where it is shared").fill("La lanterne")
        await dialog.get_by_label("Language").select_option(label="Français")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)

    console.act(act)
    head = asyncio.run(head_of(console.call("landing.landing.getPublicUrl", lid=made)))

    told = {"lang": "fr", "title": "La lanterne", "og:title": "La lanterne"}
    assert head == told | {"description": "", "og:description": ""}


def test_a_site_is_made_in_a_language_and_given_another(console: Consoled) -> None:
    async def act(page: Page) -> int:
        dialog = page.get_by_role("dialog")
        await page.goto(f"{console.base}/-/console/pages/new-site")
        await page.get_by_role("button", name="Restaurant", exact=True).click()
        await expect(dialog.get_by_label("Language")).to_have_value("en")  # the browser's language
        await dialog.get_by_label("Title").fill("Chez Paul")
        await dialog.get_by_label("Language").select_option(label="Français")
        await dialog.get_by_role("button", name="Make the site").click()
        await page.wait_for_url(re.compile(r"/pages/\d+$"))  # the page list of the new site
        await expect(page.get_by_role("link", name="Chez Paul").first).to_be_visible()
        wanted = {"filter": {"TITLE": "Chez Paul"}, "select": ["ID", "LANG"]}
        (made,) = console.call("landing.site.getList", params=wanted)
        assert made["LANG"] == "fr"
        await page.goto(f"{console.base}/-/console/pages/{made['ID']}")
        await page.get_by_role("button", name="Actions for the site").click()
        await page.get_by_role("button", name="Rename…").and_(page.locator(":visible")).click()
        await dialog.get_by_label("Language").select_option(label="Deutsch")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        return int(made["ID"])

    made, _ = console.act(act)
    console.call("landing.site.publication", id=made)
    head = asyncio.run(head_of(console.call("landing.site.getPublicUrl", id=made)))

    told = {"lang": "de", "title": "Chez Paul", "og:title": "Chez Paul"}
    assert head == told | {"description": "", "og:description": ""}
