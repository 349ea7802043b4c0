"""OAuth 2.0 for local applications: users authorize an app to call methods on their behalf.

A plugin that uses `app_id_of`, `find_app` or `scopes_granted` declares `requires = ("oauth",)`.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from landyard import Actor, Credential, Host, Job, Tables, hookimpl
from landyard_oauth.apps import app_id_of, find_app
from landyard_oauth.endpoints import Endpoints, endpoints_of
from landyard_oauth.grants import forget, scopes_granted
from landyard_oauth.tables import App
from landyard_oauth.tokens import actor_of
from landyard_undo.rules import refused

__all__ = ["App", "Endpoints", "app_id_of", "endpoints_of", "find_app", "scopes_granted"]

requires = ("signin",)


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "oauth",
        Path(__file__).parent / "migrations",
        refused("oauth_app", "oauth_grant", "oauth_secret"),
    )


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("oauth.forget", timedelta(hours=1), forget)]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    try:
        from landyard_oauth.web import routes  # imported late: the command line needs no web
    except ImportError as error:
        raise ImportError("install landyard[oauth]") from error

    return routes(host)


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_oauth.commands import app  # imported late: a server needs no commands

    return [app]


@hookimpl
def authenticate(credential: Credential, connection: Connection, now: datetime) -> Actor | None:
    return actor_of(credential, connection, now)
