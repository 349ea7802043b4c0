"""The whole plugin contract: every hook a plugin may answer.

A plugin is a module in the entry-point group `landyard`. Its hooks are plain functions marked with
`@landyard.hookimpl`; a hook takes those of the arguments that it names.

- *Declaring hooks* (`register_…`) are called once, when the plugin is loaded.
- *Deciding hooks* are called while the caller waits. To refuse the call they raise a `CallError`;
  where they raise anything else, that call is answered `OVERLOAD_LIMIT` (503).
- *Told hooks* are called behind the answer, in a thread of the plugin. What they raise is logged.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

import pluggy
from msgspec import Struct

from landyard.core.calls import Actor, Call, Credential, Failure, Reply, Request, Result
from landyard.core.errors import CallError
from landyard.core.methods import Method, MethodGroup

if TYPE_CHECKING:  # named as types only
    import click
    from sqlalchemy import Connection
    from sqlmodel import Session

    from landyard.cli.console import Console
    from landyard.core.ports import Meter
    from landyard.kernel import Kernel
    from landyard.plugin_host.joins import Join
    from landyard.storage.prepared import Write
    from landyard.storage.schema import Tables
    from landyard.storage.world import WorldList

hookspec = pluggy.HookspecMarker("landyard")
hookimpl = pluggy.HookimplMarker("landyard")
"""Marks a function of a plugin's module, or a method of its object, as one of these hooks."""

# ---------------------------------------------------------------- declaring


@hookspec
def register_methods() -> MethodGroup | Iterable[MethodGroup]:  # type: ignore[empty-body]
    """Bring methods: a group, or several with a scope each."""


@hookspec
def register_joins() -> "Iterable[Join]":  # type: ignore[empty-body]
    """Join in methods, also of other plugins.

    A call goes through the joins of one plugin after the other: each behind those that it requires,
    and by name. One that fails has the call answered `OVERLOAD_LIMIT`, as a deciding hook does.
    """


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
    """What `serve --demo` is to show: `show` loads `world` into an empty service, and tells how."""

    world: bytes
    show: "Callable[[Console, Kernel], object]"


@hookspec
def register_demo() -> Demo:  # type: ignore[empty-body]
    """Bring the demo."""


class Job(Struct, frozen=True):
    """Periodic work of a plugin: every `every`, one process of all runs `work(kernel)`.

    `name` is unique in the service, such as `landing.trash`. The work may be cut off at any
    moment and is then done again at the next turn, so it must leave nothing half done; one that
    takes longer than `every` may meet its own next turn in another process.
    """

    name: str
    every: timedelta
    work: "Callable[[Kernel], object]"


@hookspec
def register_jobs() -> Iterable[Job]:  # type: ignore[empty-body]
    """Bring periodic work; each job is run by one process among all workers and hosts."""


class Event(Struct, frozen=True):
    """Something that has happened; `topic` is its public name, e.g. `landing.page.published`."""

    topic: ClassVar[str]

    @property
    def subject(self) -> str:
        """What it is about, e.g. `page:10`: one subject is heard of in order; "" has no order."""
        return ""


class Subscriber(Struct, frozen=True):
    """Hears of each `event` of a type, and of the types derived from it, in its transaction.

    `tell(unit, event)` is given the `Call`, or the `UnitOfWork` where a job or command publishes.
    What it raises refuses the call, as from a deciding hook. A `name` is unique in the service.
    """

    event: type[Event]
    tell: Callable[[Any, Any], object]
    name: str = ""


@hookspec
def register_subscribers() -> Iterable[Subscriber]:  # type: ignore[empty-body]
    """Bring subscribers of events; see the plugin `events` for those that hear of them later."""


@hookspec
def register_commands() -> "Iterable[click.Command]":  # type: ignore[empty-body]
    """Bring commands; those of a group `db` or `plugins` are added to the kernel's."""


class Record(Struct, frozen=True, kw_only=True):
    """What a plugin brings for another, whose package has its type; `plugin` is filled in."""

    plugin: str = ""

    @property
    def key(self) -> str:
        """What no other record of the type has."""
        raise NotImplementedError

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        """Raise `PluginError` where it cannot be used; `records` are all known, by type and key."""


@hookspec
def register_records() -> Iterable[Record]:  # type: ignore[empty-body]
    """Bring records of types that a plugin exports which this one requires, such as block types.

    `kernel.records(…)` and `call.records(…)` find them by type as long as the plugin is on.
    """


