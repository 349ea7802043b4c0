"""Signing in to the console: links, passwords, sessions, and the protection of the console's
calls.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import sqlalchemy as sa
from kernel.sample import audit_all

from landyard import credentials
from landyard.testing import WEBHOOK, Service
from landyard_console import passwords
from landyard_console.sessions import CONSOLE, LINK_GOOD_FOR, make_link

BASE = "https://shop.example"
PASSWORD = "a boat on the hard"
WORLD = {
    "users": [
        {"id": 1, "name": "Ann", "admin": True},
        {"id": 2, "name": "Ben"},
        {"id": 3, "name": "Cem", "active": False},
    ],
    "webhooks": [
        {"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]},
        {"user": 2, "code": "ben-0123456789-0123456789", "scopes": ["console", "landing"]},
    ],
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(world=WORLD, public_base=BASE, limits={"wrong_credentials": 0}) as service:
        yield service


class Browser:
    """A browser: its cookies, and the token of the page that it shows."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.cookie = ""

    def open(self, address: str, verb: str = "GET", **options: Any) -> httpx.Response:
        headers = {"Cookie": self.cookie, **options.pop("headers", {})}
        path = address.removeprefix(BASE)
        answer = self.service.request(verb, path, headers=headers, **options)
        if given := answer.headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        return answer

    def follow(self, user: int = 1) -> httpx.Response:
        """Sign in through a link."""
        return self.open(make_link(self.service.kernel, user))

    def token(self) -> str:
        found = self.open(f"{CONSOLE}/session")
        return str(found.json()["csrf"])

    def call(self, method: str, params: Any = None, **headers: str) -> httpx.Response:
        sent = {"X-CSRF-Token": self.token(), **headers}
        return self.open(f"{CONSOLE}/call/{method}", "POST", json=params or {}, headers=sent)


@pytest.fixture
def browser(service: Service) -> Browser:
    return Browser(service)


