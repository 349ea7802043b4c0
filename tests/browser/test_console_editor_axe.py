"""Axe finds nothing in any state of the editor, in its frame too."""

import pytest
from browser.axe import SETTLE, WCAG_22_AA, axe
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from browser.visiting import Scheme, Visitor
from playwright.async_api import Page

TITLE = ".landing-block-node-title"

# Frames take part where axe is in them as well.
RUN = """
async tags => {
  const found = await axe.run(document, {
    runOnly: { type: 'tag', values: tags }, rules: { 'frame-tested': { enabled: true } },
    resultTypes: ['violations', 'passes', 'incomplete'], preload: false
  })
  const frames = found.passes.some(({ id }) => id === 'frame-tested')
  const told = ({ target, any, all, none }) =>
    `${target.join(' ')}: ${[...any, ...all, ...none].map(it => it.message).join('; ')}`
  const findings = found.violations
    .flatMap(({ id, nodes }) => nodes.map(node => `${id} ${told(node)}`))
  return [frames, findings]
}
"""


@pytest.fixture
def editing(demo: Demo, visitor: Visitor) -> Editing:
    return Editing(demo, visitor)


@pytest.fixture
def page_id(demo: Demo) -> int:
    return make_page(demo, 1990, [{"code": code} for code in ("ly.text", "ly.quote", "ly.cards")])


async def _examined(page: Page, name: str, schemes: tuple[Scheme, ...]) -> list[str]:
    findings: list[str] = []
    for scheme in schemes:
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for frame in page.frames:
            await frame.evaluate(axe())
            await frame.evaluate(SETTLE)
        frames, found = await page.evaluate(RUN, list(WCAG_22_AA))
        findings += [f"{name} {scheme}: {line}" for line in found]
        findings += [] if frames else [f"{name} {scheme}: the frame was not examined"]
    return findings


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_in_any_state(editing: Editing, page_id: int, width: int) -> None:
    both: tuple[Scheme, ...] = ("light", "dark")

    async def act(tab: Opened) -> list[str]:
        page = tab.page
        found = await _examined(page, "opened", both)
        await tab.node(TITLE).click()
        await page.keyboard.press("Control+k")
        found += await _examined(page, "typing", both)
        await page.keyboard.press("Escape")
        await page.locator(".ed-done").click()
        for at in range(3):
            found += await _examined(page, f"block {at}", both[:1] if at else both)
            if width > 600:
                await page.locator(".ed-block").nth(at).click()
        for name in ("History", "Calls", "Share the draft", "Publish …"):
            if width < 600 and await page.locator(".ed-panel.ed-open").count():
                await page.get_by_role("button", name="Choose nothing").click()
            await page.get_by_role("button", name=name, exact=True).click()
            await page.wait_for_timeout(500)
            found += await _examined(page, name, both)
            await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Add a block").click()
        await page.wait_for_timeout(800)
        return found + await _examined(page, "gallery", both[:1])

    findings, _ = editing.act(page_id, act, width=width, patience=180)

    assert findings == []
