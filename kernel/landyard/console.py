"""The terminal: what the words of the command line work with and print through."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec

from landyard.app import Kernel, open_store
from landyard.logs import configure
from landyard.schema import Schema
from landyard.settings import Settings, load_settings
from landyard.store import Store
from landyard.watch import Watch
from landyard.wording import visible


def watched_kernel(settings: Settings) -> Kernel:
    """Open a kernel with a watch: a plugin that kills who imports it does so once."""
    watch = Watch(settings, serves=False)
    try:
        return Kernel(settings, watch=watch)
    except BaseException:
        watch.close()  # this process is not dead, it only has no kernel
        raise


class Console:
    """Opens the kernel for a command, and prints what it found. A command is given one."""

    def settings(self, **flags: object) -> Settings:
        """Read the settings, with the flags of this command, and set the logs up."""
        settings = load_settings(flags=flags)
        configure(settings.log_level, settings.log_format)
        return settings

    @contextmanager
    def kernel(
        self, *, prepare: bool = True, whole: bool = False, **flags: Any
    ) -> Iterator[Kernel]:
        """Open the kernel on an up-to-date database; `prepare=False` takes it as it is.

        What needs every plugin's part asks for the `whole`: `PluginError` where one has failed.
        """
        settings = self.settings(**flags)
        # Who only reads leaves no traces where there is no service.
        watched = prepare or settings.data.exists()
        kernel = watched_kernel(settings) if watched else Kernel(settings)
        try:
            if prepare:
                kernel.prepare()
            if whole:
                kernel.assembly.refuse_failed()
            yield kernel
        finally:
            kernel.close()

    @contextmanager
    def store(self, settings: Settings, *, prepare: bool) -> Iterator[Store]:
        """Open the database alone, without any plugin; `prepare` makes the kernel's own tables."""
        store = open_store(settings)
        try:
            if prepare:
                Schema([]).prepare(store)
            yield store
        finally:
            store.close()

    def say(self, text: str) -> None:
        """Print a line for people, to standard output."""
        sys.stdout.write(f"{text}\n")

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, as_json: bool = False
    ) -> None:
        """Print a listing: a table for people, or a JSON list of objects for programs."""
        if as_json:
            items = [dict(zip(columns, row, strict=True)) for row in rows]
            self.say(msgspec.json.format(msgspec.json.encode(items), indent=2).decode())
            return
        from rich import box  # half of the start-up time of a command that prints no table
        from rich.console import Console as Terminal
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for index, column in enumerate(columns):
            whole = any(isinstance(row[index], datetime) for row in rows)
            table.add_column(column.replace("_", " "), overflow="fold", no_wrap=whole)
        for row in rows:
            table.add_row(*[_shown(value) for value in row])
        # A pipe has no width: what is read by `grep` and `cut` stays on one line.
        width = None if sys.stdout.isatty() else 10_000
        Terminal(highlight=False, width=width).print(table if rows else "none")

    @contextmanager
    def progress(self, title: str) -> Iterator[Callable[[int, int], None]]:
        """Show a bar on standard error while something long runs, where people watch."""
        if not sys.stderr.isatty():
            yield lambda _done, _total: None
            return
        from rich.console import Console as Terminal
        from rich.progress import Progress

        with Progress(console=Terminal(stderr=True), transient=True) as bar:
            task = bar.add_task(title)
            yield lambda done, total: bar.update(task, completed=done, total=total)


def _shown(value: Any) -> str:
    """Write a value for a table: text as it is, whatever marks it holds; moments in UTC."""
    from rich.markup import escape

    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return ""
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        case list() | tuple():
            return escape(", ".join(str(item) for item in value))
    return escape(visible(str(value)))
