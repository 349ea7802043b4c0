"""Sites in the console are renamed, trashed and restored, each with the result for visitors."""

import httpx
import pytest
from browser.axe import examine
from browser.console_operator import CONSOLE, Consoled
from clients.serving import load
from playwright.async_api import Locator, Page, expect

HOSTILE = '"><img src=x onerror=ran(1)>{{7*7}}</button> {title}'


@pytest.fixture
def site(console: Consoled, request: pytest.FixtureRequest) -> int:
    """A site with a published page at an address of its own, and a hostile title."""
    code = "".join(filter(str.isalnum, request.node.name))[-40:]
    fields = {"TITLE": HOSTILE, "CODE": code, "TYPE": "PAGE"}
    made = console.call("landing.site.add", fields=fields)
    page = console.call("landing.landing.add", fields={"TITLE": "Ropes", "SITE_ID": made})
    console.call("landing.site.update", id=made, fields={"LANDING_ID_INDEX": page})
    console.call("landing.landing.publication", lid=page)
    assert isinstance(made, int)
    return made


def stored(console: Consoled, site: int) -> dict[str, str]:
    wanted = {"filter": {"ID": site, "DELETED": ["Y", "N"]}, "select": ["*", "PUBLIC_URL"]}
    found: dict[str, str] = console.call("landing.site.getList", params=wanted)[0]
    return found


async def seen(address: str) -> tuple[int, str]:
    """Visit as a stranger; return the status, and the address of a redirect."""
    async with httpx.AsyncClient() as client:
        answer = await client.get(address)
    return answer.status_code, answer.headers.get("location", "")


async def menu(page: Page, action: str) -> Locator:
    """Choose an entry in the menu of the shown site; return the dialog."""
    await page.get_by_role("button", name="Actions for the site").click()
    await page.get_by_role("button", name=action).and_(page.locator(":visible")).click()
    return page.get_by_role("dialog")


def test_a_renaming_of_a_site_is_undone(console: Consoled, site: int) -> None:
    before = stored(console, site)

    async def act(page: Page) -> list[str]:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        dialog = await menu(page, "Rename…")
        findings = await examine(page, "rename a site")
        assert await dialog.get_by_label("Title").input_value() == HOSTILE
        await dialog.get_by_label("Title").fill("Chandlers")
        await dialog.get_by_label("Address").fill("Our Chandlery")
        await expect(dialog).to_contain_text(f"{console.base}/Our%20Chandlery/")
        await dialog.get_by_role("button", name="Use “our-chandlery”").click()
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        tree = page.get_by_role("navigation", name="Sites")
        await expect(tree.get_by_role("link", name="Chandlers")).to_be_visible()
        assert await seen(f"{console.base}/our-chandlery/") == (200, "")
        status, sent_on = await seen(before["PUBLIC_URL"] + "/")
        assert (status, sent_on.removeprefix(console.base)) == (301, "/our-chandlery/")
        await page.locator("#told").get_by_role("button", name="Undo").click()
        await expect(tree.locator(f"a[href$='/pages/{site}']")).to_have_text(HOSTILE)
        return findings

    findings, visit = console.act(act)

    assert (findings, visit.ran, visit.violations) == ([], [], [])
    assert {name: stored(console, site)[name] for name in ("TITLE", "CODE")} == {
        name: before[name] for name in ("TITLE", "CODE")
    }


def test_an_invalid_address_is_explained_and_a_taken_one_refused(
    console: Consoled, site: int
) -> None:
    async def act(page: Page) -> None:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        dialog = await menu(page, "Rename…")
        await dialog.get_by_label("Address").fill("demo")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("CODE_IS_NOT_UNIQUE")
        await dialog.get_by_label("Address").fill("..")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_contain_text("“..” cannot stand in an address.")
        code = stored(console, site)["CODE"].strip("/")
        await expect(dialog).to_contain_text(f"is now “{code}”")
        await dialog.get_by_role("button", name="Close").click()
        await expect(dialog).to_have_count(0)

    console.act(act)


