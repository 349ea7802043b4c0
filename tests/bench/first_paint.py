"""The time until the console's list of pages is painted, on a site of ten thousand pages."""

import subprocess
import sys
from pathlib import Path

from bench.contest import Bench
from bench.figures import Figure, figure
from bench.loading import PAGES
from bench.servers import serving
from bench.world import USER
from bench.worlds import write

PAINT_BAR = 200.0  # ms
_TIMES = 9
_PAINTED = """() => new Promise(resolve => new PerformanceObserver(list =>
    resolve(list.getEntriesByName('first-contentful-paint')[0].startTime)
).observe({type: 'paint', buffered: true}))"""


def first_paint(bench: Bench) -> list[Figure]:
    """Open the list repeatedly in a browser with a filled cache; return milliseconds."""
    from browser.visiting import CHROMIUM  # the other parts need no browser
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        return []
    given, data = bench.folder / "ten_thousand.json", bench.folder / "ten_thousand"
    write(given, PAGES, cards=1)
    env = {**bench.env, "LANDYARD_DATA": str(data)}
    _landyard(env, "load", str(given))
    with serving(bench.cores, bench.folder, env) as (port, _), sync_playwright() as playwright:
        link = _landyard({**env, "LANDYARD_PORT": str(port)}, "console", str(USER))
        page = playwright.chromium.launch(executable_path=CHROMIUM).new_page()
        page.goto(link.strip())
        painted = []
        for _ in range(_TIMES):
            page.goto(f"http://127.0.0.1:{port}/-/console/pages")
            painted.append(page.evaluate(_PAINTED))
        shown = page.locator("tbody tr").count()
    what = f"first paint of the console's list of {PAGES:,} pages"
    note = f"{shown} of them are shown at once"
    return [figure("paint", what, painted, "ms", PAINT_BAR, at_most=True, note=note)]


def _landyard(env: dict[str, str], *words: str) -> str:
    program = Path(sys.executable).with_name("landyard")
    done = subprocess.run([program, *words], env=env, check=True, capture_output=True, text=True)
    return done.stdout
