"""Axe finds nothing in any state of the editor, in its frame too."""

import pytest
from browser.axe import SETTLE, WCAG_22_AA, axe
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from browser.visiting import Scheme
from clients.serving import load
from playwright.async_api import Page

TITLE = ".landing-block-node-title"
OTHER = 74
BOTH: tuple[Scheme, ...] = ("light", "dark")

# Axe examines a frame only if it is loaded there too.
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

# No part of a dialog is cut off at its side.
_FITS = """() => [...document.querySelectorAll('dialog[open]')].every(each =>
  each.scrollWidth <= each.clientWidth && each.getBoundingClientRect().right <= innerWidth)"""


@pytest.fixture
def page_id(demo: Demo) -> int:
    return make_page(demo, 1990, [{"code": code} for code in ("ly.text", "ly.quote", "ly.cards")])


def _last(demo: Demo, page_id: int) -> int:
    listed = demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})
    block: int = listed["result"][-1]["id"]
    return block


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


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.soak)])
def test_axe_finds_nothing_in_any_state_of_the_editor(
    editing: Editing, page_id: int, width: int
) -> None:
    async def act(tab: Opened) -> list[str]:
        page = tab.page
        found = await _examined(page, "opened", BOTH)
        await tab.node(TITLE).click()
        await page.keyboard.press("Control+k")
        found += await _examined(page, "typing", BOTH)
        await page.keyboard.press("Escape")
        await page.locator(".ed-done").click()
        for at in range(3):
            found += await _examined(page, f"block {at}", BOTH[:1] if at else BOTH)
            if width > 600:
                await page.locator(".ed-block").nth(at).click()
        for name in ("History", "Calls", "Share the draft", "Publish …"):
            if width < 600 and await page.locator(".ed-panel.ed-open").count():
                await page.get_by_role("button", name="Choose nothing").click()
            await page.get_by_role("button", name=name, exact=True).click()
            await page.wait_for_timeout(500)
            found += await _examined(page, name, BOTH)
            await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Add a block").click()
        await page.wait_for_timeout(800)
        return found + await _examined(page, "gallery", BOTH[:1])

    findings, _ = editing.act(page_id, act, width=width, patience=420)

    assert findings == []


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 390])
def test_axe_finds_nothing_in_the_dialogs_about_unsaved_changes(
    demo: Demo, editing: Editing, page_id: int, width: int
) -> None:
    """A text changed by another user, a refused text, an ended session, another user's session."""
    rights = {"sites_access": True, "rights": {"*": ["view", "edit"]}}
    load(demo.data, {"users": [{"id": OTHER, "name": "Odile", **rights}]})

    async def act(tab: Opened) -> list[str]:
        page = tab.page
        dialog = page.get_by_role("dialog")

        async def examined(name: str, text: str) -> list[str]:
            await dialog.get_by_text(text).first.wait_for()
            assert await page.evaluate(_FITS) is True, name
            return await _examined(page, name, BOTH)

        await tab.node(TITLE).click()
        await page.keyboard.press("Control+End")
        editing.change(page_id, {TITLE: "Theirs, which is " + "long " * 200})
        await page.keyboard.type(" of mine")
        found = await examined("conflict", "Somebody else has changed this text")
        await page.get_by_role("button", name="Keep mine").press("Enter")
        await tab.saved()

        await tab.node(f".block-ly-cards {TITLE}").click()
        demo.call("landing.landing.deleteblock", lid=page_id, block=_last(demo, page_id))
        await page.keyboard.type("gone")
        found += await examined("refused", "This was not saved")
        await page.get_by_role("button", name="Leave it out").press("Enter")
        await tab.saved()

        await tab.type_at_end(TITLE, " kept")
        await page.context.clear_cookies()
        await page.locator("dialog.signed-out").wait_for()
        found += await examined("signed out", "session has ended")
        other = await page.context.new_page()
        await other.goto(editing.link(OTHER))
        found += await examined("somebody else", "What you have typed is kept")
        await other.goto(editing.link())
        await other.close()
        await tab.saved()
        return found

    findings, _ = editing.act(page_id, act, width=width, patience=420)

    assert findings == []
