"""Opens the settings and the kernel for a command, and prints lines, tables and JSON."""

import getpass
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import click
import msgspec
from msgspec import structs

from landyard.core.errors import Unavailable
from landyard.core.events import Event
from landyard.host import Host
from landyard.kernel import Kernel, open_store
from landyard.logs import configure, visible
from landyard.plugin_host.discovery import HOST, Found, found
from landyard.plugin_host.loading import import_plugin
from landyard.plugin_host.resolution import wanted_state
from landyard.plugin_host.switches import is_prepared, known_switches, plugin_settings
from landyard.serving.trial import try_starts
from landyard.settings import Settings, load_settings
from landyard.storage.store import UnitOfWork

_SECONDS = 3.0  # that a plugin of others may take to be loaded: all is said within five
_TRIED, _PREPARED = "landyard.tried", "landyard.tried with tables"
PLUGIN = "landyard.plugin"  # in a command's context: the name of the plugin that brings it
_WORDS: Any = {"subsequent_indent": "    ", "break_long_words": False, "break_on_hyphens": False}
F = TypeVar("F", bound=Callable[..., Any])


def unusable(error: Exception) -> str:
    """Say for the operator that the database is away: how it failed, and what to do.

    A plugin says by itself that something else is away.
    """
    cause = error.__cause__ or error
    told = str(getattr(cause, "orig", cause)).partition("\n")[0]
    if isinstance(error, Unavailable) and str(error) != Unavailable.text:
        return f"{error} ({told})"
    return (
        f"the database cannot be used: {told}; see that it runs, and that database_url names it"
        " (`landyard settings`)"
    )


