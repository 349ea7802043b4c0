"""Every route answers with a status below 500, whatever its address contains."""

import importlib
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

import pytest
from plugins.console.test_signing_in import Browser

from landyard import Plugin
from landyard.testing import Service, installed
from landyard_console.sessions import CONSOLE

BASE = "https://pages.example"
OFF = ("tracing",)  # it has no address, and sends its spans to another host
WORLD: dict[str, Any] = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "sites": [{"id": 1, "code": "shop", "title": "Shop", "main_page": 1}],
    "folders": [{"id": 1, "site": 1, "code": "f", "title": "F"}],
    "pages": [
        {
            "id": 1,
            "site": 1,
            "code": "a",
            "title": "A",
            "active": True,
            "published": True,
            "blocks": [{"id": 1, "code": "ly.text", "published_id": 2}],
        }
    ],
}
ODD = [
    *("abc", "", "0", "-1", "+1", " 1", "1.0", "1e0", "01", "1_0", "\u0661", "\uff11", "\u00b2"),
    *("9" * 9, "9" * 10, "2147483648", str(2**63), "9" * 30, "9" * 5000, "null", "true", "NaN"),
    *("..", ".", "%2e%2e", "a/b", "a\\b", "%", "%zz", "%00", "\0", "\n", "\u202e", "\U0001f4a5"),
    *("'", '"', "<b>", "{{7*7}}", "{0}", "%s", ";", "a" * 3000, "[]", "{}", "__class__", "\ud800"),
]
SCREENS = {
    "pages": ["{}", "{}/{}", "new/{}", "new/{}/{}", "new-site", "preview/{}", "preview/{}?code={}"]
    + ["template/{}/{}", "template/{}/{}?code={}", "site-template?code={}", "site-empty/{}"]
    + [f"{kind}/{{}}" for kind in ("rename", "move", "copy", "site", "site-trash")]
    + [f"{kind}/{{}}/{{}}" for kind in ("folder", "folder-move", "folder-new")]
    + ["1?start={}", "1?state={}", "1?q={}", "move/1?toSiteId={}", "{}?start={}&state={}&q={}"],
    "editor": ["{}", "{}/draft", "{}/blocks/{}", "1/blocks/{}", "1/{}", "1/draft/{}"],
    "library": ["{}", "replace/{}", "upload?page={}", "?unused={}&start={}", "replace/{}/{}"],
    "audit": [
        "{}",
        "?user={}&failed={}",
        "export?user={}",
        "?method={}",
        "?start={}",
        "?subject={}",
    ],
    "users": ["{}", "edit/{}", "password/{}", "new/{}", "?start={}"],
    "keys": ["{}", "webhook/{}", "token/{}", "session/{}", "{}/{}/{}", "?start={}"],
    "plugins": ["{}", "?by={}", "landing/{}"],
    "service": ["{}", "limits/{}", "{}?start={}"],
    "submissions": [
        "{}",
        "1?form={}",
        "{}/export",
        "1/export?form={}",
        "1/{}",
        "{}/{}",
        "?start={}",
    ],
    "tasks": ["{}", "?state={}", "?start={}", "?state={}&subscriber={}"],
    "me": ["{}"],
    "static": ["{}", "editor/{}"],
    "call": ["{}"],
    "session": ["{}"],
    "{}": ["{}", "1"],
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    every = [
        Plugin(each.name, importlib.import_module(f"landyard_{each.name}"))
        for each in installed()
        if each.name not in OFF
    ]
    off: dict[str, Any] = {"limits": {"wrong_credentials": 0}}
    with Service(every, world=WORLD, public_base=BASE, **off) as service:
        yield service


@pytest.fixture(scope="module")
def browser(service: Service) -> Browser:
    browser = Browser(service)
    browser.follow()
    return browser


def _written(part: str) -> str:
    """The quoted part of an address; parts with deliberately odd escapes stay as they are."""
    return (
        part if re.match(r"%(2e|zz|00|$)", part) else quote(part.encode("utf-8", "surrogatepass"))
    )


def _asked(service: Service, address: str, **headers: str) -> int:
    try:
        return service.get(address, **headers).status_code
    except UnicodeError as error:  # the test's own client cannot send it
        raise AssertionError(address) from error


def _addresses(pattern: str) -> list[str]:
    count = pattern.count("{}")
    good = ["1"] * count
    return [
        pattern.format(*good[:at], _written(odd), *good[at + 1 :])
        for at in range(count)
        for odd in ODD
    ]


@pytest.mark.parametrize("screen", SCREENS)
def test_no_address_of_the_console_crashes(service: Service, browser: Browser, screen: str) -> None:
    wrong = {}
    for pattern in SCREENS[screen]:
        joint = "" if pattern.startswith("?") else "/"
        for address in _addresses(f"{CONSOLE}/{screen}{joint}{pattern}"):
            status: Any
            try:
                status = _asked(service, address, Cookie=browser.cookie)
            except Exception as error:
                status = f"{type(error).__name__}: {error}"
            if not (isinstance(status, int) and status < 500):
                wrong[address[:120]] = status

    assert wrong == {}


def test_each_screen_of_the_console_is_asked_for(service: Service) -> None:
    from landyard_console.screens import SCREENS as BUILT_IN

    assert {each.name for each in BUILT_IN} <= SCREENS.keys()


def _routes(service: Service) -> set[tuple[str, str]]:
    """All routes of all plugins, each with a method."""
    found = set()
    for brought in service.kernel.resolution.contributions:
        for route in cast("list[Any]", service.kernel.routes(brought)):
            for path in getattr(route, "paths", ()):
                found |= {(path, verb) for verb in route.http_methods}
    return found


def test_no_address_of_a_plugin_crashes(service: Service, browser: Browser) -> None:
    wrong = {}
    routes = _routes(service)
    assert len(routes) > 20
    queries = {
        "/-/events": ["feed"],
        "/-/forms": ["form"],
        "/-/forms/sent": ["form"],
        "/-/sign-in": ["next"],
        "/oauth/authorize": ["client_id", "scope", "redirect_uri", "state", "code_challenge"],
        "/oauth/token": ["grant_type", "code", "refresh_token", "client_id"],
    }
    for path, verb in sorted(routes):
        pattern = re.sub(r"\{[^}]*\}", "{}", path)
        patterns = [pattern] if "{}" in pattern else []
        patterns += [f"{pattern}?{name}={{}}" for name in queries.get(path, ["x"])]
        for address in (each for one in patterns for each in _addresses(one)):
            if verb not in ("GET", "POST"):
                continue
            try:
                headers = {"Cookie": browser.cookie, "Origin": BASE, "Host": "pages.example"}
                form = {"data": {"next": "/", "form": "x"}} if verb == "POST" else {}
                answer = service.request(verb, address, headers=headers, **form)
                status: Any = answer.status_code
            except Exception as error:
                status = f"{type(error).__name__}: {error}"
            if not (isinstance(status, int) and status < 500):
                wrong[f"{verb} {address[:120]}"] = status

    assert wrong == {}
