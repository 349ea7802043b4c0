"""Plugins add screens, columns and panels to the console, and a failing one does not break it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from kernel.switching import saying, turn
from plugins.console.signed_in import browser
from plugins.console.test_signing_in import BASE, Browser

from landyard import Plugin, PluginError, Record, hookimpl
from landyard.testing import Service
from landyard_console import Column, Panel, Screen, Shown, View
from landyard_console.sessions import CONSOLE
from landyard_console.words import languages

__all__ = ["browser"]

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}, {"id": 2, "name": "Ben"}],
    "sites": [{"id": 1, "code": "shop", "title": "Shop"}],
    "pages": [
        {"id": 10, "site": 1, "code": "home", "title": "Home"},
        *({"id": n, "site": 1, "code": f"p{n}", "title": f"Page {n}"} for n in range(100, 220)),
    ],
}


def polls(view: View) -> Shown:
    answer = view.call(view.query.get("ask", "server.time"))
    return Shown(title="Polls", main=f"<h1>{len(str(answer))}</h1>", scripts=["/polls/polls.js"])


def counts(view: View, pages: Any) -> Mapping[str, str]:
    return {each["ID"]: "7 <votes>" for each in pages}


def failing(view: View, pages: Any) -> Mapping[str, str]:
    raise ValueError("the ballot box is lost")


def secret(view: View, pages: Any) -> Mapping[str, str]:
    return dict.fromkeys(view.call("landyard.no.method"), "")


@hookimpl
def register_records() -> list[Record]:
    return [
        Screen(name="polls", title="Polls", show=polls, group="content", needs="server.time"),
        Column(name="polls.votes", title="Votes", texts=counts),
        Column(name="polls.failing", title="Ballots", texts=failing),
        Column(name="polls.refused", title="Secrets", texts=secret),
        Panel(node="map", module="/polls/panel.js"),
    ]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    plugin = saying("polls", register_records=register_records)
    installed = [each for each in _installed() if each.name != "polls"]
    with Service([*installed, plugin], world=WORLD, public_base=BASE) as service:
        yield service


def _installed() -> list[Plugin]:
    import landyard_admin
    import landyard_audit
    import landyard_console
    import landyard_content
    import landyard_general
    import landyard_landing
    import landyard_pages
    import landyard_public
    import landyard_signin
    import landyard_sitekit
    import landyard_sites
    from landyard.testing import as_plugin

    modules = (
        *(
            landyard_admin,
            landyard_audit,
            landyard_general,
            landyard_console,
            landyard_content,
            landyard_landing,
            landyard_public,
            landyard_sitekit,
        ),
        *(landyard_pages, landyard_signin, landyard_sites),
    )
    return [as_plugin(each) for each in modules]


def switch(service: Service, plugin: str, *, is_on: bool) -> None:
    turn(service.kernel, plugin, is_on=is_on)
    service.kernel.lifecycle.refresh()


def test_a_plugins_screen_is_in_the_navigation_and_calls_as_the_user(browser: Browser) -> None:
    page = browser.open(f"{CONSOLE}/polls")

    assert page.status_code == 200
    assert '<a href="/-/console/polls" aria-current="page">' in page.text
    assert 'src="/polls/polls.js"' in page.text
    assert 'src="/polls/polls.js"' not in browser.open(f"{CONSOLE}/polls?plain").text


@pytest.mark.parametrize(
    ("method", "status", "state"),
    [("no.such", 404, "failed"), ("landyard.audit.list", 403, "denied")],
)
def test_a_refused_call_is_shown_as_a_state_of_the_screen(
    service: Service, method: str, status: int, state: str
) -> None:
    browser = Browser(service)
    browser.follow(2)
    page = browser.open(f"{CONSOLE}/polls?ask={method}")

    assert page.status_code == status
    assert f'data-state="{state}"' in page.text


def test_a_column_shows_its_values_and_a_failing_one_its_failure(browser: Browser) -> None:
    page = browser.open(f"{CONSOLE}/pages").text

    assert "7 &lt;votes&gt;" in page
    assert re.search(r"polls: ValueError", page)
    assert re.search(r"polls: ERROR_METHOD_NOT_FOUND", page)
    assert "ballot box" not in page


def test_a_long_list_is_shown_in_parts(browser: Browser) -> None:
    first = browser.open(f"{CONSOLE}/pages").text
    last = browser.open(f"{CONSOLE}/pages?start=100").text

    assert 'rel="next" href="/-/console/pages?start=50"' in first
    assert (first.count('<th scope="row">'), last.count('<th scope="row">')) == (50, 21)
    assert ('rel="prev"' in first, 'rel="prev"' in last, 'rel="next"' in last) == (0, 1, 0)


def test_panels_are_listed_unless_the_user_wants_the_plain_console(browser: Browser) -> None:
    assert "/polls/panel.js" in browser.open(f"{CONSOLE}/me").text
    assert "/polls/panel.js" not in browser.open(f"{CONSOLE}/me?plain").text


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        (Panel(node="stars", module="/polls/panel.js"), "there is no node type of this name"),
        (Panel(node="map", module="panel.js"), "must be an address of this service"),
        (Panel(node="map", module="//elsewhere.example/panel.js"), "must be an address of this"),
    ],
)
def test_a_wrong_panel_is_refused_at_the_start(panel: Panel, message: str) -> None:
    plugin = saying("polls", register_records=hookimpl(lambda: [panel]))

    with pytest.raises(PluginError, match=rf"panel '{panel.node}'.*{message}"):
        Service([*_installed(), plugin])


def test_additions_of_a_plugin_disappear_with_it(service: Service, browser: Browser) -> None:
    switch(service, "polls", is_on=False)

    assert browser.open(f"{CONSOLE}/polls").status_code == 404
    assert "Votes" not in browser.open(f"{CONSOLE}/pages").text
    switch(service, "polls", is_on=True)
    assert "Votes" in browser.open(f"{CONSOLE}/pages").text


def test_the_console_is_not_served_when_it_is_off(service: Service, browser: Browser) -> None:
    switch(service, "console", is_on=False)

    assert browser.open(f"{CONSOLE}/me").status_code == 404
    switch(service, "console", is_on=True)
    assert browser.open(f"{CONSOLE}/me").status_code == 200


def test_every_language_has_all_texts_with_the_same_placeholders() -> None:
    def places(text: str) -> list[str]:
        return sorted(re.findall(r"\{\w+\}", text))

    english = languages()["en"].texts
    for words in languages().values():
        assert words.texts.keys() == english.keys()
        wrong = [key for key, text in words.texts.items() if places(text) != places(english[key])]
        assert wrong == []
    assert {words.direction for words in languages().values()} == {"ltr", "rtl"}
    assert sum(text == english[key] for key, text in languages()["ar"].texts.items()) < 5


def test_the_language_is_the_browsers_or_the_chosen_one(browser: Browser) -> None:
    headers = {"Accept-Language": "ar-EG,en;q=0.5"}
    by_browser = browser.open(f"{CONSOLE}/me", headers=headers).text
    chosen = {**headers, "Cookie": f"{browser.cookie}; landyard_language=en"}

    assert '<html lang="ar" dir="rtl">' in by_browser
    assert '<html lang="en" dir="ltr">' in browser.open(f"{CONSOLE}/me", headers=chosen).text


def test_a_screen_that_needs_a_switched_off_plugin_says_so_and_an_operator_switches_it_on(
    service: Service, browser: Browser
) -> None:
    other = Browser(service)
    other.follow(2)
    service.kernel.lifecycle.write_report()
    switch(service, "general", is_on=False)

    page = browser.open(f"{CONSOLE}/polls?ask=server.time")
    others = other.open(f"{CONSOLE}/polls?ask=server.time")

    assert (page.status_code, others.status_code) == (404, 404)
    assert "“general” is switched off" in page.text
    assert 'data-call="landyard.plugin.enable"' in page.text
    assert 'data-state="off"' in others.text
    assert "landyard.plugin.enable" not in others.text
