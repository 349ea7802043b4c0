"""The whole plugin contract: every hook a plugin may answer.

A plugin is a module in the entry-point group `landyard`; its hooks are plain functions marked
with `@landyard.hookimpl`. Declaring hooks are called once, at start-up.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pluggy
from msgspec import Struct

from landyard.calls import Actor, Credential, Reply, Request
from landyard.errors import CallError
from landyard.methods import MethodGroup

if TYPE_CHECKING:  # named as types only
    import click
    from sqlmodel import Session

    from landyard.app import Kernel
    from landyard.jobs import Job
    from landyard.schema import Tables
    from landyard.world import WorldList

hookspec = pluggy.HookspecMarker("landyard")
hookimpl = pluggy.HookimplMarker("landyard")


@hookspec
def register_methods() -> "MethodGroup":  # type: ignore[empty-body]
    """Bring methods."""


@hookspec
def register_settings() -> type[Struct] | Mapping[str, type[Struct]]:  # type: ignore[empty-body]
    """Bring settings: a Struct with a default for every field.

    It is the section of `landyard.toml` with the plugin's name; unknown keys are refused. For
    sections of other names, or several, answer the Structs by name.
    """


@hookspec
def register_tables() -> "Tables":  # type: ignore[empty-body]
    """Bring tables: their Alembic branch and the folder of its migrations."""


@hookspec
def register_world() -> "Iterable[WorldList]":  # type: ignore[empty-body]
    """Bring lists of the world file, or keys of a list that another plugin owns."""


@hookspec
def register_routes(kernel: "Kernel") -> Iterable[object]:  # type: ignore[empty-body]
    """Bring public pages: Litestar route handlers, built in the plugin's module `web`."""


class Demo(Struct, frozen=True):
    """What `serve --demo` shows: a world, a page of it, and a call that edits that page.

    `page` is a path; `then` are the words of the command line that show the change to visitors.
    """

    world: bytes
    user: int
    scopes: tuple[str, ...]
    page: str
    method: str
    params: dict[str, Any]
    then: str


@hookspec
def register_demo() -> Demo:  # type: ignore[empty-body]
    """Bring the demo."""


@hookspec
def register_jobs() -> "Iterable[Job]":  # type: ignore[empty-body]
    """Bring periodic work; each job is run by one process among all workers and hosts."""


@hookspec
def register_commands() -> "Iterable[click.Command]":  # type: ignore[empty-body]
    """Bring words of the command line."""


@hookspec(firstresult=True)
def authenticate(credential: Credential, session: "Session", now: datetime) -> Actor | None:
    """Say who shows `credential`, or None to let the next plugin say; raise to refuse.

    Asked for every credential but those of our own form with a wrong checksum: for a webhook that
    is switched off, expired or another user's just as for one that nobody knows. Who is past the
    Actor's `expires_at`, an aware datetime, is refused by the kernel. Names of credentials that
    begin with `webhook:` or `token:` are its own.
    """


@hookspec(firstresult=True)
def map_error(error: Exception) -> CallError | None:
    """Say what a caller is told about an exception that is no `CallError`, or None."""


@hookspec
def call_finished(
    request: Request, actor: Actor | None, reply: Reply, crash: Exception | None
) -> None:
    """Observe an answered call; `crash` is the unexpected exception behind a failure."""