def test_a_site_is_trashed_and_restored_as_it_was(console: Consoled, site: int) -> None:
    address = stored(console, site)["PUBLIC_URL"] + "/"

    async def act(page: Page) -> list[str]:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        dialog = await menu(page, "Move to trash…")
        await expect(dialog).to_contain_text(f"nothing at {address[:-1]} any more")
        await expect(dialog).to_contain_text("Pages that they see now: 1.")
        findings = await examine(page, "a site to the trash")
        await dialog.get_by_role("button", name="Move to trash").click()
        await expect(page.get_by_role("main")).to_contain_text(f"“{HOSTILE}” is in the trash")
        assert (await seen(address))[0] == 404
        findings += await examine(page, "a site in the trash")
        await page.locator("#told").get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("row", name="Ropes")).to_contain_text("Published")
        assert (await seen(address))[0] == 200
        return findings

    findings, visit = console.act(act)

    assert (findings, visit.ran, visit.violations) == ([], [], [])
    assert stored(console, site)["ACTIVE"] == "Y"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_trashed_site_is_found_restored_and_shown_again(
    console: Consoled, site: int, width: int
) -> None:
    address = stored(console, site)["PUBLIC_URL"] + "/"
    console.call("landing.site.markDelete", id=site)

    async def act(page: Page) -> bool:
        main = page.get_by_role("main")
        await page.goto(f"{console.base}{CONSOLE}/pages")
        link = page.locator(f"a[href$='/pages/{site}']")
        await expect(link).to_be_hidden()
        await page.get_by_text("Sites in the trash", exact=True).press("Enter")
        await link.press("Enter")
        await page.wait_for_url(f"**/pages/{site}")
        await expect(main).to_contain_text("is in the trash")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        await page.get_by_role("button", name="Restore").press("Enter")
        await expect(main).to_contain_text("This site is hidden")
        assert (await seen(address))[0] == 404
        await page.get_by_role("button", name="Actions for Ropes").click()
        await page.get_by_role("button", name="Publish", exact=True).click()
        await expect(main).not_to_contain_text("This site is hidden")
        assert (await seen(address))[0] == 200
        return bool(wide)

    wide, visit = console.act(act, width=width)

    assert (wide, visit.ran, visit.violations) == (False, [], [])


def test_actions_are_offered_only_to_users_with_the_right(console: Consoled, site: int) -> None:
    def user(number: int, *rights: str) -> int:
        more = {"sites_access": True, "rights": {str(site): rights}}
        load(console.data, {"users": [{"id": number, "name": f"User {number}", **more}]})
        return number

    async def offered(page: Page) -> list[str]:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        return await page.locator("#of-site button").all_text_contents()

    async def in_the_trash(page: Page) -> int:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        await expect(page.get_by_role("main")).to_contain_text("is in the trash")
        return await page.get_by_role("button", name="Restore").count()

    viewer, keeper = user(51, "view"), user(52, "settings")

    assert console.act(offered, user=viewer)[0] == []
    assert console.act(offered, user=keeper)[0] == ["Rename…"]
    assert console.act(offered)[0] == ["Rename…", "Move to trash…"]
    console.call("landing.site.markDelete", id=site)
    assert console.act(in_the_trash, user=keeper)[0] == 0
    assert console.act(in_the_trash)[0] == 1


def test_a_new_site_is_offered_to_those_who_may_make_one(console: Consoled, site: int) -> None:
    more = {"sites_access": True, "rights": {str(site): ["view", "edit"]}}
    load(console.data, {"users": [{"id": 53, "name": "Editor of one", **more}]})

    async def offered(page: Page) -> tuple[int, str]:
        await page.goto(f"{console.base}{CONSOLE}/pages/{site}")
        links = await page.get_by_role("link", name="New site").count()
        await page.goto(f"{console.base}{CONSOLE}/pages/new-site")
        return links, await page.get_by_role("main").inner_text()

    (links, told), _ = console.act(offered, user=53)
    (own, shown), _ = console.act(offered)

    assert (links, "no right to make a site" in told, "Restaurant" in told) == (0, True, False)
    assert (own, "no right to make a site" in shown, "Restaurant" in shown) == (1, False, True)