def test_a_link_signs_in_once(service: Service, browser: Browser) -> None:
    link = make_link(service.kernel, 1)

    assert browser.open(link, "HEAD").status_code == 403  # a HEAD request does not use the link up
    first = browser.open(link)
    again = Browser(service).open(link)

    assert (first.status_code, first.headers["location"]) == (303, f"{CONSOLE}/")
    assert first.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert browser.cookie.startswith("__Host-")
    assert (again.status_code, "set-cookie" in again.headers) == (403, False)
    assert browser.call("user.current").json()["result"]["ID"] == "1"


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Accept": "text/html,*/*"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    ],
)
def test_another_site_cannot_sign_a_visitor_in_without_asking(
    service: Service, browser: Browser, headers: dict[str, str]
) -> None:
    link = make_link(service.kernel, 1)

    shown = [browser.open(link, headers=headers) for _ in range(2)]

    assert [(each.status_code, "set-cookie" in each.headers) for each in shown] == [
        (200, False)
    ] * 2
    assert "<strong>Ann</strong>" in shown[0].text
    assert link.rpartition("=")[2] not in shown[0].text
    (name, value), *_ = re.findall(
        r'<input name="(.+?)" type="hidden" value="(.+?)">', shown[0].text
    )
    pressed = {name: value}
    refused = browser.open(link, "POST", data=pressed, headers={"Sec-Fetch-Site": "cross-site"})
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
    own = {"Sec-Fetch-Site": "same-origin"}
    begun = browser.open(link, "POST", data=pressed, headers=own)
    assert (begun.status_code, begun.headers["location"]) == (303, f"{CONSOLE}/")
    assert browser.call("user.current").json()["result"]["ID"] == "1"
    again = Browser(service).open(link, "POST", data=pressed, headers=own)
    assert (again.status_code, "set-cookie" in again.headers) == (403, False)


def test_an_invalid_link_has_no_button(service: Service, browser: Browser) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}

    shown = browser.open(f"{CONSOLE}/sign-in?key=none", headers=foreign)

    assert (shown.status_code, "by_link" in shown.text) == (403, False)


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_a_typed_or_pasted_link_signs_in(service: Service, browser: Browser, site: str) -> None:
    begun = browser.open(make_link(service.kernel, 1), headers={"Sec-Fetch-Site": site})

    assert (begun.status_code, "set-cookie" in begun.headers) == (303, True)


def test_a_link_is_valid_for_ten_minutes(browser: Browser) -> None:
    with Service(world=WORLD, public_base=BASE) as other:
        link = make_link(other.kernel, 1)
        other.later(seconds=LINK_GOOD_FOR.total_seconds())

        assert Browser(other).open(link).status_code == 403


def test_signing_in_over_plain_http_is_possible_only_on_this_machine() -> None:
    with Service(world=WORLD) as plain:
        browser = Browser(plain)
        path = make_link(plain.kernel, 1).partition("8000")[2]
        far = browser.open(path, headers={"Host": "shop.example"})
        near = browser.open(path, headers={"Host": "127.0.0.1:8000"})

    assert (far.status_code, "set-cookie" in far.headers) == (403, False)
    assert near.status_code == 303
    assert browser.cookie.startswith("landyard=")


def test_a_signed_out_visitor_sees_the_sign_in_page(browser: Browser) -> None:
    page, call = browser.open(f"{CONSOLE}/pages"), browser.open(f"{CONSOLE}/call/x", "POST")

    assert (page.status_code, call.status_code) == (401, 401)
    assert "script" not in page.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"X-CSRF-Token": ""}, 403),
        ({"X-CSRF-Token": "0" * 64}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
def test_a_call_that_is_not_the_consoles_own_is_refused(
    browser: Browser, headers: dict[str, str], status: int
) -> None:
    browser.follow()

    assert browser.call("server.time", **headers).status_code == status


def test_a_call_of_the_console_is_answered_like_a_rest_call(
    service: Service, browser: Browser
) -> None:
    """A failed call too; the audit's row names the session."""
    browser.follow()
    calls = [
        ("landing.site.getList", {"params": {"select": ["ID"]}}),
        ("landing.landing.add", {"fields": {"TITLE": ""}}),
        ("no.such.method", {}),
    ]
    for method, params in calls:
        here = browser.call(method, params)
        there = service.request("POST", f"/rest/1/{WEBHOOK}/{method}.json", json=params)
        assert here.status_code == there.status_code
        assert {**here.json(), "time": 0} == {**there.json(), "time": 0}
        assert here.headers["content-type"] == there.headers["content-type"]

    browser.call("landyard.user.update", {"id": 2, "name": "Ben"})
    # The rows of the failed calls are written after their answers, and may be newer.
    [row] = service.result("landyard.audit.list", {"method": "landyard.user.update"})
    assert row["user_id"] == 1
    assert re.fullmatch(r"session:\d+", row["credential"])


def test_a_session_is_listed_and_ended(browser: Browser, service: Service) -> None:
    other = Browser(service)
    browser.follow(2)
    other.follow(2)
    [first, *_] = listed = browser.call("landyard.session.list").json()["result"]

    assert {"agent", "address", "expires_at"} <= first.keys()
    assert browser.call("landyard.session.revoke", {"id": first["id"]}).json()["result"]
    assert len(browser.call("landyard.session.list").json()["result"]) == len(listed) - 1
    service.kernel.credentials.forget()  # as after half a second
    assert other.open(f"{CONSOLE}/me").status_code == 401
    again = browser.call("landyard.session.revoke", {"id": first["id"]}).json()
    assert again["result"] is False


def test_a_session_ends_by_time_and_by_signing_out(browser: Browser) -> None:
    with Service(world=WORLD, public_base=BASE, console={"session_hours": 1}) as other:
        late, out = Browser(other), Browser(other)
        late.follow()
        out.follow()
        before = out.cookie
        headers = {"X-CSRF-Token": out.token()}
        assert out.open(f"{CONSOLE}/sign-out", "POST", headers=headers).status_code == 204
        out.cookie = before
        other.kernel.credentials.forget()
        assert out.open(f"{CONSOLE}/me").status_code == 401
        other.later(hours=1)
        assert late.open(f"{CONSOLE}/me").status_code == 401
        assert "console.forget" in other.run_jobs()


def test_a_right_password_signs_in_and_a_wrong_one_does_not(
    service: Service, browser: Browser
) -> None:
    browser.follow(2)
    own = {"user_id": 2, "password": PASSWORD}
    assert browser.call("landyard.password.set", own).json()["result"] is True

    def sign_in(name: str, password: str) -> int:
        form = {"name": name, "password": password}
        return Browser(service).open(f"{CONSOLE}/sign-in", "POST", data=form).status_code

    assert browser.call("landyard.password.set", own).json()["error"] == "PASSWORD_REFUSED"
    changed = {**own, "current": PASSWORD}
    assert browser.call("landyard.password.set", changed).json()["result"] is True
    assert sign_in("Ben", PASSWORD) == 303
    assert [sign_in("Ben", "wrong"), sign_in("Ann", PASSWORD), sign_in("", "")] == [403] * 3
    foreign = {"Sec-Fetch-Site": "cross-site"}
    form = {"name": "Ben", "password": PASSWORD}
    answer = browser.open(f"{CONSOLE}/sign-in", "POST", data=form, headers=foreign)
    assert answer.status_code == 403


def test_the_case_of_a_name_matters_only_where_two_names_differ_by_it() -> None:
    users = [{"id": n, "name": name} for n, name in enumerate(("Ann", "Ben", "BEN"), start=1)]
    with Service(world={"users": users}, public_base=BASE) as other:
        for user in (1, 2):
            browser = Browser(other)
            browser.follow(user)
            own = {"user_id": user, "password": PASSWORD}
            assert browser.call("landyard.password.set", own).json()["result"] is True
        browser = Browser(other)
        browser.follow(3)
        browser.call("landyard.password.set", {"user_id": 3, "password": f"{PASSWORD} too"})

        def sign_in(name: str) -> int:
            form = {"name": name, "password": PASSWORD}
            return Browser(other).open(f"{CONSOLE}/sign-in", "POST", data=form).status_code

        found = [sign_in(name) for name in ("ann", " ANN ", "Ben", "BEN", "ben")]

    assert found == [303, 303, 303, 403, 403]


@pytest.mark.parametrize(
    ("name", "as_typed"),
    [
        ("Бронислава", "бронислава"),
        ("Zoë Łaska", "ZOE LASKA"),
        ("José", "Jose\u0301"),
        ("Jose\u0301", "JOSÉ"),
        ("ΑΝΝΑΣ", "αννας"),
        ("Ülkü", "\u202aÜLKÜ\u202c"),
    ],
)
def test_a_name_signs_in_in_any_case_accents_and_unicode_form(name: str, as_typed: str) -> None:
    with Service(world={"users": [{"id": 1, "name": name}]}, public_base=BASE) as other:
        browser = Browser(other)
        browser.follow(1)
        browser.call("landyard.password.set", {"user_id": 1, "password": PASSWORD})
        form = {"name": as_typed, "password": PASSWORD}

        answer = Browser(other).open(f"{CONSOLE}/sign-in", "POST", data=form)

    assert answer.status_code == 303


def test_accents_matter_only_where_two_names_differ_by_them() -> None:
    names = ["José", "Jose", "JOSÉ MARIA", "Jose Maria"]
    users = [{"id": n, "name": name} for n, name in enumerate(names, start=1)]
    with Service(world={"users": users}, public_base=BASE) as other:
        for user in range(1, 5):
            browser = Browser(other)
            browser.follow(user)
            own = {"user_id": user, "password": f"{PASSWORD} {user}"}
            browser.call("landyard.password.set", own)

        def sign_in(name: str) -> list[int]:
            forms = [{"name": name, "password": f"{PASSWORD} {user}"} for user in range(1, 5)]
            sent = (Browser(other).open(f"{CONSOLE}/sign-in", "POST", data=form) for form in forms)
            return [user for user, answer in enumerate(sent, 1) if answer.status_code == 303]

        found = [sign_in(name) for name in ("JOSÉ", "jose", "josé maria", "JOSE MARIA", "Jöse")]

    assert found == [[1], [2], [3], [4], []]


def test_guesses_of_a_password_are_limited() -> None:
    with Service(world=WORLD, public_base=BASE, limits={"wrong_credentials": 2}) as guarded:
        form = {"name": "Ann", "password": "guess"}
        path = f"{CONSOLE}/sign-in"
        statuses = [guarded.request("POST", path, data=form).status_code for _ in range(3)]

    assert statuses == [403, 403, 429]


def test_guesses_of_the_current_password_are_limited_and_recorded() -> None:
    with Service(world=WORLD, public_base=BASE, limits={"wrong_credentials": 3}) as guarded:
        browser = Browser(guarded)
        browser.follow(2)
        own = {"user_id": 2, "password": PASSWORD}
        assert browser.call("landyard.password.set", own).json()["result"] is True

        guesses = [{**own, "current": f"guess {number}"} for number in range(5)]
        codes = [browser.call("landyard.password.set", each).json()["error"] for each in guesses]
        right = browser.call("landyard.password.set", {**own, "current": PASSWORD}).json()
        rows = _audited(guarded)

    assert codes == ["PASSWORD_REFUSED"] * 3 + ["QUERY_LIMIT_EXCEEDED"] * 2
    assert right["error"] == "QUERY_LIMIT_EXCEEDED"
    assert rows == ["ok", *codes, "QUERY_LIMIT_EXCEEDED"]


def _audited(service: Service) -> list[str]:
    audit_all(service)
    query = sa.text("SELECT outcome FROM audit_row WHERE method = 'landyard.password.set'")
    with service.kernel.store.unit(writes=False) as unit:
        return [row[0] for row in unit.connection.execute(query)]


def test_a_dry_run_does_not_reveal_a_password(service: Service, browser: Browser) -> None:
    browser.follow(2)
    own = {"user_id": 2, "password": f"{PASSWORD} of old", "current": PASSWORD}
    browser.call("landyard.password.set", own)

    def tried(**more: Any) -> str:
        sent = {**own, "dry_run": True, **more}
        return str(browser.call("landyard.password.set", sent).json().get("error"))

    right = tried(current=f"{PASSWORD} of old")
    assert right == tried(current="guess") == "DRY_RUN_NOT_POSSIBLE"
    cmd = {"set": f"landyard.password.set?{urlencode({**own, 'current': 'guess'})}"}
    batch = browser.call("batch", {"cmd": cmd, "atomic": True}).json()["result"]
    assert batch["result_error"]["set"]["error"] == "ERROR_BATCH_METHOD_NOT_ALLOWED"


def test_no_writer_waits_while_a_password_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others write while a new password is hashed, and while the current one is checked."""
    free: list[bool] = []
    with Service(world=WORLD, public_base=BASE) as other:
        browser = Browser(other)
        browser.follow(2)
        own = {"user_id": 2, "password": PASSWORD}
        browser.call("landyard.password.set", own)

        def watched(hashing: Any, *given: Any) -> Any:
            free.append(other.kernel.store.write_lock.held_since is None)
            return hashing(*given)

        for name in ("hash_password", "is_password"):
            was = getattr(passwords, name)
            monkeypatch.setattr(passwords, name, functools.partial(watched, was))
        changed = browser.call("landyard.password.set", {**own, "current": PASSWORD})

    assert changed.json()["result"] is True
    assert free == [True, True]


def test_a_new_password_ends_the_other_sessions(service: Service, browser: Browser) -> None:
    other = Browser(service)
    browser.follow()
    other.follow()
    sent = {"user_id": 1, "password": PASSWORD}

    assert browser.call("landyard.password.set", sent).json()["result"] is True
    service.kernel.credentials.forget()
    assert browser.open(f"{CONSOLE}/me").status_code == 200
    assert other.open(f"{CONSOLE}/me").status_code == 401


@pytest.mark.parametrize(
    ("user", "params", "code"),
    [
        (2, {"user_id": 1, "password": PASSWORD}, "user_access_error"),
        (2, {"user_id": 2, "password": "short"}, "PASSWORD_REFUSED"),
        (2, {"user_id": 2, "password": "aaaaaaaaaaaaaaaa"}, "PASSWORD_REFUSED"),
        (2, {"user_id": 2}, "MISSING_PARAMS"),
        (1, {"user_id": 99, "password": PASSWORD}, "USER_NOT_FOUND"),
    ],
)
def test_an_unsuitable_password_is_refused(
    browser: Browser, user: int, params: dict[str, Any], code: str
) -> None:
    browser.follow(user)

    assert browser.call("landyard.password.set", params).json()["error"] == code


def test_a_webhook_without_the_scope_makes_no_password(service: Service) -> None:
    """Otherwise the webhook's holder could sign in with every right of its user."""
    sent = {"user_id": 1, "password": PASSWORD}

    assert service.call("landyard.password.set", sent).error == "insufficient_scope"


def test_a_switched_off_user_is_not_signed_in(service: Service, browser: Browser) -> None:
    browser.follow(3)

    assert browser.open(f"{CONSOLE}/me").status_code == 401


def test_secrets_are_stored_only_as_digests(service: Service, browser: Browser) -> None:
    browser.follow()
    secret = browser.cookie.partition("=/")[2]

    with service.kernel.store.unit(writes=False) as unit:
        query = "select digest from console_session"
        kept = unit.connection.exec_driver_sql(query).scalars().all()
    assert credentials.digest(secret) in kept
    assert secret not in kept


def test_the_policy_allows_only_scripts_that_are_served(browser: Browser) -> None:
    browser.follow()
    page = browser.open(f"{CONSOLE}/me")

    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'; script-src 'self';" in policy
    assert not re.search(r"<script(?! type=\"module\" src=)|\son\w+=|\sstyle=|hx-on", page.text)
    for address in set(re.findall(r'(?:src|href)="(/-/console/static/[^"#]+)', page.text)):
        asset = browser.open(address)
        assert (asset.status_code, "immutable" in asset.headers["cache-control"]) == (200, True)


def test_the_console_answers_only_at_its_own_host_where_one_is_set() -> None:
    with Service(world=WORLD, public_base=BASE, console={"host": "Console.example"}) as apart:
        link = make_link(apart.kernel, 1).removeprefix(BASE)
        browser, there = Browser(apart), {"Host": "console.example"}
        paths = (link, f"{CONSOLE}/me", f"{CONSOLE}/static/x", f"{CONSOLE}/sign-in")
        elsewhere = [browser.open(path).status_code for path in paths]

        assert elsewhere == [404] * 4
        assert browser.open(link, headers=there).status_code == 303
        assert browser.open(f"{CONSOLE}/me", headers=there).status_code == 200


def test_visitors_pages_of_the_same_origin_cannot_call_the_console(service: Service) -> None:
    """The `default-src` of their policy forbids it; neither `connect-src` nor `script-src` widens
    it.
    """
    policy = service.get("/").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert not re.search(r"(connect|script|worker)-src (?!'none')", policy)


@pytest.mark.parametrize(
    ("user", "password", "code"),
    [(1, "short", "PASSWORD_REFUSED"), (99, PASSWORD, "USER_NOT_FOUND")],
)
def test_a_command_sets_no_unsuitable_password(
    service: Service, user: int, password: str, code: str
) -> None:
    params = {"user_id": user, "password": password}
    program: Any = {"user": 1, "webhook": "ann-0123456789-0123456789"}
    service.load(
        {"webhooks": [{"user": 1, "code": program["webhook"], "scopes": ["admin", "console"]}]}
    )

    assert service.call("landyard.password.set", params, **program).error == code


def test_the_root_without_a_page_redirects_signed_in_users_to_the_console(
    service: Service,
) -> None:
    browser, stranger = Browser(service), Browser(service)
    browser.follow()

    answer, shown = browser.open("/"), stranger.open("/")

    assert (answer.status_code, shown.status_code) == (404, 404)
    assert f'<a href="{CONSOLE}/">' in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert CONSOLE not in shown.text


@pytest.mark.parametrize("path", ["/nothing/", "/robots.txt"])
def test_every_other_address_is_answered_alike_to_signed_in_users(
    service: Service, path: str
) -> None:
    browser, stranger = Browser(service), Browser(service)
    browser.follow()

    assert browser.open(path).text == stranger.open(path).text
