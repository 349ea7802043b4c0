"""Pictures of the library are cropped in the editor and given a focus point, by clicks and by
keys.
"""

import base64
import io
import re
from typing import Any

import httpx
import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from clients.serving import load
from PIL import Image
from playwright.async_api import FilePayload, expect

PICTURE = "[data-ly-kind=img]"
WIDE, HIGH = 200, 100
COLOURS = ((255, 0, 0), (0, 0, 255))  # of the left half and of the right one
TOLD = "A red and a blue half"


@pytest.fixture
def pages(demo: Demo, page_number: int) -> tuple[int, int]:
    """Two pages of one site: one with a picture, and one with a place for it."""
    own, other = (
        make_page(demo, each, [{"code": "ly.text_picture"}])
        for each in (page_number, page_number + 1)
    )
    return own, other


def _halves(kind: str) -> str:
    picture = Image.new("RGB", (WIDE, HIGH), COLOURS[0])
    picture.paste(COLOURS[1], (WIDE // 2, 0, WIDE, HIGH))
    kept = io.BytesIO()
    picture.save(kept, kind)
    return base64.b64encode(kept.getvalue()).decode()


def _upload(demo: Demo, page_id: int, name: str, kind: str = "PNG") -> dict[str, Any]:
    block = _blocks(demo, page_id)[0]["id"]
    kept: dict[str, Any] = demo.call(
        "landing.block.uploadfile", block=block, picture=[name, _halves(kind)]
    )["result"]
    return kept


def _blocks(demo: Demo, page_id: int) -> list[dict[str, Any]]:
    mode = {"edit_mode": True, "get_content": True}
    found: list[dict[str, Any]] = demo.call("landing.block.getlist", lid=page_id, params=mode)[
        "result"
    ]
    return found


def _place(demo: Demo, page_id: int, kept: dict[str, Any], alt: str) -> None:
    block = _blocks(demo, page_id)[0]
    manifest = demo.call(
        "landing.block.getmanifest", lid=page_id, block=block["id"], params={"edit_mode": True}
    )["result"]
    (selector,) = [key for key, node in manifest["nodes"].items() if node["type"] == "img"]
    value = {"id": kept["id"], "src": kept["src"], "alt": alt}
    answer = demo.call(
        "landing.block.updatenodes", lid=page_id, block=block["id"], data={selector: value}
    )
    assert answer["result"] is True


def _said(demo: Demo, page_id: int, name: str) -> str:
    """Return the metadata of a picture."""
    address = demo.call("landing.landing.getpublicurl", lid=page_id)["result"]
    page = httpx.get(f"{demo.base}/{address.split('/', 3)[3]}").text
    (tag,) = re.findall(rf"<img[^>]*{re.escape(name)}[^>]*>", page)
    found = re.search(r'alt="([^"]*)"', tag)
    return found[1] if found else ""


def _cut(demo: Demo, page_id: int) -> Image.Image:
    """Fetch the cropped picture of a page's block."""
    found = re.search(r'src="(/files/[^"]+)"', _blocks(demo, page_id)[0]["content"])
    assert found
    return Image.open(io.BytesIO(httpx.get(demo.base + found[1]).content))


@pytest.mark.parametrize(("message", "heard"), [("", TOLD), ("Mine", "Mine")])
def test_a_picture_of_another_page_is_found_and_its_text_stays_with_the_file(
    demo: Demo, editing: Editing, pages: tuple[int, int], message: str, heard: str
) -> None:
    own, other = pages
    name = f"halves-{own}.png"
    made = _upload(demo, own, name)
    demo.call("landyard.picture.update", lid=own, id=made["id"], alt=TOLD)
    _place(demo, other, {"id": 0, "src": ""}, message)

    async def act(tab: Opened) -> tuple[str, list[str]]:
        page = tab.page
        await tab.node(PICTURE).click()
        await page.get_by_role("button", name="Library …").click()
        where = page.get_by_label("Where to look")
        await where.select_option("This page alone")
        await page.get_by_text("No picture was uploaded here yet.").wait_for()
        await where.select_option("This site")
        await page.get_by_role("searchbox").fill(name[:-4])
        found = page.locator(".ed-library button")
        await expect(found).to_have_count(1)
        text = await found.inner_text()
        findings = await examine(page, "library")
        await found.click()
        await tab.frame.locator(f"img[src*='{name}']").wait_for()
        await tab.saved()
        if not message:
            await page.get_by_text(f"With the file: “{TOLD}”").wait_for()
        return text, findings

    (told, findings), visit = editing.act(other, act)

    assert ([name in told, TOLD in told, "On no page yet" in told], findings) == ([True] * 3, [])
    assert f'src="{made["src"]}"' in _blocks(demo, other)[0]["content"]
    demo.publish(other)
    assert _said(demo, other, name) == heard
    # The text belongs to the file, and not to a picture that replaces it.
    assert (TOLD in _blocks(demo, other)[0]["content"]) is False
    assert (visit.violations, visit.foreign) == ([], [])


def test_a_picture_of_another_site_is_found_only_by_users_who_may_view_that_site(
    demo: Demo, editing: Editing, pages: tuple[int, int]
) -> None:
    own, _ = pages
    name = f"elsewhere-{own}.png"
    (block, *_) = demo.call("landing.block.getlist", lid=11, params={"edit_mode": True})["result"]
    sent = [name, _halves("PNG")]
    made = demo.call("landing.block.uploadfile", block=block["id"], picture=sent)["result"]
    demo.call("landyard.picture.update", lid=11, id=made["id"], alt=TOLD)
    for number, rights in ((76, {"71": ["edit"]}), (77, {"71": ["edit"], "1": ["view"]})):
        more = {"sites_access": True, "rights": rights}
        load(demo.data, {"users": [{"id": number, "name": f"User {number}", **more}]})

    async def look(tab: Opened) -> tuple[int, int]:
        page = tab.page
        await tab.node(PICTURE).click()
        await page.get_by_role("button", name="Library …").click()
        await page.get_by_role("searchbox").fill(name[:-4])
        found, notice = page.locator(".ed-library button"), page.get_by_text("No picture is called")
        await notice.wait_for()
        in_site = await found.count()
        await page.get_by_label("Where to look").select_option("All sites that you may see")
        await found.or_(notice).wait_for()
        return in_site, await found.count()

    async def choose(tab: Opened) -> tuple[int, int]:
        counts = await look(tab)
        await tab.page.locator(".ed-library button").click()
        await tab.frame.locator(f"img[src*='{name}']").wait_for()
        await tab.saved()
        await tab.page.get_by_text(f"With the file: “{TOLD}”").wait_for()
        return counts

    assert editing.act(own, look, user=76)[0] == (0, 0)
    assert editing.act(own, choose, user=77)[0] == (0, 1)
    assert f'src="{made["src"]}"' in _blocks(demo, own)[0]["content"]


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_is_cropped_by_keys_alone(
    demo: Demo, editing: Editing, pages: tuple[int, int], kind: str
) -> None:
    own, _ = pages
    _place(demo, own, _upload(demo, own, f"halves.{kind.lower()}", kind), TOLD)

    async def act(tab: Opened) -> tuple[str | None, list[str]]:
        page = tab.page
        await tab.node(PICTURE).click()
        await page.get_by_role("button", name="Crop …").press("Enter")
        part = page.get_by_role("application")
        await part.wait_for()
        findings = await examine(page, "cropping")
        for _ in range(25):  # each a fiftieth of the width
            await page.keyboard.press("-")
        for _ in range(30):
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Shift+ArrowLeft")
        label = await part.get_attribute("aria-label")
        await page.get_by_role("button", name="Crop", exact=True).press("Enter")
        await tab.frame.locator("img[src*='-cropped']").wait_for()
        await tab.saved()
        return label, findings

    (told, findings), visit = editing.act(own, act)

    assert (told, findings) == (
        "The part that stays: 100 by 50 pixels, 99 from the left, 25 from the top",
        [],
    )
    cut = _cut(demo, own)
    assert (cut.size, cut.format) == ((100, 50), kind)
    red, _, blue = cut.convert("RGB").getpixel((80, 20))  # type: ignore[misc]
    assert (red < 30, blue > 220) == (True, True)
    assert f'alt="{TOLD}"' in _blocks(demo, own)[0]["content"]
    assert (visit.violations, visit.complaints) == ([], [])


def test_a_picture_is_cropped_by_pointer_and_numbers_and_that_is_undone(
    demo: Demo, editing: Editing, pages: tuple[int, int]
) -> None:
    own, _ = pages
    made = _upload(demo, own, "halves.png")
    _place(demo, own, made, TOLD)

    async def act(tab: Opened) -> tuple[int, int]:
        page = tab.page
        await tab.node(PICTURE).click()
        await page.get_by_role("button", name="Crop …").click()
        await page.get_by_label("Proportions").select_option("1:1")
        await page.get_by_role("spinbutton", name="Width").fill("40")
        await page.get_by_role("spinbutton", name="Width").press("Tab")
        await page.get_by_role("spinbutton", name="From the top").fill("5")
        await page.get_by_role("spinbutton", name="From the top").press("Tab")
        box = await page.get_by_role("application").bounding_box()
        assert box
        await page.mouse.move(box["x"] + 10, box["y"] + 10)
        await page.mouse.down()
        await page.mouse.move(box["x"] - 400, box["y"] + 10, steps=20)
        await page.mouse.up()
        await page.get_by_role("button", name="Crop", exact=True).click()
        await tab.frame.locator("img[src*='-cropped.png']").wait_for()
        await tab.saved()
        size = _cut(demo, own).size
        assert _cut(demo, own).convert("RGB").getpixel((39, 20)) == COLOURS[0]
        await page.keyboard.press("Control+z")
        await tab.frame.locator(f"img[src='{made['src']}']").wait_for()
        return size

    size, _ = editing.act(own, act)

    assert size == (40, 40)


def test_a_focus_point_is_stored_with_the_file_and_removed(
    demo: Demo, editing: Editing, pages: tuple[int, int]
) -> None:
    """On another page than the one that the picture was uploaded for."""
    own, other = pages
    made = _upload(demo, own, "halves.png")
    _place(demo, other, made, TOLD)

    def focus() -> list[int]:
        found: list[dict[str, Any]] = demo.call("landyard.picture.list", lid=own)["result"]
        return next(each["focus"] for each in found if each["id"] == made["id"])

    async def act(tab: Opened) -> tuple[list[int], list[str]]:
        page = tab.page
        await tab.node(PICTURE).click()
        await page.get_by_role("button", name="What stays in view …").click()
        await page.get_by_role("application").wait_for()
        findings = await examine(page, "point")
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("ArrowDown")
        await page.get_by_role("spinbutton", name="From the left").fill("30")
        await page.get_by_role("button", name="Keep this point").press("Enter")
        await tab.frame.locator("img[style*='30% 52%']").wait_for()
        await tab.saved()
        kept = focus()
        await page.get_by_role("button", name="What stays in view …").click()
        await page.get_by_role("button", name="No point").click()
        await tab.frame.locator("img[style*='30% 52%']").wait_for(state="detached")
        await tab.saved()
        return kept, findings

    (kept, findings), _ = editing.act(other, act)

    assert (kept, focus(), findings) == ([30, 52], [], [])


def test_a_picture_of_another_host_cannot_be_cropped(
    demo: Demo, editing: Editing, pages: Any
) -> None:
    own, _ = pages
    _place(demo, own, {"id": 0, "src": "https://elsewhere.example/a.png"}, "")

    async def act(tab: Opened) -> tuple[int, int]:
        await tab.node(PICTURE).click()
        await tab.page.get_by_role("button", name="Library …").wait_for()
        crop = tab.page.get_by_role("button", name="Crop …")
        return await crop.count(), await tab.page.get_by_role("button", name="Point").count()

    counts, _ = editing.act(own, act)

    assert counts == (0, 0)


def test_a_picture_that_cannot_be_sent_is_not_reported_as_saved(
    demo: Demo, editing: Editing
) -> None:
    page_id = make_page(demo, 2790, [{"code": "ly.text_picture"}])

    async def act(tab: Opened) -> None:
        page = tab.page
        await tab.node("[data-ly-kind=img]").click()
        await page.context.set_offline(True)
        kept = io.BytesIO()
        Image.new("RGB", (40, 30), "navy").save(kept, "PNG")
        file = FilePayload(name="boat.png", mimeType="image/png", buffer=kept.getvalue())
        await page.locator("input[type=file]").set_input_files(file)
        notice = page.locator("#told")
        await expect(notice).to_contain_text("“boat.png” was not uploaded and is not kept")
        await expect(page.locator("body")).not_to_contain_text("nothing can be saved")
        await page.context.set_offline(False)

    editing.act(page_id, act)
