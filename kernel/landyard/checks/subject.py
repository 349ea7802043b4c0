"""The subject of an examination: a plugin that is installed, and those that it is built on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from sqlmodel import SQLModel

from landyard.methods import Method
from landyard.plugins import Contribution, Plugin
from landyard.testing import WEBHOOK, Service

# An examination is one long provocation: it is no reason to put the plugin to rest.
_PATIENT = {"faults": 1_000_000}
STRANGER = "a-webhook-of-nobody-0123456789"


class Subject(Struct, frozen=True):
    """A plugin that has been imported, what it brings, and the plugins it stands on, in order.

    `tables` are the names of the tables that came with its import; `folder` is for databases.
    `doing` is told what is about to be done with the plugin, in case it never comes back, and how
    many seconds that may take.
    """

    plugin: Plugin
    brought: Contribution
    others: Sequence[Contribution]
    tables: frozenset[str]
    folder: Path
    doing: Callable[[str, float], None]

    def has(self, hook: str) -> bool:
        """Whether the plugin answers a hook of this name."""
        return hasattr(self.plugin.module, hook)

    @property
    def methods(self) -> Sequence[Method]:
        return self.brought.methods

    @contextmanager
    def service(self, database: Path | None = None) -> Iterator[Service]:
        """Run a service with this plugin, the demo of those in it, and an admin with every scope.

        `database` is one with the tables in place, which is faster than to make them.
        """
        plugins = [*(other.plugin for other in self.others), self.plugin]
        settings: dict[str, Any] = {"plugins": _PATIENT}
        if database is not None:
            settings["database_url"] = f"sqlite:///{database}"
        with Service(plugins, world=self._demo(), raise_crashes=False, **settings) as service:
            service.load(_admin(self._scopes()))
            yield service

    def _demo(self) -> Mapping[str, Any]:
        for each in (*self.others, self.brought):
            if each.demo is not None:
                demo: Mapping[str, Any] = msgspec.json.decode(each.demo.world)
                return demo
        return {}

    def _scopes(self) -> list[str]:
        return sorted({method.scope for method in self.methods if method.scope})


def _admin(scopes: Sequence[str]) -> Mapping[str, Any]:
    return {
        "users": [{"id": 1, "name": "Admin", "admin": True, "active": True}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
    }


def table_names() -> frozenset[str]:
    """Name the tables of all models that are imported by now."""
    return frozenset(SQLModel.metadata.tables)
