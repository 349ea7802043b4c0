"""Hostile texts as titles, names, contents and file names, in every screen of the console."""

import json
import sqlite3

import pytest
from browser.consoled import CONSOLE, Consoled
from browser.test_console import DIALOGS, SCREENS
from browser.visiting import MOMENT
from playwright.async_api import Page
from plugins.landing.html.hostile_texts import TEXTS

# What wakes a script, but for clicks: they would sign out.
WAKE = """
() => {
  const kinds = ['load', 'error', 'mouseover', 'pointerenter', 'focus', 'toggle', 'animationstart']
  for (const element of document.querySelectorAll('body, body *')) {
    for (const kind of kinds) element.dispatchEvent(new Event(kind, { bubbles: true }))
  }
}
"""


@pytest.fixture(name="console", scope="module")
def filled(console: Consoled) -> Consoled:
    _fill(console)
    return console


def _fill(console: Consoled) -> None:
    """Put every hostile text wherever the console shows what somebody else wrote."""
    written = [text.html.replace("\0", "") for text in TEXTS]  # no call takes a NUL
    whole = "".join(written)
    for text in written:
        fields = {"TITLE": text[:250], "SITE_ID": 1}
        console.call("landing.landing.add", fields=fields)
    console.call("landing.site.addFolder", siteId=1, fields={"TITLE": whole[:250], "CODE": "h"})
    console.call("landing.site.update", id=2, fields={"TITLE": written[0][:250]})
    database = sqlite3.connect(console.data / "landyard.db")
    sample = '"><script>ran(9)</script><img src=x onerror=ran(9)>{{7*7}}${ran(9)}'
    moment = "2026-01-01 00:00:00.000000"
    with database:  # what no call takes as it is: names of files, of plugins' errors, of visitors
        database.execute("update landyard_user set name = name || ?", [sample])
        database.execute("update landyard_webhook set title = title || ?", [sample])
        database.execute(
            "insert into landing_file (key, name, type, size, page_id, block_id, temporary,"
            " created_at, created_by) values ('0123456789abcdef0123456789abcdef', ?, 'image/png',"
            " 9, 10, 101, 0, ?, 1)",
            [sample, moment],
        )
        answers = '[{"name": "a", "label": %s, "value": %s, "size": 5}]'
        quoted = json.dumps(sample)
        for text in written[:40]:
            said = json.dumps(text)
            database.execute(
                "insert into forms_submission (form_id, page_id, sent_at, answers, consent, sender,"
                " digest, likeness, size) values (1, 10, ?, ?, ?, '', '', '', 0)",
                [moment, answers % (quoted, said), sample],
            )
    database.close()


def test_H1_no_text_comes_alive_in_any_screen(console: Consoled) -> None:
    """Nothing runs, nothing asks, nothing is fetched from elsewhere, and no policy is needed."""

    async def act(page: Page) -> int:
        shown = 0
        for path in SCREENS:
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            await page.evaluate(WAKE)
            shown += await page.get_by_text("ran(").count()
        for path in (*DIALOGS, "library/replace/2?page=10"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
        await page.evaluate(MOMENT)
        return shown

    shown, visit = console.act(act)

    assert shown > 20
    assert (visit.ran, visit.dialogs, visit.foreign) == ([], [], [])
    assert [each for each in visit.violations if "script" in each] == []
