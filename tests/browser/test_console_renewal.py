"""Screens renew themselves, and do not disturb a user who works in them."""

import asyncio
from typing import Any

import pytest
from browser.console_operator import CONSOLE, Consoled, add_user
from contract.pictures import PNG, picture
from playwright.async_api import Page, Route, expect

MARK = "selector => document.querySelectorAll(selector).forEach(each => { each.kept = true })"
KEPT = "selector => [...document.querySelectorAll(selector)].map(each => each.kept === true)"
WATCH = """
() => {
  window.changes = 0
  const seen = new MutationObserver(all => { window.changes += all.length })
  const all = { subtree: true, childList: true, attributes: true, characterData: true }
  seen.observe(document.getElementById('live'), all)
}
"""
# The old list, the place where a user works in it, and the list answered next.
RENEW = """
async ([shown, act, answered]) => {
  const of = document.querySelector('script[src$="console.js"]').src
  const { renew } = await import(of.replace('console.js', 'parts/partial_update.js'))
  const make = inner => Object.assign(document.createElement('section'), { innerHTML: inner })
  const list = make(shown)
  document.querySelector('main').replaceChildren(list)
  const all = [...list.querySelectorAll('*')]
  all.forEach((each, number) => { each.number = number })
  const field = list.querySelector('.here')
  if (act === 'focus') field.focus()
  if (act === 'tick') field.checked = true
  if (act === 'type') field.value = 'half'
  if (act === 'call') field.ariaBusy = 'true'
  if (act === 'choose') field.selected = true
  renew(list, make(answered))
  const told = [...list.querySelectorAll('tr, li, option, input, button')].map(each =>
    `${each.localName}${each.number ?? ' new'}${each === document.activeElement ? ' focus' : ''}`)
  return [told.join(', '), list.textContent, list.querySelector('select')?.value ?? '']
}
"""
_PATIENCE: Any = {"timeout": 40_000}


@pytest.mark.parametrize(
    ("shown", "act", "answered", "left"),
    [
        (  # new rows come first, and a row that moved keeps its element
            "<li>b</li><li>a</li>",
            "",
            "<li>c</li><li>b</li>",
            ["li new, li0", "cb"],
        ),
        (  # the worst row comes first: the focused row moves up
            "<li id=a>a</li><li id=b><button class=here>b</button></li>",
            "focus",
            "<li id=b><button class=here>b</button></li><li id=a>a, too</li>",
            ["li1, button2 focus, li new", "ba, too"],
        ),
        (  # a change beside the focus is shown
            "<li id=a><button class=here>a</button><b>1</b></li>",
            "focus",
            "<li id=a><button class=here>a</button><b>2</b></li>",
            ["li0, button1 focus", "a2"],
        ),
        (  # a user ticks the row at this moment
            "<li id=a><input type=checkbox class=here></li><li id=b>1</li>",
            "tick",
            "<li id=a><input type=checkbox class=there></li><li id=b>2</li>",
            ["li0, input1, li new", "2"],
        ),
        (  # no user works in the changed field
            "<li id=a><input value=old class=here></li>",
            "",
            "<li id=a><input value=new class=here></li>",
            ["li0, input new", ""],
        ),
        (  # a half-typed text stays even where its row is gone, and other rows go
            "<li id=a>a<input class=here></li><li id=b>b</li>",
            "type",
            "<li id=c>c</li>",
            ["li new, li0, input1", "ca"],
        ),
        (  # a call is under way
            "<li id=a><button class=here>off</button></li>",
            "call",
            "<li id=a><button class=here>on</button></li>",
            ["li0, button1", "off"],
        ),
    ],
)
def test_a_renewal_changes_neither_equal_parts_nor_the_place_where_a_user_works(
    console: Consoled, shown: str, act: str, answered: str, left: list[str]
) -> None:
    async def run(page: Page) -> list[str]:
        return list(await page.evaluate(RENEW, [shown, act, answered]))

    found, _ = console.act(run)

    assert found == [*left, ""]


def test_a_choice_stays_where_other_rows_come_before_it(console: Consoled) -> None:
    shown = "<select><option>Ann<option class=here>Cy</select>"
    answered = "<select><option>Ann<option>Bo<option class=here>Cy</select>"

    async def run(page: Page) -> list[str]:
        return list(await page.evaluate(RENEW, [shown, "choose", answered]))

    (elements, _, chosen), _ = console.act(run)

    assert elements == "option1, option new, option2"
    assert chosen == "Cy"


async def renewed(page: Page) -> None:
    """Wait until the screen was read again, and the result is shown."""
    await page.evaluate(
        "new Promise(done => document.addEventListener('landyard:renewed', done, { once: true }))"
    )


