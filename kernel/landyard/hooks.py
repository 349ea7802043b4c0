"""The whole plugin contract: every hook that a plugin may have, and what plugins declare.

A plugin is a module in the entry-point group `landyard`. Its hooks are plain functions marked with
`@landyard.hookimpl`. A hook takes those of the arguments that it names.

- *Declaring hooks* (`register_…`) are called once, when the plugin is loaded.
- *Deciding hooks* are called while the caller waits. To refuse the call they raise a `CallError`.
  When they raise anything else, the call is answered `OVERLOAD_LIMIT` (503).
- *Told hooks* are called behind the answer, in a thread of the plugin. Their errors are logged.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from landyard.core.calls import CallOption
from landyard.core.events import Event
from landyard.core.hooks import (
    authenticate,
    before_call,
    before_commit,
    begin_call,
    call_failed,
    call_finished,
    guard_authentication,
    hookimpl,
    hookspec,
    map_error,
)
from landyard.core.method_group import MethodGroup
from landyard.core.ports import Meter
from landyard.storage.schema import Tables
from landyard.storage.world import WorldList

if TYPE_CHECKING:
    import click

__all__ = [
    "Demo",
    "Event",
    "Job",
    "Record",
    "Subscriber",
    "authenticate",
    "before_call",
    "before_commit",
    "begin_call",
    "call_failed",
    "call_finished",
    "guard_authentication",
    "hookimpl",
    "hookspec",
    "job_finished",
    "map_error",
    "register_call_options",
    "register_commands",
    "register_demo",
    "register_failure_style",
    "register_hooks",
    "register_jobs",
    "register_meter",
    "register_methods",
    "register_records",
    "register_routes",
    "register_settings",
    "register_subscribers",
    "register_tables",
    "register_world",
]

# ---------------------------------------------------------------- declaring


@hookspec
def register_methods() -> MethodGroup | Iterable[MethodGroup]:  # type: ignore[empty-body]
    """Bring methods: a group, or several with a scope each."""


@hookspec
def register_call_options() -> Iterable[CallOption]:  # type: ignore[empty-body]
    """Bring call options; the hook `begin_call` handles them.

    The plugin's module names them in `call_options = ("name",)`, written out at its top as
    `requires` is. While the plugin is off, a call with one of them is refused.
    """


@hookspec
def register_settings() -> type[Struct] | Mapping[str, type[Struct]]:  # type: ignore[empty-body]
    """Bring settings: a Struct with a default for every field.

    It is the section of `landyard.toml` with the plugin's name; unknown keys are refused. For
    sections of other names, or several, answer the Structs by name.
    """


@hookspec
def register_tables() -> Tables:  # type: ignore[empty-body]
    """Bring tables: their Alembic branch and the folder of its migrations."""


@hookspec
def register_world() -> Iterable[WorldList]:  # type: ignore[empty-body]
    """Bring lists of the world file, or keys of a list that another plugin owns."""


@hookspec
def register_routes(host: Any) -> Iterable[object]:  # type: ignore[empty-body]
    """Bring public pages: Litestar route handlers that are plain functions.

    Build them in the plugin's module `web`. The kernel runs them in its threads. A route takes a
    body of 64 KiB, unless it declares `request_max_body_size`.
    """


@hookspec
def register_failure_style() -> str:  # type: ignore[empty-body]
    """Bring the style sheet of the pages that say what has failed; the first one is taken.

    It is written into the page: a `main` with an `h1`, paragraphs, links and a `small` line, which
    loads nothing but `data:` pictures.
    """


class Demo(Struct, frozen=True):
    """The demo of `serve --demo`: `show(console, host)` loads `world` into an empty service.

    It then prints how the demo is used.
    """

    world: bytes
    show: Callable[[Any, Any], object]


@hookspec
def register_demo() -> Demo:  # type: ignore[empty-body]
    """Bring the demo."""


class Job(Struct, frozen=True):
    """Periodic work of a plugin: every `every`, one process of all runs `work(host)`.

    `name` is unique in the service, such as `landing.trash`. The work may be cut off at any moment
    and is then done again at the next turn, so it must leave nothing half done. Work that takes
    longer than `every` may run beside its own next turn in another process.
    """

    name: str
    every: timedelta
    work: Callable[[Any], object]


@hookspec
def register_jobs() -> Iterable[Job]:  # type: ignore[empty-body]
    """Bring periodic work; each job is run by one process among all workers and hosts."""


class Subscriber(Struct, frozen=True):
    """Hears of each `event` of a type, and of the types derived from it, in its transaction.

    `tell(unit, event)` receives the `Call`, or the `UnitOfWork` when a job or command publishes.
    An exception of it refuses the call, as that of a deciding hook does. A `name` is unique in the
    service.
    """

    event: type[Event]
    tell: Callable[[Any, Any], object]
    name: str = ""


@hookspec
def register_subscribers() -> Iterable[Subscriber]:  # type: ignore[empty-body]
    """Bring subscribers of events. Those of the plugin `events` hear of them after the commit."""


@hookspec
def register_commands() -> "Iterable[click.Command]":  # type: ignore[empty-body]
    """Bring commands; those of a group `db` or `plugins` are added to the kernel's."""


class Record(Struct, frozen=True, kw_only=True):
    """A declaration for another plugin, whose package has its type; `plugin` is filled in."""

    plugin: str = ""

    @property
    def key(self) -> str:
        """The record's key, which no other record of the type has."""
        raise NotImplementedError

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        """Raise `PluginError` for a record of no use; `records` are all, by type and key."""


@hookspec
def register_records() -> Iterable[Record]:  # type: ignore[empty-body]
    """Bring records of types that a plugin exports which this one requires, such as block types.

    `host.records(…)` and `call.records(…)` find them by type as long as the plugin is on.
    """


@hookspec
def register_hooks(host: Any) -> object:
    """Bring hooks that keep something between calls: an object whose methods are hooks.

    It is made once for each kernel, and its methods are marked with `@landyard.hookimpl` as
    functions are. A method `close` is called when the kernel closes. A method `serve` is called, in
    a thread of the plugin, when a server begins; `host.process.serving` is true for a plugin that
    is enabled later. The object may have `register_routes` and `register_commands`, in place of the
    module. The kernel is still being built: only `host.settings`, `host.section`, `host.store` and
    `host.now` are there. The plugin's methods find the object by its type: `call.kept(…)`.
    """


@hookspec
def register_meter() -> Meter | None:
    """Bring a meter of operating seconds that all workers share, in place of each worker's own.

    This is a hook of the object that `register_hooks` answered. The first plugin's meter is used.
    """


# --------------------------------------------------------------------- told


@hookspec
def job_finished(plugin: str, job: Job, crash: BaseException | None, seconds: float) -> None:
    """Observe a job that was run in this process; `crash` is the exception that it raised."""
