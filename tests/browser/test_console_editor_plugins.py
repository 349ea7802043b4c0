"""Blocks, nodes and panels of third-party plugins are edited like the built-in ones.

One plugin is written by hand, the other by `landyard plugins new`.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.axe import examine
from browser.conftest import WEBHOOK_LINE, Demo
from browser.console_editor import READY, Editing, Opened, make_page
from browser.visiting import CHROMIUM, Visitor
from clients.serving import serving
from kernel.installing import install
from kernel.supervised import until
from playwright.async_api import Route

from landyard_authoring.new_package import write_package

PACKAGE = Path(__file__).parent / "strangers" / "landyard_tides"
NODES = ".ed-nodes button"


@pytest.fixture(scope="module")
def editing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editing]:
    """A service with the plugins, in which nothing was edited yet."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    data = tmp_path_factory.mktemp("strangers")
    site = data / "site"
    site.mkdir()
    written = write_package("greeter", data, (), ["panel", "column"])
    for package in (PACKAGE, written / "src" / "landyard_greeter"):
        name = package.name.removeprefix("landyard_")
        install(site, name, f"{name} = {package.name}")
        (site / f"{package.name}.py").unlink()
        left = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, site / package.name, ignore=left)
    with serving(data, "--demo", PYTHONPATH=str(site)) as (port, printed):
        until(lambda: "page publish" in printed.read_text(), printed.read_text)
        found = WEBHOOK_LINE.search(printed.read_text())
        assert found, printed.read_text()
        visitor = Visitor(f"http://127.0.0.1:{port}")
        yield Editing(Demo(f"http://127.0.0.1:{port}", found[1], data), visitor)
        visitor.close()


@pytest.fixture
def page_id(editing: Editing, page_number: int) -> int:
    return make_page(editing.demo, page_number, [{"code": "ly.text"}])


async def _add(tab: Opened, name: str = "tides", node: str = ".tides") -> None:
    """Add a third-party block after the first one, from the gallery."""
    await tab.page.locator(".ed-block").first.click()
    await tab.page.get_by_role("button", name="Add a block").click()
    await tab.page.get_by_role("searchbox").fill(name)
    await tab.page.locator(".ed-gallery button").first.click()
    await tab.frame.locator(node).wait_for()
    await tab.saved()


async def _focused(tab: Opened) -> str:
    label: str = await tab.page.evaluate("document.activeElement.labels?.[0]?.textContent ?? ''")
    return label.strip()


