"""The editor says whether visitors see the page, and has a way to it."""

import httpx
import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from browser.visiting import Visitor
from playwright.async_api import expect

TITLE = ".landing-block-node-title"


@pytest.fixture(scope="module")
def editing(demo: Demo, visitor: Visitor) -> Editing:
    return Editing(demo, visitor)


@pytest.fixture
def page_id(demo: Demo, request: pytest.FixtureRequest) -> int:
    """A page of its own, which was never published."""
    names = sorted(item.nodeid for item in request.session.items)
    return make_page(demo, 3500 + names.index(request.node.nodeid), [{"code": "ly.text"}])


@pytest.mark.parametrize("width", [1280, 390])
def test_the_bar_says_how_the_page_stands_and_leads_to_it(
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
    # The undo took it off the net again.
    assert httpx.get(f"{demo.base}/{public.split('/', 3)[3]}").status_code == 404
