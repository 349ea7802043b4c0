"""The access matrix: every listed method, called by every kind of caller.

Methods come from the registry, with all plugins on; a method without a row in `test_access.json`
fails. A row says what a caller needs. A caller with less is refused and learns nothing.
"""

import importlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.worlds import everything
from corpora import read_data
from msgspec import Struct

from landyard import ADMIN, Plugin
from landyard.testing import Answer, Service, installed
from landyard.web.wire import Incoming

SECRET = "Geheim"
"""A word in the titles and texts of site 7: a caller who may not view the site must never read
it.
"""

EVERY = {ADMIN, "landing", "user", "console", "visits", "guestbook"}
RIGHTS = ("view", "edit", "settings", "publish", "delete")


class Caller(Struct, frozen=True):
    """A kind of caller; `rights` holds for site 7, `everywhere` for all sites."""

    name: str
    user: int
    scopes: frozenset[str] = frozenset(EVERY)
    access: bool = True
    rights: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()
    admin: bool = False
    active: bool = True
    known: bool = True

    @property
    def code(self) -> str:
        return f"webhook-of-{self.name.replace(' ', '-')}-0123456789"

    def may(self, need: str) -> bool:
        """Tell whether this caller has what a row requires."""
        if not (self.known and self.active):
            return False
        words = [word for word in need.split(", ") if word]
        return all(self._has(word) for word in words)

    def _has(self, word: str) -> bool:
        if word.startswith("scope "):
            return word.removeprefix("scope ") in self.scopes and (
                word != f"scope {ADMIN}" or self.admin
            )
        if word == "app":  # an app's access token, which no caller of this test has
            return False
        if word == "administrator":
            return self.admin
        if word == "access":
            return self.admin or self.access
        if word.endswith(" everywhere"):
            return self.admin or word.removesuffix(" everywhere") in self.everywhere
        return self.admin or (self.access and word in self.rights)


def _of_site(*rights: str) -> frozenset[str]:
    return frozenset({"view", *rights})


CALLERS = [
    Caller("nobody", 0, known=False),
    Caller("a stranger with a guess", 11, known=False),
    Caller("who is switched off", 12, rights=_of_site(*RIGHTS), admin=True, active=False),
    Caller("an administrator without scopes", 13, scopes=frozenset(), admin=True),
    Caller("an administrator of pages", 14, scopes=frozenset({"landing"}), admin=True),
    Caller("who has no access to sites", 15, access=False, rights=_of_site(*RIGHTS)),
    Caller("who has rights elsewhere", 16),
    *(
        Caller(f"who has {right}", 20 + at, rights=_of_site(right))
        for at, right in enumerate(RIGHTS)
    ),
    Caller("who edits everywhere", 30, rights=_of_site("edit"), everywhere=_of_site("edit")),
    Caller("the administrator", 1, admin=True),
]
ROWS: dict[str, str] = read_data(__file__, "NEEDS", dict[str, str])
CALLS: dict[str, Any] = read_data(
    str(Path(__file__).with_name("test_described_calls.py")), "CALLS", dict[str, dict[str, Any]]
) | read_data(__file__, "CALLS", dict[str, dict[str, Any]])


def _world() -> dict[str, Any]:
    small = read_data(
        str(Path(__file__).with_name("test_described_calls.py")), "SMALL", dict[str, Any]
    )
    world = dict(small)
    pages = msgspec.json.encode(small["pages"]).replace(b">Old<", f">{SECRET}<".encode())
    world["pages"] = msgspec.json.decode(pages)
    for each in (*world["sites"], *world["folders"], *world["pages"]):
        if each.get("site", each["id"]) == 7:
            each["title"] = SECRET
    for name in ("users", "webhooks"):
        world[name] = []
    for each in CALLERS:
        if each.user in (0, 11):
            continue
        rights = {"7": sorted(each.rights), "8": [*RIGHTS] if each.user == 16 else []}
        if each.everywhere:
            rights = {"*": sorted(each.everywhere)}
        world["users"].append(
            {
                "id": each.user,
                "name": f"User {each.user}",
                "admin": each.admin,
                "active": each.active,
                "sites_access": each.access,
                "rights": rights,
            }
        )
        hook = {"user": each.user, "code": each.code, "scopes": sorted(each.scopes)}
        world["webhooks"].append(hook)
    return world


def _plugins() -> list[Plugin]:
    """All installed plugins, including those that start switched off."""
    return [
        Plugin(each.name, importlib.import_module(f"landyard_{each.name}"))
        for each in installed()
        if each.name != "tracing"  # it adds no method, and sends its spans to another host
    ]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    service = make_service(
        _plugins(), world=_world(), limits={"wrong_credentials": 0}, raise_crashes=False
    )
    service.kernel.lifecycle.write_report()
    return service


def _call(service: Service, caller: Caller, method: str, **more: Any) -> Answer:
    params = {**CALLS[method], **more}
    if not caller.user:
        body = msgspec.json.encode(params)
        return service.send(Incoming("POST", f"/{method}.json", body=body))
    return service.call(method, params, user=caller.user, webhook=caller.code)


def test_every_listed_method_has_a_row(service: Service) -> None:
    listed = {method.name for method in service.kernel.methods}

    assert listed == ROWS.keys()
    assert listed <= CALLS.keys()


def test_a_row_names_the_scope_of_the_method(service: Service) -> None:
    wrong = {
        method.name: ROWS[method.name]
        for method in service.kernel.methods
        if method.name in ROWS
        and (f"scope {method.scope}" in ROWS[method.name].split(", ")) != bool(method.scope)
    }

    assert wrong == {}


def test_a_caller_with_too_few_rights_is_refused_changes_nothing_and_learns_nothing(
    service: Service,
) -> None:
    holes: dict[str, Any] = {}
    before = everything(service)
    for method, need in ROWS.items():
        for caller in CALLERS:
            if caller.may(need):
                continue
            answer = _call(service, caller, method)
            body = msgspec.json.encode(answer.body).decode()
            if answer.status == 200 or answer.status >= 500 or SECRET in body:
                holes[f"{method} by {caller.name}"] = (answer.status, body[:200])
        if everything(service) != before:
            holes[method] = "something was written"
            before = everything(service)

    assert holes == {}


def test_a_caller_with_enough_rights_is_answered_and_sees_only_permitted_sites(
    service: Service,
) -> None:
    holes: dict[str, Any] = {}
    for method, need in ROWS.items():
        found = service.kernel.methods.find(method)
        assert found is not None
        # A dry run: the method writes nothing.
        more = {"dry_run": True} if found.writes and method != "batch" else {}
        for caller in CALLERS:
            if not caller.may(need):
                continue
            answer = _call(service, caller, method, **more)
            body = msgspec.json.encode(answer.body).decode()
            refused = answer.status in (401, 403) or answer.error == "ACCESS_DENIED"
            views = caller.admin or (caller.access and "view" in caller.rights)
            if refused or answer.status >= 500 or (SECRET in body and not views):
                holes[f"{method} by {caller.name}"] = (answer.status, body[:200])

    assert holes == {}
