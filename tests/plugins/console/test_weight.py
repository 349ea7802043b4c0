"""The weight of the console's operating part: its scripts and style sheets as sent."""

import re
from collections.abc import Iterator

import pytest
from plugins.console.test_signing_in import BASE, WORLD, Browser

from landyard.testing import Service
from landyard_console.sessions import CONSOLE

MOST = 60_000  # bytes, compressed
FILES = re.compile(r'(?:src|href)="(/-/console/static/[^"]+\.(?:js|css))"')
IMPORTS = re.compile(r"^import .*?'(\.[^']+)'|^import '(\.[^']+)'", re.MULTILINE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Service(world=WORLD, public_base=BASE) as service:
        browser = Browser(service)
        browser.follow()
        yield browser


@pytest.mark.parametrize("screen", ["pages", "library", "plugins", "users", "submissions"])
def test_a_screen_loads_little_and_preloads_imported_modules(browser: Browser, screen: str) -> None:
    page = browser.open(f"{CONSOLE}/{screen}").text
    files = {address: sent(browser, address) for address in FILES.findall(page)}

    assert len(files) > 10
    assert sum(size for size, _ in files.values()) < MOST
    for address, (_, text) in files.items():
        for found in IMPORTS.findall(text) if "/vendor/" not in address else ():
            assert resolved(address, found[0] or found[1]) in files


def sent(browser: Browser, address: str) -> tuple[int, str]:
    answer = browser.open(address, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    return int(answer.headers["content-length"]), answer.text


def resolved(address: str, relative: str) -> str:
    folders = address.split("/")[:-1]
    for part in relative.split("/"):
        if part == "..":
            folders.pop()
        elif part != ".":
            folders.append(part)
    return "/".join(folders)
