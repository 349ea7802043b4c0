"""Lists for operators: what they show when they are empty, and how they format values."""

import re
from collections.abc import Iterator

import pytest
from plugins.console.signed_in import browser
from plugins.console.test_signing_in import BASE, Browser

from landyard.testing import Service
from landyard_console.sessions import CONSOLE
from landyard_console.words import languages

__all__ = ["browser"]

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}, {"id": 2, "name": "Ben"}],
    "sites": [{"id": 1, "code": "shop", "title": "Shop"}],
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(world=WORLD, public_base=BASE, raise_crashes=False) as service:
        yield service


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("", "Nothing waits"),
        ("failing", "Nothing fails"),
        ("dead", "Nothing was given up"),
        ("nonsense", "Nothing waits"),
    ],
)
def test_an_empty_tab_of_tasks_says_what_is_missing(
    browser: Browser, state: str, message: str
) -> None:
    assert f"<h2>{message}</h2>" in browser.open(f"{CONSOLE}/tasks?state={state}").text


def test_settings_are_shown_in_the_spelling_of_the_settings_file(browser: Browser) -> None:
    page = browser.open(f"{CONSOLE}/service/settings").text
    found = dict(re.findall(r'<tr id="setting-([\w.]+)">.*?<td>(.*?)</td>', page))

    assert found["safe"] == "<code>false</code>"
    assert found["time_zone"] == "<code>UTC</code>"
    assert found["tls_key"] == "\u2013"
    assert found["limits.burst"] == "<code>0</code>"


def test_the_part_that_renews_itself_is_a_section_of_its_own(browser: Browser) -> None:
    """Also where the list is still empty, because a user may wait for its first row."""
    paths = ("users", "library", "library?unused=1", "submissions", "keys", "keys/token")
    more = ("tasks", "audit?method=none", "plugins", "plugins/general", "service/settings")
    for path in (*paths, *more):
        page = browser.open(f"{CONSOLE}/{path}").text
        assert page.count('<section id="live" data-live="') == 1, path


def test_a_crash_of_a_screen_names_the_request_id_of_the_log(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_given: object, **_named: object) -> object:
        raise LookupError

    monkeypatch.setattr("landyard_admin.plugins.description_of", crash)

    answer = browser.open(f"{CONSOLE}/plugins")

    assert answer.status_code == 500
    assert f"<code>{answer.headers['x-request-id']}</code>" in answer.text


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    ("seen", "heard"),
    [
        ("library.remove", "library.remove_of"),
        ("library.remove", "submissions.remove_of"),
        ("plugins.disable", "method.disable"),
        ("plugins.enable", "method.enable"),
        ("tasks.retry", "tasks.retry_one"),
    ],
)
def test_a_buttons_accessible_name_is_its_text(language: str, seen: str, heard: str) -> None:
    texts = languages()[language].texts

    assert texts[seen] in texts[heard]
