"""The editor shows whether visitors see the page, and links to it."""

import re

import httpx
import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import SITE, Editing, Opened, make_page
from clients.serving import load
from playwright.async_api import expect

TITLE = ".landing-block-node-title"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own, which was never published."""
    return make_page(demo, page_number, [{"code": "ly.text"}])


@pytest.mark.parametrize("width", [1280, 390])
def test_the_bar_shows_the_publication_state_and_links_to_the_page(
    demo: Demo, editing: Editing, page_id: int, width: int
) -> None:
    async def act(tab: Opened) -> tuple[list[str | None], list[str]]:
        page, notice = tab.page, tab.page.locator(".ed-notice")
        state = page.locator(".ed-standing")
        view = page.locator(".ed-viewing").get_by_role("link", name="View page")
        await expect(state).to_have_text("Not published")
        await expect(view).to_have_count(0)
        await page.get_by_role("button", name="Publish …").click()
        await page.get_by_role("button", name="Publish now").click()
        await expect(notice.get_by_role("link", name="View page")).to_be_visible()
        await expect(state).to_have_text("Published")
        await expect(view).to_be_visible()
        findings = await examine(page, f"published, {width}")
        addresses = [await view.get_attribute("href"), await view.get_attribute("target")]
        editing.change(page_id, {TITLE: "Anew"})  # as another client does
        await expect(state).to_have_text("Changed since published")
        await notice.get_by_role("button", name="Undo").click()
        await expect(state).to_have_text("Not published")
        await expect(view).to_have_count(0)
        return addresses, findings

    (addresses, findings), _ = editing.act(page_id, act, width=width)

    public = demo.call("landing.landing.getpublicurl", lid=page_id)["result"]
    assert addresses == [public, "_blank"]
    assert findings == []
    # The undo unpublished it again.
    assert httpx.get(f"{demo.base}/{public.split('/', 3)[3]}").status_code == 404


def test_an_address_is_shown_whole_simplified_and_reported_where_it_is_taken(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    public = demo.call("landing.landing.getpublicurl", lid=page_id)["result"]
    before = public.rstrip("/").rpartition("/")[0]
    taken = make_page(demo, 3400, [])
    code = f"sails-{page_id}"
    demo.call("landing.landing.update", lid=taken, fields={"CODE": code})

    async def act(tab: Opened) -> tuple[str, list[str]]:
        page = tab.page
        await page.get_by_role("button", name="title and address").click()
        shown, address = page.locator(".ed-whole output"), page.get_by_label("Address", exact=True)
        await expect(shown).to_have_text(public)
        await expect(page.locator(".ed-dialog")).to_contain_text("Visitors do not see this page")
        await address.fill(f"Sails, {page_id}!")
        await expect(shown).to_have_text(f"{before}/Sails%2C%20{page_id}!/")
        findings = await examine(page, "an odd address")
        await page.get_by_role("button", name=f"Use “{code}”").click()
        await expect(address).to_have_value(code)
        await expect(shown).to_have_text(f"{before}/{code}/")
        await page.get_by_role("button", name="Save", exact=True).click()
        notice = page.locator(".ed-notice")
        await expect(notice).to_contain_text(f"“{code}” is taken by another page or folder")
        return await notice.inner_text(), findings

    (told, findings), _ = editing.act(page_id, act)

    now = demo.call("landing.landing.getpublicurl", lid=page_id)["result"].split("/")[-2]
    assert now.startswith(f"{code}_")
    assert f"this page's address is “{now}”" in told
    assert findings == []


def test_publishing_names_new_moved_and_hidden_blocks(demo: Demo, editing: Editing) -> None:
    page_id = make_page(
        demo, 3401, [{"code": code} for code in ("ly.text", "ly.quote", "ly.cards", "ly.steps")]
    )
    demo.publish(page_id)
    listed = demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})["result"]
    text, quote, cards, steps = (block["id"] for block in listed)
    move = {"block": cards, "params": {"AFTER_ID": steps}}
    demo.call("landing.landing.moveblock", lid=page_id, **move)
    demo.call("landing.landing.hideblock", lid=page_id, block=quote)
    html = '<section class="landing-block"><p>One tool.</p><p>Nothing else.</p></section>'
    demo.call("landing.block.updatecontent", lid=page_id, block=text, content=html)

    async def act(tab: Opened) -> tuple[list[str], str, list[str]]:
        await tab.page.get_by_role("button", name="Publish …").click()
        rows = tab.page.locator(".ed-differences > li")
        await expect(rows).to_have_count(3)
        names = [await each.locator("h3").inner_text() for each in await rows.all()]
        findings = await examine(tab.page, "publishing")
        return names, await tab.page.locator(".ed-dialog").inner_text(), findings

    (names, told, findings), _ = editing.act(page_id, act)

    assert [" ".join(each.split()) for each in names] == [
        "Text Changed",
        "Cards with icons Moved",
        "Quotation Hidden",
    ]
    assert "One tool. Nothing else." in told
    assert demo.call("landing.landing.getpublicurl", lid=page_id)["result"] in told
    assert findings == []


def test_a_page_that_was_never_published_is_shown_as_new(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> int:
        await tab.page.get_by_role("button", name="Publish …").click()
        await tab.page.get_by_text("New page: visitors see all of it.").wait_for()
        return await tab.page.locator(".ed-differences > li").count()

    assert editing.act(page_id, act)[0] == 0


def test_the_publication_state_is_read_when_an_edit_may_have_changed_it(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    published = make_page(demo, 3402, [{"code": "ly.text"}])
    demo.publish(published)

    async def act(tab: Opened) -> list[int]:
        asked, state = [], tab.page.locator(".ed-standing")
        tab.page.on(
            "request", lambda each: asked.append(each.url.endswith("/landing.landing.getList"))
        )
        counts = []
        for text in (" and more", " and yet more", None):
            asked.clear()
            if text:
                await tab.type_at_end(TITLE, text)
            else:
                await tab.page.keyboard.press("Escape")
            await tab.saved()
            await expect(state).to_have_text(re.compile("Not published|Changed since"))
            await tab.page.wait_for_timeout(400)
            counts.append(sum(asked))
        return counts

    draft, _ = editing.act(page_id, act)
    public, _ = editing.act(published, act)

    assert draft == [0, 0, 0]  # visitors see none of it, whatever is typed
    # The state is not read while a changed text is typed, but when it is left. A slow typist makes
    # two bursts.
    assert [each > 0 for each in public] == [True, False, True]


def test_a_page_equal_to_its_published_version_again_is_shown_as_published(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    demo.publish(page_id)

    async def act(tab: Opened) -> None:
        state = tab.page.locator(".ed-standing")
        await tab.type_at_end(TITLE, "!")
        await expect(state).to_have_text("Changed since published")
        await tab.page.keyboard.press("Backspace")
        await tab.saved()
        await tab.page.keyboard.press("Escape")
        await expect(state).to_have_text("Published")
        await tab.type_at_end(TITLE, "!")
        await expect(state).to_have_text("Changed since published")
        await tab.page.keyboard.press("Escape")
        await tab.page.keyboard.press("Control+z")
        await expect(state).to_have_text("Published")

    editing.act(page_id, act)


def test_a_user_who_may_not_publish_is_told_so_before(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {str(SITE): ["view", "edit"]}}
    load(demo.data, {"users": [{"id": 74, "name": "Eddy", **rights}]})

    async def act(tab: Opened) -> None:
        await tab.page.get_by_role("button", name="Publish …").click()
        dialog = tab.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("You have no right to publish on this site.")
        await expect(dialog.get_by_role("button", name="Publish now")).to_be_disabled()

    editing.act(page_id, act, user=74)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_notice_does_not_cover_the_button_done(
    editing: Editing, page_id: int, width: int
) -> None:
    """The notice that a page was renamed does not cover *Done*."""

    async def act(tab: Opened) -> None:
        page = tab.page
        await page.get_by_role("button", name="title and address").click()
        await page.get_by_label("Title", exact=True).fill("A title that is rather long, to be told")
        await page.get_by_role("button", name="Save").click()
        await page.locator(".ed-notice").get_by_role("button", name="Undo").wait_for()
        await tab.node(".landing-block-node-text p").click()
        await page.get_by_role("button", name="Done").click(timeout=3000)
        await expect(page.get_by_role("button", name="Done")).to_have_count(0)

    editing.act(page_id, act, width=width)