@hookspec
def register_hooks(kernel: "Kernel") -> object:
    """Bring hooks that keep something between calls: an object whose methods are hooks.

    It is made once for each kernel, and its methods are marked with `@landyard.hookimpl` as
    functions are. A method `close` is called when the kernel closes, and `serve`, in a thread of
    the plugin, when a server begins; where it is enabled later `kernel.serving` is true. It may
    have `register_joins`, `register_routes` and `register_commands`, in place of the module. The
    kernel is being built: `kernel.settings`, `kernel.section`, `kernel.store` and `kernel.now` are
    there. The plugin's methods find the object by its type: `call.kept(…)`.
    """


@hookspec
def register_meter() -> "Meter | None":
    """Bring a meter of operating seconds that all workers share, in place of each worker's own.

    A hook of the object that `register_hooks` answered. The first plugin with one supplies it.
    """


# ----------------------------------------------------------------- deciding


@hookspec
def guard_authentication(  # type: ignore[empty-body]
    address: str, credential: Credential
) -> AbstractContextManager[None]:
    """Surround the look-up of a credential that was not let in during the last half second.

    The context manager is entered before the look-up, and left with the error where it is refused.
    Raise `Postponed` while entering to have the call made anew a little later.
    """


@hookspec(firstresult=True)
def authenticate(
    credential: Credential, connection: "Connection", session: "Session", now: datetime
) -> Actor | None:
    """Say whose credential this is, or None to let the next plugin say.

    Called for a credential that is not a good one of the kernel's own: for an unknown webhook or
    token, and for a webhook that is disabled, expired or another user's. Not called when a secret
    of Landyard's own form has a wrong checksum. An Actor whose `expires_at` has passed is refused.
    `Actor.credential` must not begin with `webhook:` or `token:`. A `session` imports the ORM.
    """


@hookspec
def before_call(request: Request, actor: Actor, method: Method | None) -> str | None:
    """Refuse a call: raise a `CallError` with one of the kernel's own codes.

    Called when the caller is known, before the method's scope is checked. `method` is None where
    there is no such method. Who answers "not again" is asked no more until something is switched.
    """


@hookspec
def begin_call(call: Call, method: Method) -> Mapping[str, Callable[[Result], Result]] | None:
    """See to what the caller asks beside the parameters: `call.request.options`, if anything.

    Called in the transaction, before the handler. Answers, by the options seen to, what is given
    the result before the commit. Raise `Answered` here or there to answer, and keep nothing. An
    option that no plugin sees to has the call refused.
    """


@hookspec
def before_commit(call: Call, method: Method, seconds: float, again: bool) -> "list[Write] | None":
    """Write beside a call that writes: `call.connection` is its transaction, about to be committed.

    Called when the handler has returned, after `seconds`. What is written stands or falls with the
    call. Where `call.transaction` commits several times it is called with the first of them that
    writes, and with the others, `again`, only where it takes that argument. Statements that it
    answers, with values whose names begin with the plugin's, go to PostgreSQL with other plugins'.
    """


@hookspec(firstresult=True)
def map_error(error: Exception) -> CallError | None:
    """Say what a caller is told about an exception that is no `CallError`, or None."""


# --------------------------------------------------------------------- told


@hookspec
def call_finished(  # noqa: PLR0917 - pluggy passes by name
    request: Request,
    actor: Actor | None,
    method: Method | None,
    params: Struct | None,
    reply: Reply,
    crash: BaseException | None,
    subject: str,
    seconds: float,
    dry_run: bool,
) -> None:
    """Observe an answered call.

    `actor`, `method` and `params`, as they were read, are None where the call did not get that far;
    `crash` is the unexpected exception behind a failure; `subject` is what `call.subject` was set
    to; `seconds` are those inside the handler. Nothing of a `dry_run` was kept, also where the call
    was a command of a batch. `request.method` is the name that was called.
    """


@hookspec
def call_failed(  # noqa: PLR0917 - pluggy passes by name
    request: Request,
    actor: Actor | None,
    method: Method | None,
    params: Struct | None,
    reply: Failure,
    crash: BaseException | None,
    subject: str,
    seconds: float,
    dry_run: bool,
) -> None:
    """Observe a call that failed; see `call_finished`, which costs every call that succeeds."""


@hookspec
def job_finished(plugin: str, job: Job, crash: BaseException | None, seconds: float) -> None:
    """Observe a job that was run in this process; `crash` is what it raised."""