def test_a_renewal_without_changes_changes_no_element(console: Consoled) -> None:
    async def act(page: Page) -> dict[str, int]:
        changes = {}
        for path in ("users", "library", "service/settings", "submissions", "keys"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            await page.evaluate(WATCH)
            await renewed(page)
            changes[path] = await page.evaluate("window.changes")
        return changes

    changes, _ = console.act(act)

    assert set(changes.values()) == {0}, changes


def test_the_list_of_users_is_renewed_around_a_tick_a_choice_and_the_focus(
    console: Consoled,
) -> None:
    _, ann = add_user(console.data, "Abe"), add_user(console.data, "Ann")

    async def act(page: Page) -> tuple[list[bool], list[bool]]:
        await page.goto(f"{console.base}{CONSOLE}/users")
        rows = f"#user-{ann}, #rights-{ann}-\\*"
        await page.evaluate(MARK, rows)
        chosen = page.locator("select[name=user]")
        await chosen.select_option(label="Ann")
        await page.locator(f"[id='right-{ann}-*-edit']").focus()
        bob = add_user(console.data, "Bob")
        await expect(page.locator(f"#user-{bob}")).to_be_visible(**_PATIENCE)
        await expect(page.get_by_label("Bob: Edit, Everywhere")).to_be_visible()
        await expect(page.locator(f"[id='right-{ann}-*-edit']")).to_be_focused()
        await expect(chosen).to_have_value(str(ann))
        kept = await page.evaluate(KEPT, rows)
        # Ticking makes a call, and the tick still has the focus when the screen is read again.
        await page.keyboard.press("Space")
        await expect(page.get_by_label("Ann: View, Everywhere")).to_be_checked()
        await expect(page.locator(f"[id='right-{ann}-*-edit']")).to_be_focused()
        # An open menu stays as it is; behind it nothing is read.
        await page.get_by_role("button", name="Actions for Ann").click()
        menu = page.locator(f"#u{ann}")
        add_user(console.data, "Carl")
        await page.wait_for_timeout(12_000)
        await expect(menu).to_be_visible()
        await expect(page.get_by_role("row", name="Carl")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("row", name="Carl")).not_to_have_count(0, **_PATIENCE)
        await expect(page.get_by_role("button", name="Actions for Ann")).to_be_focused()
        return kept, await page.evaluate(KEPT, rows)

    (kept, later), _ = console.act(act)

    assert kept == [True, True]
    assert later == [False, False]  # the call made the elements anew


def test_the_library_is_renewed_around_a_half_typed_text(console: Consoled) -> None:
    async def act(page: Page) -> list[bool]:
        await page.goto(f"{console.base}{CONSOLE}/library")
        await page.evaluate(MARK, "#live img")
        text = page.get_by_label("Text in the place of old.png")
        await text.fill("A boat, half ")
        await page.get_by_role("heading", level=1).click()  # the focus is elsewhere
        await page.evaluate("document.activeElement.blur()")
        console.call("landing.block.uploadfile", block=102, picture=picture(PNG, "fresh.png"))
        await expect(page.get_by_role("listitem").filter(has_text="fresh.png")).to_be_visible(
            **_PATIENCE
        )
        await expect(text).to_have_value("A boat, half ")
        return list(await page.evaluate(KEPT, "#live img"))

    kept, _ = console.act(act)

    assert kept == [False, True]  # the latest is the first


def test_settings_follow_a_plugin_that_is_switched_off(console: Consoled) -> None:
    """Settings have the values of the start, but a plugin's apply only while it is on."""

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}{CONSOLE}/service/settings")
        setting = page.get_by_role("row", name="forms.")
        await expect(setting.first).to_be_visible()
        await page.evaluate(MARK, "#setting-time_zone")
        other = await page.context.new_page()
        await other.goto(f"{console.base}{CONSOLE}/plugins/forms")
        for word in ("Switch off", "Switch on"):
            await other.get_by_role("button", name=word, exact=True).first.click()
            if word == "Switch off":
                await other.get_by_role("dialog").get_by_role("button", name=word).click()
            await page.bring_to_front()
            count = expect(setting)
            if word == "Switch off":
                await count.to_have_count(0, **_PATIENCE)
            else:
                await count.not_to_have_count(0, **_PATIENCE)
        assert await page.evaluate(KEPT, "#setting-time_zone") == [True]

    console.act(act)


def test_a_user_is_told_when_the_service_does_not_answer(console: Consoled) -> None:
    async def act(page: Page) -> None:
        await page.goto(f"{console.base}{CONSOLE}/service")
        line = page.get_by_text("No connection to the service")
        await page.route("**/console/service", lambda route: route.abort())
        await expect(line).to_be_visible(**_PATIENCE)
        await page.unroute("**/console/service")
        await expect(line).to_be_hidden(**_PATIENCE)

    console.act(act)


def test_text_typed_before_the_modules_were_loaded_is_searched_for(console: Consoled) -> None:
    async def act(page: Page) -> None:
        typed = asyncio.Event()

        async def late(route: Route) -> None:
            await typed.wait()
            await route.continue_()

        await page.route("**/console.js", late)
        await page.goto(f"{console.base}{CONSOLE}/pages/1", wait_until="commit")
        await page.get_by_role("searchbox").fill("no page like it")
        typed.set()
        await expect(page.get_by_role("main")).to_contain_text("No page found")

    console.act(act)
