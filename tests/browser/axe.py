"""Axe examines pages in the browser for accessibility problems."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from browser.visiting import Scheme, Visitor
from playwright.async_api import Page

SCRIPT = Path(__file__).parent / "examination" / "node_modules" / "axe-core" / "axe.min.js"
WCAG_22_AA = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

# The final state of the page is examined: pictures are loaded, and nothing fades any more.
SETTLE = """
async () => {
  for (const picture of document.images) picture.loading = 'eager'
  await Promise.all([...document.images].map(picture => picture.decode().catch(() => 0)))
  for (const each of document.getAnimations()) {
    try { each.finish() } catch { each.cancel() }
  }
}
"""
# Axe must not fetch the style sheets, because the browser has them already.
_RUN = """
async tags => {
  const found = await axe.run(document, {
    runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], preload: false
  })
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all, none }) =>
    `${id} ${target.join(' ')}: ${[...any, ...all, ...none].map(it => it.message).join('; ')}`))
}
"""


def axe() -> str:
    """Read axe; skip the test where it is not installed."""
    if not SCRIPT.is_file():
        pytest.skip("no axe here: `npm ci --ignore-scripts` in tests/browser/examination")
    return SCRIPT.read_text()


async def examine(page: Page, name: str = "", schemes: Sequence[Scheme] = SCHEMES) -> list[str]:
    """Examine the page in a tab by the rules of WCAG 2.2 AA; return a line for each finding.

    The browser runs axe through the DevTools protocol, which the page's policy does not restrict.
    """
    findings = list[str]()
    await page.evaluate(axe())
    for scheme in schemes:
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        await page.evaluate(SETTLE)
        found: Any = await page.evaluate(_RUN, list(WCAG_22_AA))
        findings += [f"{name} {scheme}: {line}" for line in found]
    return findings


def examine_path(visitor: Visitor, url: str, width: int) -> list[str]:
    """Examine the page at an address of the visitor's service, in the light and the dark scheme."""

    async def act(page: Page) -> list[str]:
        await page.goto(url)
        return await examine(page, url)

    findings, _ = visitor.act(act, width=width)
    return findings
