"""The console's screens of plugins: outcomes of each method's calls, and reasons of plugins that
are off.
"""

import re
from collections.abc import Iterator

import pytest
from kernel.switching import turn
from plugins.console.signed_in import browser
from plugins.console.test_extensions import WORLD
from plugins.console.test_signing_in import BASE, Browser

import landyard_admin
import landyard_console
import landyard_content
import landyard_general
import landyard_landing
import landyard_public
import landyard_signin
import landyard_sitekit
from landyard.testing import Service, as_plugin
from landyard_console.sessions import CONSOLE

__all__ = ["browser"]

BY_NAME = ["file.list", "file.remove", "file.replace", "page.history", "right.list", "right.set"]
CALLED = ["right.list", "file.remove", "page.history"]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    modules = (
        landyard_admin,
        landyard_general,
        landyard_console,
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_signin,
    )
    plugins = [as_plugin(each) for each in modules]
    with Service(plugins, world=WORLD, public_base=BASE) as service:
        count = service.kernel.usage.count
        for _ in range(1200):
            count("landyard.right.list", 0.00001, "")
        for _ in range(3):
            count("landyard.file.remove", 1.5, "")
        for error in ("", "LookupError: no table"):
            count("landyard.page.history", 0.02, error)
        service.kernel.usage.flush(service.kernel.store)
        service.kernel.lifecycle.write_report()
        yield service


def rows(page: str) -> dict[str, list[str]]:
    """The rows of the screen: method, and the cells after its scope, in order."""
    found = re.findall(r'<tr id="method-landyard\.([\w.]+)">(.*?)</tr>', page, re.DOTALL)
    return {
        name: [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td.*?</td>", row)][1:-1]
        for name, row in found
    }


def test_each_method_tells_its_calls_and_one_without_any_says_so(browser: Browser) -> None:
    shown = rows(browser.open(f"{CONSOLE}/plugins/sitekit").text)

    assert shown["right.list"] == ["On", "1200", "0", "&lt;0.1 ms"]
    assert shown["file.remove"][:3] == ["On", "3", "0"]
    assert re.fullmatch(r"1\.[4-6] s", shown["file.remove"][3])
    assert shown["page.history"][:3] == ["On", "2", "1"]
    assert re.fullmatch(r"(19|2\d) ms", shown["page.history"][3])
    assert shown["right.set"] == ["On", "No calls"]


def test_a_plugin_has_its_screen_at_a_former_name_too(browser: Browser) -> None:
    screens = [browser.open(f"{CONSOLE}/plugins/{name}").text for name in ("public", "themes")]

    needs = [re.findall(r"what needs it: [^;\"]+", screen) for screen in screens]
    assert needs[0] == needs[1] != []


@pytest.mark.parametrize(
    ("by", "first"),
    [
        ("", BY_NAME),
        ("calls", CALLED),
        ("errors", ["page.history", "file.list", "file.remove"]),
        ("p95", ["file.remove", "page.history", "right.list"]),
        ("name'--", BY_NAME),
    ],
)
def test_methods_are_sorted_by_the_chosen_column(
    browser: Browser, by: str, first: list[str]
) -> None:
    page = browser.open(f"{CONSOLE}/plugins/sitekit?by={by}").text

    assert [*rows(page)][: len(first)] == first
    assert sorted(rows(page)) == BY_NAME
    assert len(re.findall(r"<th[^>]* aria-sort=", page)) == 1


def test_an_error_looks_alike_in_both_lists(browser: Browser) -> None:
    drawn = '<td class="number"><span class="bad">1</span></td>'

    one, every = (browser.open(f"{CONSOLE}/plugins{name}").text for name in ("/sitekit", ""))

    assert one.count(drawn) == every.count(drawn) == 1
    assert "LookupError: no table" in one


def test_a_plugin_that_is_off_says_why_once(service: Service, browser: Browser) -> None:
    turn(service.kernel, "general", is_on=False)
    service.kernel.lifecycle.refresh()
    page = browser.open(f"{CONSOLE}/plugins/general").text
    turn(service.kernel, "general", is_on=True)
    service.kernel.lifecycle.refresh()

    assert page.count("switched off") == 1
    assert "its plugin is" not in page
