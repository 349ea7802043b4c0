"""Random sequences over all methods, on both databases, compared with a model of the tree.

Most calls name existing rows and have usable values. Every answer is an envelope, and each code is
declared by its method. After each call that may write, the database equals the model.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import MakeService
from contract.consistency import (
    assert_files_have_rows,
    assert_movable,
    assert_rows_belong_together,
    assert_served,
)
from contract.documents import METHODS, SWITCHED_ON
from contract.soak_calls import Batch, Made, Maker
from contract.tree_changes import Done, apply
from contract.tree_model import Tree, differences, read
from contract.worlds import CODE, MANIFEST, block, page, site, user
from contrib.oauth.flow import call, let_in

from landyard import ADMIN, Method
from landyard.testing import WEBHOOK, Answer, Service
from landyard_describe.error_codes import own_codes, system_codes

CALLS, FEW = 20_000, 300
LOOKS = 1_000
START = datetime(2026, 11, 20, tzinfo=UTC)
PACE = timedelta(minutes=5)
MOST = {"site": 8, "folder": 12, "page": 30, "block": 200}
FEWEST = {"site": 5, "folder": 4, "page": 12, "block": 50}
BOSS, EDITOR = 1001, 1002
HOOKS = {BOSS: WEBHOOK, EDITOR: f"{WEBHOOK}-of-the-editor"}
BY_NAME = {method.name: method for method in METHODS}
SYSTEM = {each.code for each in system_codes()}
ENVELOPES = ({"error", "error_description"}, {"result", "time"}, {"result"})
PAGED = {"next", "total"}
CARDS = {**MANIFEST, "manifest": {**MANIFEST["manifest"], "cards": {".text": {"name": "Text"}}}}
WORLD: dict[str, Any] = {
    "users": [
        user(BOSS, admin=True),
        user(EDITOR, sites_access=True, rights={"*": ["edit", "publish", "delete"]}),
    ],
    "webhooks": [
        {"user": BOSS, "code": HOOKS[BOSS], "scopes": ["admin", "landing", "user"]},
        {"user": EDITOR, "code": HOOKS[EDITOR], "scopes": ["landing", "user"]},
    ],
    "manifests": [CARDS],
    "templates": [{"code": "promo", "type": "PAGE", "blocks": [{"code": CODE}] * 2}],
    "sites": [site(7, main_page=10), site(8), site(9, domain="shop.example")],
    "folders": [
        {"id": 1, "site": 7, "code": "f"},
        {"id": 2, "site": 7, "parent": 1, "code": "g"},
        {"id": 3, "site": 8, "code": "f"},
    ],
    "pages": [
        page(10, block(100), block(101), block(102)),
        page(11, block(110), block(111), folder=1),
        page(12, block(120), folder=2),
        page(20, block(200), block(201), site=8),
        page(30, block(300), site=9),
    ],
}
# The methods to call when there are too many or too few rows of a kind.
FEWER = {
    "site": ["landing.site.markDelete"],
    "folder": ["landing.site.markFolderDelete"],
    "page": ["landing.landing.delete", "landing.landing.markDelete"],
    "block": ["landing.landing.deleteblock", "landing.landing.delete"],
}
MORE = {
    "site": ["landing.site.add", "landing.site.markUnDelete"],
    "folder": ["landing.site.addFolder", "landing.site.markFolderUnDelete"],
    "page": ["landing.landing.add", "landing.landing.addByTemplate", "landing.landing.copy"],
    "block": ["landing.landing.addblock", "landing.landing.copyblock"],
}
WEIGHTS = [3 if method.writes and method.scope == "landing" else 1 for method in METHODS]


class Soak:
    """A sequence of calls to a service, compared with the model after each."""

    def __init__(self, service: Service, seed: int) -> None:
        self.service = service
        self.maker = Maker(service, BY_NAME, seed)
        self.maker.tree = read(service)
        self.succeeded: Counter[str] = Counter()
        self.answers: Counter[tuple[str, str]] = Counter()
        self._token, self._until = "", START

    def run(self, calls: int) -> None:
        for number in range(calls):
            if number % 60 == 0:
                self.service.now = START + number * PACE
                self.maker.tree.purge(self.service.now)
                self.service.run_jobs()
                self._compare("jobs", {})
            if number % 20 == 0:
                self.maker.look_around()
            made = self.maker.call(self._method())
            try:
                self._make(made)
            except Exception as error:
                error.add_note(f"call {number}: {made.method.name} {made.params}")
                raise
            if number % 100 == 0:
                assert_rows_belong_together(self.service)
            if number % LOOKS == LOOKS - 1 or number == calls - 1:
                self._look()

    def _look(self) -> None:
        """See that all of it holds together."""
        for plugin in ("general", "blocks", "feed", "demos", "roles", "pictures"):
            self.service.call("landyard.plugin.enable", {"name": plugin}, **_as(BOSS))
        for method in ("landing.landing.getList", "server.time"):
            self.service.call("landyard.method.enable", {"name": method}, **_as(BOSS))
        assert_rows_belong_together(self.service)
        assert_files_have_rows(self.service)
        assert_movable(self.service, plugins=SWITCHED_ON)
        assert_served(self.service, self.maker.tree.shown(), **_as(BOSS))
        assert _listed(self.service) == _expected(self.maker.tree)

    def _method(self) -> Method:
        """Choose a method so that the number of rows of each kind stays within bounds."""
        chance, tree = self.maker.chance, self.maker.tree
        counts = {
            "site": sum(item.trashed is None for item in tree.sites.values()),
            "folder": len(tree.folders),
            "page": len(tree.live()),
            "block": sum(len(page.drafts) for page in tree.pages.values()),
        }
        for kind, count in counts.items():
            if count > MOST[kind] and chance.random() < 0.1:
                return BY_NAME[chance.choice(FEWER[kind])]
            if count < FEWEST[kind] and chance.random() < 0.2:
                return BY_NAME[chance.choice(MORE[kind])]
        return chance.choices(METHODS, WEIGHTS)[0]

    def _make(self, made: Made) -> None:
        answer = self._ask(made)
        name = made.method.name
        assert answer.status < 500
        assert answer.body.keys() - PAGED in ENVELOPES
        declared = SYSTEM | {each.code for each in own_codes(made.method)}
        assert answer.error is None or answer.error in declared, answer
        if answer.error == "ERROR_METHOD_NOT_FOUND":
            assert name not in [method.name for method in self.service.kernel.methods]
        self.answers[name, str(answer.error)] += 1
        if answer.error is None:
            self.succeeded[name] += 1
        if made.method.writes:
            self._follow(made, answer)

    def _ask(self, made: Made) -> Answer:
        method = made.method
        if method.plugin == "apps":
            return call(self.service, self._app(), method.name, **made.params)
        boss = method.scope == ADMIN or self.maker.chance.random() < 0.8
        return self.service.call(method.name, made.params, **_as(BOSS if boss else EDITOR))

    def _app(self) -> str:
        """An app's token; half an hour later a new one."""
        assert self.service.now is not None
        if self.service.now >= self._until:
            self._token = let_in(self.service, BOSS)
            self._until = self.service.now + timedelta(minutes=30)
        return self._token

    def _follow(self, made: Made, answer: Answer) -> None:
        """Apply the call's effect to the model and compare; after an odd call the model is read
        from the database.
        """
        tree, there = self.maker.tree, read(self.service)
        now = self.service.now
        assert now is not None
        if answer.error is None and not made.plain:
            self.maker.tree = there
            return
        done: list[tuple[Made, Any]] = []
        if answer.error is None and isinstance(made, Batch):
            results = answer.result["result"]
            answers = results if isinstance(results, dict) else {}
            done = [(made.inner[key], answers[key]) for key in made.inner if key in answers]
            self._check_refused(made, answer)
        elif answer.error is None:
            done = [(made, answer.result)]
        for each, result in done:
            apply(tree, each.method.name, Done(each.params, result, now, there, self.service))
        self._compare(made.method.name, there)

    def _check_refused(self, made: Batch, answer: Answer) -> None:
        refused = answer.result["result_error"] or {}
        for key, error in refused.items():
            declared = {each.code for each in own_codes(made.inner[key].method)}
            declared |= SYSTEM | {"ERROR_BATCH_METHOD_NOT_ALLOWED"}
            assert error["error"] in declared, (key, error)

    def _compare(self, after: str, there: Any) -> None:
        assert differences(self.maker.tree, there or read(self.service)) == [], after


