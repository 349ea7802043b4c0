"""Hostile texts as titles, names, contents and file names, in every screen of the console."""

import json
import sqlite3
from datetime import UTC, datetime
from html import escape

import pytest
from browser.console_operator import CONSOLE, Consoled
from browser.test_console import DIALOGS, SCREENS
from browser.visiting import MOMENT
from playwright.async_api import Page
from plugins.html.hostile_texts import TEXTS

GONE = 3
"""A site in the trash."""

# Events that may start a script; clicks are left out, because they would sign out.
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
    """Write every hostile text to each place where the console shows texts of others."""
    written = [text.html.replace("\0", "") for text in TEXTS]  # no call accepts a NUL
    whole = "".join(written)
    for text in written:
        fields = {"TITLE": text[:250], "SITE_ID": 1}
        console.call("landing.landing.add", fields=fields)
    console.call("landing.site.addFolder", siteId=1, fields={"TITLE": whole[:250], "CODE": "h"})
    console.call("landing.site.update", id=2, fields={"TITLE": written[0][:250]})
    fields = {"TITLE": whole[:250], "CODE": "gone", "TYPE": "PAGE"}
    assert console.call("landing.site.add", fields=fields) == GONE
    console.call("landing.site.markDelete", id=GONE)
    database = sqlite3.connect(console.data / "landyard.db")
    sample = '"><script>ran(9)</script><img src=x onerror=ran(9)>{{7*7}}${ran(9)}'
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"  # submissions of long ago would be deleted
    for _ in range(2):
        block = console.call("landing.landing.addblock", lid=10, fields={"CODE": "forms.form"})
        named = {".landing-block-node-title": escape(sample)}
        console.call("landing.block.updatenodes", lid=10, block=block, data=named)
    console.call("landing.landing.publication", lid=10)
    with database:  # texts that calls change: names of files, errors of plugins, texts of visitors
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


def test_H1_no_text_runs_in_any_screen(console: Consoled) -> None:
    """Nothing runs, opens a dialog or is fetched from elsewhere, even without the policy."""

    async def act(page: Page) -> int:
        shown = 0
        for path in (*SCREENS, f"pages/{GONE}"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            await page.evaluate(WAKE)
            shown += await page.get_by_text("ran(").count()
        for path in (*DIALOGS, "pages/site/2", "pages/site-trash/2", "library/replace/2?page=10"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
        await page.goto(f"{console.base}{CONSOLE}/submissions/10")
        assert await page.locator(".chips bdi").count() == 3
        await page.evaluate(MOMENT)
        return shown

    shown, visit = console.act(act)

    assert shown > 20
    assert (visit.ran, visit.dialogs, visit.foreign) == ([], [], [])
    assert [each for each in visit.violations if "script" in each] == []
