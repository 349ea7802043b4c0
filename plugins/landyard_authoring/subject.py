"""The subject of the checks: an imported plugin, with the plugins it requires."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from landyard import Method
from landyard.testing import WEBHOOK, Contribution, Found, Service, brought
from landyard_authoring.source import Source


class Subject(Struct, frozen=True):
    """An imported plugin's contribution, and those of required plugins, in loading order.

    `every` are the installed plugins. `tables` are the names of the tables that its import
    declared; `folder` is for databases. `doing(what, seconds)` is called before each call into the
    plugin, because that call may never return.
    """

    found: Found
    every: Sequence[Found]
    source: Source
    contribution: Contribution
    others: Sequence[Contribution]
    tables: frozenset[str]
    folder: Path
    doing: Callable[[str, float], None]

    @property
    def methods(self) -> Sequence[Method]:
        return self.contribution.methods

    @contextmanager
    def service(
        self, database: Path | None = None, *, beside: Sequence[str] = ()
    ) -> Iterator[Service]:
        """Run a service with this plugin, a demo world, and an admin with every scope.

        `database` has the tables already, because making them takes most of the time. `beside`
        names further plugins.
        """
        there = {each.plugin.name for each in (*self.others, self.contribution)}
        more = [brought(each) for each in self.every if each.name in {*beside} - there]
        plugins = [each.plugin for each in (*more, *self.others, self.contribution)]
        settings: dict[str, Any] = (
            {} if database is None else {"database_url": f"sqlite:///{database}"}
        )
        scopes = sorted({method.scope for method in self.methods if method.scope})
        with Service(plugins, world=self._demo(), raise_crashes=False, **settings) as service:
            service.load(
                {
                    "users": [{"id": 1, "name": "Admin", "admin": True, "active": True}],
                    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
                }
            )
            yield service

    def _demo(self) -> Mapping[str, Any]:
        demos = [each.demo for each in (*self.others, self.contribution) if each.demo is not None]
        return msgspec.json.decode(demos[0].world, type=dict[str, Any]) if demos else {}
