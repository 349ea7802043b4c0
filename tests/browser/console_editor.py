"""A user with a browser who opens pages of a demo service in the console's editor."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from browser.visiting import Visitor
from browser.visits import Visit
from clients.serving import load
from msgspec import Struct
from playwright.async_api import BrowserContext, FrameLocator, Locator, Page

from landyard import Kernel, Settings
from landyard_console.sessions import make_link

if TYPE_CHECKING:
    from browser.conftest import Demo  # the module of the fixture

T = TypeVar("T")
SITE = 71
READY = "#editor[data-ready]"
SAVED = ".ed-state.saved"
_NO_WRITE = re.compile(
    r"/call/(?:batch|landing\.(?:block|landing)\.(?:get\w+|history\.getList)|landyard\.(?:\w+\.list|page\.authors))$"
)

# Opens every text as a click does; opening the next one leaves it.
OPEN_ALL = """
async () => {
  const page = document.querySelector('iframe.ed-frame').contentDocument
  const keys = [...page.querySelectorAll('[data-ly-kind="text"], [data-ly-kind="link"]')]
    .map(each => [each.closest('[data-block]').dataset.block, each.dataset.lyNode])
  const find = ([block, key]) => {
    const nodes = page.querySelectorAll(`[data-block="${block}"] [data-ly-node]`)
    return [...nodes].find(each => each.dataset.lyNode === key)
  }
  let opened = 0
  const odd = []
  for (const key of keys) {
    const element = find(key)
    element.click()
    await new Promise(resolve => setTimeout(resolve))
    const now = find(key)
    if (now?.isContentEditable) opened += 1
    else if (element.textContent.trim()) odd.push(`${key} ${element.outerHTML.slice(0, 200)}`)
  }
  document.querySelector('.ed-done')?.click()
  await new Promise(resolve => setTimeout(resolve, 600))
  return { opened, odd }
}
"""


class Editing(Struct, frozen=True):
    """The service, and a way to act in the editor as a user."""

    demo: "Demo"
    visitor: Visitor

    def link(self, user: int = 1) -> str:
        """Make a link that signs a user in."""
        kernel = Kernel(Settings(data=self.demo.data))
        try:
            key = make_link(kernel, user).partition("?")[2]
        finally:
            kernel.close()
        return f"{self.demo.base}/-/console/sign-in?{key}"

    def act(
        self,
        page_id: int,
        act: Callable[["Opened"], Awaitable[T]],
        *,
        user: int = 1,
        width: int = 1280,
        patience: float = 60.0,
    ) -> tuple[T, Visit]:
        """Open a page in the editor as a user who has just signed in, and act there."""

        async def opened(page: Page) -> T:
            await page.goto(self.link(user))
            tab = Opened(page, self.demo.base)
            await tab.open(page_id)
            return await act(tab)

        return self.visitor.act(opened, base=self.demo.base, width=width, patience=patience)

    def contents(self, page_id: int) -> list[str]:
        """Read the HTML of all blocks of a page's draft."""
        found: list[str] = []
        start: int | None = 0
        while start is not None:
            mode = {"edit_mode": True, "get_content": True}
            answer = self.demo.call("landing.block.getlist", lid=page_id, params=mode, start=start)
            found += [block["content"] for block in answer["result"]]
            start = answer.get("next")
        return found

    def change(self, page_id: int, data: Mapping[str, Any], hook: str = "") -> None:
        """Change nodes of a page's first block as another client does, through a webhook."""
        listed = self.demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})
        sent = {"lid": page_id, "block": listed["result"][0]["id"], "data": data}
        address = f"{hook or self.demo.hook}landing.block.updatenodes.json"
        assert httpx.post(address, json=sent).json()["result"] is True


class Opened:
    """A tab with the editor; `writes` are the writing methods that it has called."""

    def __init__(self, page: Page, base: str) -> None:
        """Record the calls of the tab from now on."""
        self.page = page
        self.base = base
        self.writes: list[str] = []
        page.on("request", lambda request: self._note(request.url))

    @property
    def context(self) -> BrowserContext:
        """The browser of the tab, with its cookies."""
        return self.page.context

    @property
    def frame(self) -> FrameLocator:
        """The draft."""
        return self.page.frame_locator("iframe.ed-frame")

    async def open(self, page_id: int) -> None:
        """Open a page, and wait until it can be edited."""
        await self.page.goto(f"{self.base}/-/console/editor/{page_id}")
        await self.page.locator(READY).wait_for()

    def node(self, selector: str, at: int = 0) -> Locator:
        """Find a node in the draft."""
        return self.frame.locator(selector).nth(at)

    async def type_at_end(self, selector: str, text: str, at: int = 0) -> None:
        """Click a text, go to its end, and type."""
        await self.node(selector, at).click()
        await self.frame.locator(".ProseMirror-focused").wait_for()
        await self.page.keyboard.press("Control+End")
        await self.page.keyboard.type(text)

    async def saved(self) -> None:
        """Wait until everything is saved."""
        await self.page.wait_for_timeout(50)
        await self.page.locator(SAVED).wait_for()

    def _note(self, url: str) -> None:
        if "/-/console/call/" in url and not _NO_WRITE.search(url):
            self.writes.append(url.rpartition("/")[2])


def make_page(demo: "Demo", number: int, blocks: list[Mapping[str, Any]]) -> int:
    """Make a page with blocks for the editor; return its id."""
    page_id = 70_000 + number
    page = {"id": page_id, "site": SITE, "code": f"e{number}", "title": f"Edited {number}"}
    site = {"id": SITE, "code": "edited", "title": "Edited"}
    load(demo.data, {"sites": [site], "pages": [{**page, "blocks": blocks}]})
    return page_id
