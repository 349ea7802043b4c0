"""A person who uses the API explorer: where its controls are, and what they do."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx
import pytest
from browser.visiting import PATIENCE, Visitor
from browser.visits import Visit
from msgspec import Struct
from playwright.async_api import Locator, Page

T = TypeVar("T")
ADDRESS = "/-/explorer"
_REFERRED = re.compile(r'"#/components/schemas/([^"]+)"')
_KEYS = 40  # more than separate any control from the one before it


class Shown(Struct, frozen=True):
    """The result of a call as the page shows it: status and body."""

    status: int
    body: Any


class Person:
    """A user of the page; `asked` are the addresses that the page requested."""

    def __init__(self, page: Page) -> None:
        """Look at `page`."""
        self.page = page
        self.asked: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))

    async def come(self) -> None:
        """Wait until the methods are shown."""
        await self.page.locator(".opblock").first.wait_for()

    async def paste(self, webhook: str) -> None:
        await self.page.get_by_label("Webhook address").fill(webhook)
        await self.page.get_by_role("button", name="Use it").click()

    async def open(self, method: str) -> Locator:
        """Find a method and unfold it; of a long list the page draws only the visible part."""
        await self.page.get_by_label("Find a method").fill(method)
        block = self.page.locator(".opblock", has=self.page.get_by_text(method, exact=True))
        await block.locator(".opblock-summary-control").click()
        await block.locator("textarea").wait_for()
        return block

    async def call(self, block: Locator, body: str) -> Shown:
        """Call a method with this body, and read the result."""
        if await block.locator(".live-responses-table").count():
            await block.get_by_role("button", name="Clear").click()
            await block.locator(".live-responses-table").wait_for(state="detached")
        await block.locator("textarea").fill(body)
        await block.get_by_role("button", name="Execute").click()
        return await self.answer(block)

    async def answer(self, block: Locator) -> Shown:
        """Read the answer of the method's last call."""
        table = block.locator(".live-responses-table")
        status = await table.locator(".response .response-col_status").inner_text()
        body = await table.locator("pre").first.inner_text()
        return Shown(int(status.split()[0]), json.loads(body))

    async def sees(self, selector: str) -> bool:
        return await self.page.locator(selector).count() > 0

    async def tab_to(self, selector: str) -> None:
        """Go to an element with the keyboard; fail the test where no key leads there."""
        for _ in range(_KEYS):
            await self.page.keyboard.press("Tab")
            if await self.sees(f"{selector}:focus"):
                return
        pytest.fail(f"no key leads to {selector}")


def few(base: str) -> dict[str, Any]:
    """The service's document reduced to one method, which the page shows faster."""
    document: dict[str, Any] = httpx.get(f"{base}/openapi.json").json()
    document["paths"] = {"/methods.json": document["paths"]["/methods.json"]}
    schemas, named, names = document["components"]["schemas"], dict[str, Any](), [document["paths"]]
    while names:  # the schemas that it refers to, directly or through others
        told = json.dumps(names.pop())
        for name in {*_REFERRED.findall(told)} - named.keys():
            named[name] = schemas[name]
            names.append(schemas[name])
    document["components"]["schemas"] = named
    return document


def explore(
    visitor: Visitor,
    base: str,
    act: Callable[[Person], Awaitable[T]],
    document: dict[str, Any] | None = None,
) -> tuple[T, Visit]:
    """Open the explorer of the service at `base` and act; return the action's result and the visit.

    `document` is shown in place of the service's own.
    """

    async def run(page: Page) -> T:
        person = Person(page)
        if document is not None:
            await page.route("**/openapi.json", lambda route: route.fulfill(json=document))
        await page.goto(base + ADDRESS)
        await person.come()
        return await act(person)

    return visitor.act(run, base=base, patience=2 * PATIENCE)
