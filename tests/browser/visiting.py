"""A visitor with a real browser, who notes everything that happens on a page."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Playwright,
    Request,
    Response,
    Route,
    async_playwright,
)

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
Scheme = Literal["light", "dark"]

# Runs before anything of the page, in its frames too.
WATCH = """
document.addEventListener('securitypolicyviolation', event =>
  violated(event.effectiveDirective + ' ' + event.blockedURI))
"""
MEASURE = """
async () => {
  const pictures = [...document.images], broken = []
  pictures.forEach(picture => { picture.loading = 'eager' })
  await Promise.all(pictures.map(picture =>
    picture.decode().catch(() => broken.push(picture.currentSrc || picture.src))))
  const root = document.documentElement
  return {
    title: document.title, text: document.body.innerText, pictures: pictures.length, broken,
    headings: document.querySelectorAll('h1').length,
    overflow: Math.max(root.scrollWidth, document.body.scrollWidth) - innerWidth,
    background: getComputedStyle(document.body).backgroundColor
  }
}
"""
# What a visitor might do, and more: every event, and a click on every link that is no address.
PROVOKE = """
() => {
  const kinds = ['load', 'error', 'mouseover', 'pointerenter', 'focus', 'click', 'toggle',
                 'animationstart', 'animationend', 'transitionend', 'begin', 'scroll']
  for (const element of document.querySelectorAll('body, body *')) {
    for (const kind of kinds) {
      element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }))
    }
    if (element.tagName === 'A' && !/^https?:$/.test(element.protocol)) element.click()
  }
}
"""
# What was provoked may take a moment. There is nothing to wait for where nothing happens.
MOMENT = "() => new Promise(resolve => setTimeout(resolve, 300))"


class Measured(Struct, frozen=True):
    """What the page is, once every picture has come."""

    title: str
    text: str
    pictures: int
    broken: list[str]
    headings: int
    overflow: int
    background: str


class Raw(Struct, frozen=True):
    """A document of the test's own, shown instead of what the network has."""

    html: str
    policy: str | None = None


class Visit(Struct):
    """What happened; `went` are the addresses this tab was sent to, its own first."""

    complaints: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    ran: list[int] = field(default_factory=list)
    went: list[str] = field(default_factory=list)
    measured: dict[Scheme, Measured] = field(default_factory=dict)


class Visitor:
    """A browser without windows; each visit is by a stranger, and none leaves this machine."""

    def __init__(self, base: str) -> None:
        """Start the browser, for the pages of one service."""
        self._base = base
        self._runner = asyncio.Runner()
        self._playwright, self._browser = self._runner.run(_start())

    def close(self) -> None:
        """End the browser."""
        self._runner.run(_stop(self._playwright, self._browser))
        self._runner.close()

    def visit(self, path: str, **how: Any) -> Visit:
        """Open a page and note what happens; see `_visit` for how."""
        return self._runner.run(self._visit(path, **how))

    async def _visit(
        self,
        path: str,
        *,
        width: int = 1280,
        schemes: Sequence[Scheme] = ("light",),
        raw: Mapping[str, Raw] | None = None,
        without_policy: bool = False,
        provoke: bool = False,
        click: str | None = None,
        pictures: Path | None = None,
    ) -> Visit:
        visit = Visit()
        context = await self._browser.new_context(
            viewport={"width": width, "height": 844 if width < 600 else 900},
            bypass_csp=without_policy,
        )
        try:
            page = await self._watched(context, visit, raw or {})
            await page.goto(self._base + path)
            for scheme in schemes:
                await page.emulate_media(color_scheme=scheme)
                measured = await page.evaluate(MEASURE)
                visit.measured[scheme] = msgspec.convert(measured, Measured)
                if pictures:
                    file = pictures / f"{path.strip('/').replace('/', '-')}-{width}-{scheme}.png"
                    await page.screenshot(path=file, full_page=True)
            if click:
                await self._click(page, click)
            if provoke:
                for frame in page.frames:
                    await frame.evaluate(PROVOKE)
                await _let_it_happen(page)
        finally:
            await context.close()
        return visit

    async def _click(self, page: Page, frame: str) -> None:
        """Click into a frame as a hand does: that gives the frame what rights a click gives."""
        await page.frame_locator(frame).locator("body").click()
        await _let_it_happen(page)

    async def _watched(
        self, context: BrowserContext, visit: Visit, raw: Mapping[str, Raw]
    ) -> Page:
        await context.expose_function("ran", lambda what: visit.ran.append(what))
        await context.expose_function("violated", lambda what: visit.violations.append(what))
        await context.add_init_script(WATCH)
        page = await context.new_page()

        async def show(route: Route) -> None:
            address = route.request.url
            document = raw.get(address.removeprefix(self._base))
            if document:
                headers = {"Content-Security-Policy": document.policy} if document.policy else {}
                await route.fulfill(
                    body=document.html, content_type="text/html; charset=utf-8", headers=headers
                )
            elif self._is_ours(address):
                await route.continue_()
            else:
                await route.abort()

        async def dismiss(dialog: Dialog) -> None:
            visit.dialogs.append(dialog.message)
            await dialog.dismiss()

        def note_request(request: Request) -> None:
            if not self._is_ours(request.url) and request.url not in raw:
                visit.foreign.append(request.url)
            if request.is_navigation_request() and request.frame == page.main_frame:
                visit.went.append(request.url)

        def note_answer(answer: Response) -> None:
            if answer.status >= 400:
                visit.failed.append(f"{answer.status} {answer.url}")

        def note_message(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                visit.complaints.append(message.text)

        await context.route("**/*", show)
        context.on("request", note_request)
        context.on("response", note_answer)
        context.on("dialog", dismiss)
        page.on("console", note_message)
        page.on("pageerror", lambda error: visit.complaints.append(error.message))
        return page

    def _is_ours(self, address: str) -> bool:
        return urlsplit(address).netloc == urlsplit(self._base).netloc


async def _let_it_happen(page: Page) -> None:
    await page.evaluate(MOMENT)


async def _start() -> tuple[Playwright, Browser]:
    playwright = await async_playwright().start()
    browser = await playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    )
    return playwright, browser


async def _stop(playwright: Playwright, browser: Browser) -> None:
    await browser.close()
    await playwright.stop()