def operator() -> str:
    """Return the name of the system's user who runs the command, or else the number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


class CommandRun(Event, frozen=True):
    """A command of the operator's changed something; published in the transaction of the change.

    `command` is the words without arguments, e.g. `landyard page publish`; `operator` is the name
    of the system's user; `about` is what was changed, e.g. `page:10`; `seconds` is the time since
    the command began.
    """

    topic: ClassVar[str] = "landyard.command.run"
    command: str
    operator: str
    about: str
    at: datetime
    seconds: float


def unloadable(settings: Settings, *, prepare: bool = False) -> Mapping[str, str]:
    """Load the plugins of others in child processes first; name those that end or hang theirs.

    Such a plugin would take the command along. The answer has a reason and a way out for each. The
    plugins are tried once in a command.
    """
    ctx = click.get_current_context(silent=True)
    tried: dict[str, Mapping[str, str]] = {} if ctx is None else ctx.meta
    keys = [_PREPARED] if prepare else [_PREPARED, _TRIED]
    for key in keys:
        if key in tried:
            return tried[key]
    tried[keys[-1]] = _try_others(settings, prepare)
    return tried[keys[-1]]


def _try_others(settings: Settings, prepare: bool) -> Mapping[str, str]:
    with closing(open_store(settings)) as store:
        switches = known_switches(store)
    rules = plugin_settings(settings)
    on = [it for it in found() if wanted_state(it, settings, rules, switches)[0] == "enabled"]
    names = [each.name for each in on if each.distribution != HOST]
    if not names:
        return {}
    for each in on:
        if each.distribution == HOST:
            with suppress(Exception):  # the kernel will say it; here once, and not in each child
                import_plugin(each)
    lenient = structs.replace(settings, strict=False)

    def start(name: str, loading: Callable[..., object]) -> None:
        needed = _needed(name, {each.name: each for each in reversed(on)})
        left_out = dict.fromkeys(set(names) - needed, "it is tried by itself")
        with closing(Kernel(lenient, left_out=left_out, loading=loading)) as kernel:
            if prepare:
                kernel.prepare()
            kernel.commands()

    reasons = try_starts(names, start, _SECONDS)
    way_out = "`landyard plugins disable {}` switches it off"
    return {name: f"{reason}; {way_out.format(name)}" for name, reason in reasons.items()}


def _needed(name: str, plugins: Mapping[str, Found]) -> set[str]:
    """Name a plugin and those that it requires."""
    needed, new = set[str](), {name}
    while new:
        needed |= new
        new = {each for it in new & plugins.keys() for each in plugins[it].requires} - needed
    return needed


class Console:
    """Opens the kernel for a command, and prints what it found. A command is given one."""

    _begun: Path | None = None  # the data directory, where this command was the first
    _others = True  # whether the plugins of others are loaded

    def __init__(self) -> None:
        """Note when the command began."""
        self._began = time.perf_counter()

    def settings(self, **flags: object) -> Settings:
        """Read the settings, with the flags of this command, and set the logs up."""
        settings = load_settings(flags=flags)
        configure(settings.log_level, settings.log_format)
        return settings

    def without_others(self) -> Self:
        """Return this console; its kernel has the plugins that came with Landyard alone.

        It is for commands that need no other plugin. One that ends or hangs its process does not
        affect them.
        """
        self._others = False
        return self

    def host(self, *, prepare: bool = True, whole: bool = False) -> AbstractContextManager[Host]:
        """Open what plugins see of the kernel, on an up-to-date database.

        `prepare=False` takes the database as it is. With `whole`, a plugin that has failed is a
        `PluginError`: a part would be missing.
        """
        return self.kernel(prepare=prepare, whole=whole)

    @contextmanager
    def kernel(self, *, prepare: bool = True, whole: bool = False) -> Iterator[Kernel]:
        """Open the whole kernel, for the kernel's own commands; see `host`."""
        settings = self.settings()
        if settings.log_level == "info":  # the command prints its changes and refusals itself
            configure("warning", settings.log_format)
        left_out = unloadable(settings, prepare=prepare) if self._others else {}
        with redirect_stdout(sys.stderr):  # a plugin that prints is no part of what is printed here
            opened = Kernel(settings, left_out=left_out, others=self._others)
        with closing(opened) as kernel:
            if prepare:
                self._begun = None if is_prepared(kernel.store) else kernel.settings.data
                kernel.prepare()
            ctx = click.get_current_context(silent=True)
            if whole:
                kernel.lifecycle.refuse_failed()
            elif ctx is not None and (plugin := ctx.meta.get(PLUGIN)):
                kernel.lifecycle.refuse_failed(plugin)  # it would fail for want of its tables
            yield kernel

    def record(self, host: Host, unit: UnitOfWork, about: str = "") -> None:
        """Announce, in the transaction of `unit`, that this command changes something.

        Every command that writes calls it. The audit writes a row. `about` is what is changed,
        e.g. `page:10`.
        """
        _, _, words = click.get_current_context().command_path.partition(" ")
        seconds = time.perf_counter() - self._began
        event = CommandRun(f"landyard {words}", operator(), about, host.now(), seconds)
        host.publish(unit, event)

    @staticmethod
    def json_option(command: F) -> F:
        """Add the option `--json`, the parameter `as_json` of `table`, to a command."""
        return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(
            command
        )

    def say(self, text: str) -> None:
        """Print a line for people, to standard output."""
        click.echo(text)

    def progress(
        self, label: str, *, items: Iterable[Any] | None = None, length: int | None = None
    ) -> AbstractContextManager[Any]:
        """Show how far work on `items`, or of a `length`, is: on standard error, a terminal only.

        It is a context manager, as `click.progressbar` is.
        """
        hidden = not (sys.stderr and sys.stderr.isatty())
        return click.progressbar(items, length, label, hidden=hidden, file=sys.stderr)

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, as_json: bool = False
    ) -> None:
        """Print a listing: a table for people, or a JSON list of objects for programs."""
        if as_json:
            items = [dict(zip(columns, row, strict=True)) for row in rows]
            self.say(msgspec.json.format(msgspec.json.encode(items), indent=2).decode())
            return
        if not rows:
            self.say("none")
            if self._begun:
                told = f"Note: there was no service in {self._begun}; an empty one begins there."
                click.echo(f"{told} LANDYARD_DATA names another folder.", err=True)
            return
        lines = [[column.replace("_", " ") for column in columns]]
        lines += [[_cell(value) for value in row] for row in rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        room = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
        for line in lines:
            self.say(textwrap.fill("  ".join(map(str.ljust, line, widths)), room, **_WORDS))


def _cell(value: Any) -> str:
    match value:
        case bool():
            value = "yes" if value else "no"
        case datetime():
            value = f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        case float():
            value = f"{value:.4g}"
        case list() | tuple():
            value = ", ".join(map(str, value))
    return visible("" if value is None else str(value))