def _expected(tree: Tree) -> dict[str, Any]:
    """The lists of a tree: rows outside the trash whose site is outside the trash too."""
    sites = {number: item for number, item in tree.sites.items() if item.trashed is None}
    pages = {number: tree.pages[number] for number in tree.live()}
    return {
        "sites": {number: item.active for number, item in sites.items()},
        "folders": {
            number: item.active
            for number, item in tree.folders.items()
            if item.trashed is None and item.site in sites
        },
        "pages": {number: (item.active, item.folder) for number, item in pages.items()},
        "blocks": {
            number: [key for key, each in item.drafts.items() if not each.deleted]
            for number, item in pages.items()
        },
    }


def _listed(service: Service) -> dict[str, Any]:
    """The same lists, as the listing methods answer them."""

    def rows(method: str, **params: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = service.call(f"landing.{method}", params, **_as(BOSS)).result
        return found

    def active(found: list[dict[str, Any]]) -> dict[int, bool]:
        return {int(row["ID"]): row["ACTIVE"] == "Y" for row in found}

    def blocks(page: int) -> list[int]:
        found: list[int] = []
        while True:
            given = {"lid": page, "params": {"edit_mode": True}, "start": len(found)}
            more = rows("block.getlist", **given)
            found += [row["id"] for row in more]
            if len(more) < 50:
                return found

    sites = active(rows("site.getList"))
    pages = rows("landing.getList", params={"select": ["ID", "ACTIVE", "FOLDER_ID"]})
    folders = [active(rows("site.getFolders", siteId=number)) for number in sites]
    shown, places = active(pages), {int(row["ID"]): row["FOLDER_ID"] for row in pages}
    return {
        "sites": sites,
        "folders": {number: each for of_site in folders for number, each in of_site.items()},
        "pages": {
            key: (is_active, int(places[key]) if places[key] else None)
            for key, is_active in shown.items()
        },
        "blocks": {number: blocks(number) for number in shown},
    }


def _as(user_id: int) -> dict[str, Any]:
    return {"user": user_id, "webhook": HOOKS[user_id]}


def soak(make_service: MakeService, calls: int, seed: int = 20261123) -> Soak:
    service = make_service(world=WORLD, now=START, plugins=SWITCHED_ON)
    service.kernel.lifecycle.write_report()  # as a server does, so that methods are found by name
    found = Soak(service, seed)
    found.run(calls)
    return found


def test_some_calls_of_all_methods_keep_to_the_model(make_service: MakeService) -> None:
    soak(make_service, FEW)


@pytest.mark.soak
def test_random_calls_of_all_methods_keep_to_the_model(make_service: MakeService) -> None:
    done = soak(make_service, CALLS)

    assert set(BY_NAME) - set(done.succeeded) == set()
    assert done.succeeded.total() > CALLS / 3
