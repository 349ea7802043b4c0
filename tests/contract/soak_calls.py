"""Generates random calls of any method from the content of a service.

A call starts from the described call or from the method's example. Ids in it are replaced by
existing ids, most of them from around one page, so that a good part of the calls succeed.
"""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from contract.oddities import ODD, UNREADABLE
from contract.tree_model import Tree
from corpora import read_data
from msgspec import Raw

from landyard import Method
from landyard.testing import Service

CALLS = read_data(
    __file__.replace("soak_calls", "test_described_calls"), "CALLS", dict[str, dict[str, Any]]
)
IDS = read_data(__file__, "IDS", dict[str, str])
"""The kind of row that a parameter `id` names, by the start of a method's name; the first match
counts.
"""
NAMES = read_data(__file__, "NAMES", dict[str, str])
"""The kind of row that other parameters and fields name."""
MORE = read_data(__file__, "MORE", dict[str, dict[str, Any]])
"""Further values of parameters and fields."""
OTHERS = {  # rows outside the tree of sites
    "user": "SELECT id FROM landyard_user",
    "webhook": "SELECT id FROM landyard_webhook",
    "token": "SELECT id FROM landyard_token",
    "favourite": "SELECT id FROM editing_favourite",
    "file": "SELECT id FROM landing_file",
    "task": "SELECT id FROM events_delivery",
}
ACCOUNTS = ("landyard.user.", "landyard.webhook.", "landyard.token.")
ODD_SHARE = 0.04


@dataclass
class Made:
    """A generated call. `plain`: all its values are as described, and the model can predict its
    effect.
    """

    method: Method
    params: dict[str, Any]
    plain: bool = True


