"""The console: a web application for editors and operators, at `/-/console`.

It is a client of the methods: it reads and changes everything by calls, with the rights, limits and
audit of any other call. A plugin adds a `Screen`, a `Column` or a `Panel` to its records, and
declares `requires = ("console",)`; see `docs/console.md`.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from landyard import Host, Job, MethodGroup, Record, Tables, hookimpl
from landyard_console.extensions import Column, Pages, Panel
from landyard_console.methods import signing_in
from landyard_console.sessions import Sessions, forget, make_link
from landyard_console.settings import ConsoleSettings
from landyard_console.view import Answer, Refused, Screen, Shown, View
from landyard_landing import sites
from landyard_public.welcome import Welcome
from landyard_sitekit.demo import DemoNote
from landyard_undo.rules import refused

__all__ = ["Answer", "Column", "Pages", "Panel", "Refused", "Screen", "Shown", "View"]

requires = ("content", "landing", "public", "signin", "sitekit")


@hookimpl
def register_methods() -> MethodGroup:
    return signing_in


@hookimpl
def register_settings() -> type[ConsoleSettings]:
    return ConsoleSettings


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "console",
        Path(__file__).parent / "migrations",
        refused("console_session", "console_link", "console_password"),
    )


@hookimpl
def register_hooks(host: Host) -> Sessions:
    return Sessions(host)


@hookimpl
def register_records() -> Iterable[Record]:
    return [
        DemoNote("console", _note),
        sites.OwnHost("console", _host),
        Welcome("console", _welcome),
    ]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("console.forget", timedelta(hours=1), forget)]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_console.commands import console  # imported late: a server needs no commands

    return [console]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_console.web import routes  # imported late: the command line needs no web

    return routes(host)


def _welcome(host: Host, request: Any) -> str:
    from landyard_console.web import welcome  # imported late: the command line needs no web

    return welcome(host, request)


def _host(sections: Callable[[type[Any]], Any]) -> str:
    return str(sections(ConsoleSettings).host)


def _note(host: Host, user_id: int) -> str:
    return f"Console  {make_link(host, user_id)}\n           (works once, for ten minutes)"