def test_edits_in_a_third_party_panel_are_saved_by_the_shell_and_undone(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> tuple[str, str, str, list[str]]:
        page = tab.page
        await _add(tab)
        await tab.type_at_end(".tides-title", " of the harbour")
        await page.keyboard.press("Escape")
        await tab.saved()
        await tab.node(".tides-tide").click()
        high = page.get_by_label("The high one")
        await high.wait_for()
        findings = await examine(page, "a panel")
        before = await high.input_value()
        await page.get_by_label("The low one").fill("3")
        await page.keyboard.press("Tab")  # to the next field, where the focus stays
        await tab.frame.get_by_text("3 to 5 fathoms").wait_for()
        await tab.saved()
        focused = await _focused(tab)
        await page.keyboard.press("Control+a")
        await page.keyboard.type("8")
        await page.keyboard.press("Tab")
        await tab.frame.get_by_text("3 to 8 fathoms").wait_for()
        await tab.saved()
        saved = editing.contents(page_id)[1]
        await page.get_by_role("button", name="Undo").click()
        await tab.frame.get_by_text("3 to 5 fathoms").wait_for()
        await page.wait_for_function(
            "[...document.querySelectorAll('.ed-panel input')].some(each => each.value === '5')"
        )
        await tab.saved()
        return before, focused, saved, findings

    (before, focused, saved, findings), visit = editing.act(page_id, act)

    assert (before, focused, findings) == ("5", "The high one", [])
    assert "3 to 8 fathoms" in saved
    assert "Tides of the harbour" in saved
    content = editing.contents(page_id)[1]
    assert re.search(r'data-tide="{&quot;low&quot;:3,&quot;high&quot;:5}"', content)
    assert (visit.violations, visit.complaints, visit.foreign) == ([], [], [])


@pytest.mark.parametrize(
    ("node", "label"), [(".tides-depth", "Value (depth)"), (".tides-buoy", "Value (buoy)")]
)
def test_without_a_working_panel_a_generic_one_is_shown(
    editing: Editing, page_id: int, node: str, label: str
) -> None:
    """For a type without a panel, and for one whose module throws; the failure is reported."""

    async def act(tab: Opened) -> tuple[str, list[str]]:
        page = tab.page
        await _add(tab)
        await tab.node(node).click()
        field = page.get_by_label(label, exact=True)
        await field.wait_for()
        text = await page.locator(".ed-panel").inner_text()
        findings = await examine(page, "a generic panel")
        await field.fill("4")
        await page.keyboard.press("Tab")
        await tab.frame.locator(node).get_by_text("4 fathoms").wait_for()
        await tab.saved()
        assert "4 fathoms" in editing.contents(page_id)[1]
        await page.get_by_role("button", name="Undo").click()
        await tab.frame.locator(node).get_by_text("4 fathoms").wait_for(state="detached")
        await tab.saved()
        return text, findings

    (told, findings), _ = editing.act(page_id, act)

    assert ("the chart is lost" in told) == (node == ".tides-buoy")
    assert findings == []
    assert "4 fathoms" not in editing.contents(page_id)[1]


@pytest.mark.parametrize(
    ("status", "module", "message"),
    [
        (200, "export default () => { throw null }", "null"),
        (200, "throw 'no chart'", "no chart"),
        (200, "export default () => new Promise(() => {})", "within two seconds"),
        (200, "await new Promise(() => {})", "within two seconds"),
        (200, "export function panel () {}", "no function as its default"),
        (200, "export default () => 'a chart'", "returns no element"),
        (404, "", "Failed to fetch"),
    ],
)
def test_a_module_that_fails_in_any_way_leaves_a_generic_panel(
    editing: Editing, page_id: int, status: int, module: str, message: str
) -> None:
    async def act(tab: Opened) -> tuple[str, str]:
        async def answer(route: Route) -> None:
            await route.fulfill(status=status, body=module, content_type="text/javascript")

        await tab.page.route("**/tides/panel.js", answer)
        await _add(tab)
        await tab.node(".tides-tide").click()
        value = await tab.page.get_by_label("Value (tide)").input_value()
        return value, await tab.page.locator(".ed-brought").inner_text()

    (value, seen), _ = editing.act(page_id, act)

    assert value == '{"low":2,"high":5}'
    assert "The panel of the plugin tides cannot be shown:" in seen
    assert message in seen


def test_the_panel_of_the_scaffold_is_used_by_keys_and_undone(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> tuple[list[str], str]:
        hearts = tab.node(".greeting-hearts")
        field = tab.page.get_by_label("How many")
        await _add(tab, "greeting", ".greeting-hearts")
        await hearts.click()
        await field.wait_for()
        findings = await examine(tab.page, "the scaffold's panel")
        await field.press("ArrowUp")
        await field.press("Tab")
        await tab.frame.get_by_text("♥♥", exact=True).wait_for()
        await tab.saved()
        await tab.page.get_by_role("button", name="Undo").click()
        await tab.frame.get_by_text("♥", exact=True).wait_for()
        await tab.page.get_by_role("button", name="Redo").click()
        await tab.frame.get_by_text("♥♥", exact=True).wait_for()
        await tab.saved()
        await tab.open(page_id)
        await hearts.click()
        again = await field.input_value()
        await tab.page.goto(f"{tab.base}/-/console/pages/71")
        await tab.page.get_by_text("Hello, Edited").first.wait_for()
        return findings, again

    (findings, again), visit = editing.act(page_id, act)

    assert (findings, again) == ([], "2")
    assert 'data-greeter="2">♥♥</p>' in editing.contents(page_id)[1]
    assert (visit.violations, visit.complaints, visit.foreign) == ([], [], [])


def test_a_value_refused_by_the_plugin_is_reported_and_left_out(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> str:
        await _add(tab)
        await tab.node(".tides-depth").click()
        await tab.page.get_by_label("Value (depth)").fill("a great deal")
        await tab.page.keyboard.press("Tab")
        text = await tab.page.get_by_role("dialog").inner_text()
        await tab.page.get_by_role("button", name="Leave it out").click()
        await tab.saved()
        return text

    told, _ = editing.act(page_id, act)

    assert "must be fathoms" in told
    assert "7 fathoms" in editing.contents(page_id)[1]


def test_the_editor_starts_without_third_party_modules_on_request(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> list[str]:
        asked: list[str] = []
        tab.page.on("request", lambda request: asked.append(request.url))
        await _add(tab)
        await tab.page.goto(f"{tab.base}/-/console/editor/{page_id}?plain")
        await tab.page.locator(READY).wait_for()
        await tab.node(".tides-tide").click()
        await tab.page.get_by_label("Value (tide)").fill('{"low": 1, "high": 6}')
        await tab.page.keyboard.press("Tab")
        await tab.frame.get_by_text("1 to 6 fathoms").wait_for()
        await tab.saved()
        return [each for each in asked if "/tides/" in each]

    asked, _ = editing.act(page_id, act)

    assert asked == []
    assert "1 to 6 fathoms" in editing.contents(page_id)[1]