class Maker:
    """Generates calls, and never changes the users and webhooks of the start."""

    def __init__(self, service: Service, methods: Mapping[str, Method], seed: int) -> None:
        self.chance = random.Random(seed)
        self.tree = Tree()
        self._service = service
        self._methods = methods
        self._others: dict[str, list[int]] = {}
        self._page, self._site = 0, 0
        self._odd = False
        self.look_around()
        self._kept = {kind: {*self._others[kind]} for kind in ("user", "webhook", "token")}

    def look_around(self) -> None:
        """Look up the ids that exist outside the tree."""
        with self._service.kernel.store.session() as session:
            self._others = {
                kind: list(session.execute(sa.text(query)).scalars())
                for kind, query in OTHERS.items()
            }

    def call(self, method: Method) -> Made:
        """Generate a call of a method."""
        self._odd = False
        self._choose_surroundings(method.name)
        name = method.name
        described = [CALLS[name], dict(method.example.params)] if method.example else [CALLS[name]]
        params = {**self.chance.choice(described)}
        self._add(params, MORE.get(name, {}), needed=params.keys() & MORE.get(name, {}).keys())
        if name == "batch":
            return self._batch(method, params)
        filled = {key: self._fill(name, key, value) for key, value in params.items()}
        return Made(method, filled, not self._odd)

    def _choose_surroundings(self, method: str) -> None:
        pages, live = self.tree.pages, self.tree.live()
        if "block" in CALLS[method]:
            live = [number for number in live if pages[number].drafts]
        self._page = self._one(live if live and self._luck(0.8) else pages)
        self._site = pages[self._page].site if pages else self._one(self.tree.sites)
        folders = [item.site for item in self.tree.folders.values() if item.trashed is None]
        if "folderId" in CALLS[method] and folders:
            self._site = self.chance.choice(folders)
        elif self._luck(0.1):
            self._site = self._one(self.tree.sites)

    def _add(self, params: dict[str, Any], more: Mapping[str, Any], needed: Any = ()) -> None:
        for key, choices in more.items():
            if isinstance(choices, dict):
                params[key] = {**params.get(key, {})}
                self._add(params[key], choices)
            elif self._luck(0.7 if key in needed else 0.3):
                params[key] = self.chance.choice(choices)

    def _fill(self, method: str, key: str, value: Any) -> Any:
        """Replace the ids in a call by existing ones; now and then use an odd value."""
        protected = method.startswith(ACCOUNTS) and key == "id"
        if self._luck(ODD_SHARE / 2) and not protected:
            self._odd = True
            return Raw(self.chance.choice([*ODD, *UNREADABLE]).encode())
        if key == "data" and "Ref" in method:
            return {number: self._id("page") for number in value}
        if key == "rights" and "site" in value:
            kept = {each: rights for each, rights in value.items() if each != "site"}
            return {**kept, str(self._id("site")): value["site"]}
        if (kind := _kind(method, key)) is not None:
            return self._ids(kind) if isinstance(value, list) else self._id(kind)
        return self._inside(method, value)

    def _inside(self, method: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._fill(method, name, each) for name, each in value.items()}
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return [self._fill(method, "", each) for each in value]
        return value

    def _ids(self, kind: str) -> list[int]:
        return [self._id(kind) for _ in range(self.chance.randint(1, 3))]

    def _id(self, kind: str) -> int:
        """Choose an id of a kind, most often one that belongs to the call's page."""
        if kind.endswith("_or_0"):
            return 0 if self._luck(0.4) else self._id(kind.removesuffix("_or_0"))
        if self._luck(0.02):
            return self.chance.choice([0, 999_999, 2**31 - 1])
        near, every = self._known(kind)
        return self._one(near if near and self._luck(0.85) else every)

    def _known(self, kind: str) -> tuple[Collection[int], Collection[int]]:
        """The ids of a kind: those around the call's page, and all of them."""
        tree = self.tree
        if kind == "page":
            return [self._page], tree.pages
        if kind == "site":
            return [self._site], tree.sites
        if kind == "folder":
            own = [key for key, item in tree.folders.items() if item.site == self._site]
            return own, tree.folders
        if kind == "block":
            near = tree.pages[self._page].drafts if self._page in tree.pages else {}
            return near, [block for page in tree.pages.values() for block in page.drafts]
        if kind in self._kept:
            return [], [each for each in self._others[kind] if each not in self._kept[kind]]
        return [], self._others.get(kind, range(1, 5))

    def _batch(self, method: Method, params: dict[str, Any]) -> Made:
        """Make a batch of calls whose parameters fit into a query string."""
        names = [name for name in self._methods if name.startswith("landing.")]
        inner: dict[str, Made] = {}
        while len(inner) < 3:
            made = self.call(self._methods[self.chance.choice(names)])
            if made.plain and _is_flat(made.params):
                inner[f"c{len(inner)}"] = made
        commands = {key: f"{each.method.name}?{_query(each.params)}" for key, each in inner.items()}
        sent = {**params, "cmd": commands}
        return Batch(method, sent, True, inner)

    def _one(self, ids: Any) -> int:
        return self.chance.choice(list(ids)) if ids else 999_999

    def _luck(self, of: float) -> bool:
        return self.chance.random() < of


@dataclass
class Batch(Made):
    """A batch of calls, by their keys."""

    inner: dict[str, Made] = field(default_factory=dict)


def _kind(method: str, name: str) -> str | None:
    """Return the kind of the ids in a parameter."""
    if name == "id":
        return next((kind for start, kind in IDS.items() if method.startswith(start)), None)
    return NAMES.get(name)


def _is_flat(value: Any) -> bool:
    """Tell whether a query string can express the value: it cannot express empty lists and
    objects.
    """
    if isinstance(value, dict | list):
        each = value.values() if isinstance(value, dict) else value
        return bool(value) and all(map(_is_flat, each))
    return isinstance(value, str | int)


def _query(params: Mapping[str, Any]) -> str:
    return "&".join(f"{quote(key, safe='[]')}={quote(value)}" for key, value in _flat(params))


def _flat(value: Any, key: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [
            found
            for name, each in pairs
            for found in _flat(each, f"{key}[{name}]" if key else str(name))
        ]
    return [(key, str(int(value)) if isinstance(value, bool) else str(value))]
