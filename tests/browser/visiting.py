"""A visitor with a real browser."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from browser.visits import Measured, Raw, Visit, Watch
from playwright.async_api import Browser, Page, Playwright, async_playwright

# The headless shell needs half the time, because it draws no window of its own.
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None
)
PATIENCE = 90.0
NARROW = 600
Scheme = Literal["light", "dark"]
T = TypeVar("T")

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
# A provoked script may need a moment, and there is no event to wait for if nothing runs.
MOMENT = "() => new Promise(resolve => setTimeout(resolve, 300))"


class Visitor:
    """A headless browser; each visit starts with an empty profile, and no request leaves this
    machine.
    """

    def __init__(self, base: str) -> None:
        """Start the browser, for the pages of the service at `base`."""
        self._base = base
        self._runner = asyncio.Runner()
        self._playwright, self._browser = self._runner.run(_start())

    def close(self) -> None:
        """End the browser."""
        self._runner.run(_stop(self._playwright, self._browser))
        self._runner.close()

    def visit(
        self,
        path: str,
        *,
        width: int = 1280,
        schemes: Sequence[Scheme] = (),
        shots: Path | None = None,
        click: str | None = None,
        provoke: bool = False,
        without_policy: bool = False,
        loosely: bool = False,
        raw: Mapping[str, Raw] | None = None,
        framing: bool = False,
    ) -> Visit:
        """Open a page, and report what happened.

        The page is measured in each of `schemes` and photographed into `shots`; then `click`
        selects a frame to click into, and `provoke` triggers events that may start a script.
        `without_policy` is a browser that ignores any Content-Security-Policy; `loosely` one that
        only reports what the page's policy would have stopped. `raw` are documents by address.
        `framing` lets frames show the service's pages, which forbid it.
        """
        watch = Watch(self._base, raw or {}, framing=framing, loosely=path if loosely else "")

        async def visit() -> None:
            height = 844 if width < NARROW else 900
            context = await self._browser.new_context(
                viewport={"width": width, "height": height}, bypass_csp=without_policy
            )
            page = await watch.begin(context, provoke=provoke)
            await page.goto(self._base + path)
            for scheme in schemes:
                shot = shots and shots / f"{path.strip('/').replace('/', '-')}-{width}-{scheme}.png"
                watch.visit.measured[scheme] = await _measure(page, scheme, shot)
            if click:
                await _click_into(page, click)
            if provoke:
                await page.evaluate(MOMENT)
            await context.close()

        self._runner.run(asyncio.wait_for(visit(), PATIENCE))
        return watch.visit

    def act(
        self,
        act: Callable[[Page], Awaitable[T]],
        *,
        base: str = "",
        width: int = 1280,
        scripts: bool = True,
        patience: float = PATIENCE,
    ) -> tuple[T, Visit]:
        """Act as a stranger; return the action's result and the visit.

        `base` is another service's address; without `scripts` the browser runs none.
        """
        watch = Watch(base or self._base, {})

        async def run() -> T:
            context = await self._browser.new_context(
                viewport={"width": width, "height": 844}, java_script_enabled=scripts
            )
            given = await act(await watch.begin(context, provoke=False))
            await context.close()
            return given

        return self._runner.run(asyncio.wait_for(run(), patience)), watch.visit


async def _measure(page: Page, scheme: Scheme, shot: Path | None) -> Measured:
    await page.emulate_media(color_scheme=scheme)
    measured: Any = await page.evaluate(MEASURE)
    if shot:
        await page.screenshot(path=shot, full_page=True)
    return msgspec.convert(measured, Measured)


async def _click_into(page: Page, frame: str) -> None:
    """Click as a hand does, because only a real click gives the frame the rights of a click."""
    # a lazy frame is empty until it is visible
    await page.locator(frame).scroll_into_view_if_needed()
    await page.frame_locator(frame).locator("body").click()
    await page.evaluate(MOMENT)


async def _start() -> tuple[Playwright, Browser]:
    playwright = await async_playwright().start()
    browser = await playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
    )
    return playwright, browser


async def _stop(playwright: Playwright, browser: Browser) -> None:
    await browser.close()
    await playwright.stop()
