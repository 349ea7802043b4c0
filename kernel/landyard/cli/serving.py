"""The command `serve`: starts a supervisor, which starts the workers that answer requests."""

import functools
import os
import site
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import click
import structlog
import uvicorn
from sqlalchemy.exc import DBAPIError

from landyard.cli.console import Console, unusable
from landyard.core.errors import OverloadLimit
from landyard.kernel import Kernel, open_store
from landyard.plugin_host.discovery import found
from landyard.plugin_host.loading import PluginError
from landyard.plugin_host.resolution import wanted_state
from landyard.plugin_host.switches import known_switches, plugin_settings
from landyard.serving import worker
from landyard.serving.health_checks import Rules
from landyard.serving.processes import Link
from landyard.serving.scoreboard import Scoreboard
from landyard.serving.supervisor import Supervisor
from landyard.serving.trial import try_plugins
from landyard.serving.worker import CannotStart
from landyard.settings import MOST_WORKERS, Settings, SettingsError, foreign_variables
from landyard.storage.schema import SchemaError

log = structlog.get_logger()

RULES = Rules()
_PASSED = 3  # the first file descriptor that systemd passes


@click.command()
@click.option("--host", help="The address to listen on; by default 127.0.0.1.")
@click.option("--port", type=click.IntRange(1, 65535), help="The port; by default 8000.")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="One per core; by default 1.")
@click.option("--demo", is_flag=True, help="Load the demo site once and print how to edit it.")
@click.option("--strict", is_flag=True, default=None, help="Refuse to start where a plugin fails.")
@click.option("--safe", is_flag=True, default=None, help="Start without any plugin.")
@click.pass_obj
def serve(console: Console, /, demo: bool, **flags: Any) -> None:
    """Answer calls and serve pages until interrupted.

    A plugin that cannot be used is left out, and named in the log and by `landyard plugins list`.
    """
    settings = console.settings(**flags)
    if ignored := foreign_variables():
        log.warning("variables_ignored", variables=ignored)
    with Supervisor(RULES) as supervisor, _listen(settings) as listener, ExitStack() as stack:
        if demo and sys.stderr.isatty():
            log_file = settings.data / "demo.log"
            stack.enter_context(_logging_to(log_file))
            console.say(f"\n  Log      {log_file}")
            settings = console.settings(**flags)  # writes the log to where standard error is now
        if isinstance(at := listener.getsockname(), tuple) and at[1] != settings.port:
            flags |= {"host": at[0], "port": at[1]}  # systemd has chosen it
            settings = console.settings(**flags)
        log.info("service_started", address=settings.base, workers=settings.workers)
        preload()

        def work(
            left_out: Mapping[str, str], first: bool, link: Link, scoreboard: Scoreboard
        ) -> None:
            build = functools.partial(_build, console, flags, left_out, first, demo and first)
            worker.run(link, scoreboard, build, listener, settings.worker_megabytes)

        try_enabled = functools.partial(_try_enabled, settings)
        refusal = supervisor.run(settings.workers, settings.shutdown_grace, work, try_enabled)
    if refusal:
        raise click.ClickException(refusal)


@contextmanager
def _logging_to(file: Path) -> Iterator[None]:
    """Send standard error to a file, so that the log does not bury what the demo prints."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    terminal = os.dup(2)
    with file.open("ab") as log_file:
        os.dup2(log_file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


def preload() -> None:
    """Import what every worker needs: here once, and not in each.

    Plugins are loaded in workers alone: this process stays up, whatever they do.
    """
    import uvicorn.lifespan.on  # noqa: F401
    import uvloop  # noqa: F401

    import landyard.web.http_connection  # noqa: F401


def _listen(settings: Settings) -> socket.socket:
    """Take the port; say it before anything is changed for a service that cannot start.

    Where systemd listens already (socket activation) its socket is taken.
    """
    if os.environ.pop("LISTEN_PID", "") == str(os.getpid()):
        if os.environ.pop("LISTEN_FDS", "") != "1":
            raise click.ClickException("systemd has to pass one socket: give one ListenStream")
        os.set_inheritable(_PASSED, False)  # a decoder has no business with it
        return socket.socket(fileno=_PASSED)
    at, six = (settings.host, settings.port), ":" in settings.host
    family = socket.AF_INET6 if six else socket.AF_INET
    try:
        return socket.create_server(at, family=family, backlog=2048, dualstack_ipv6=six)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen at {settings.host}, port {settings.port}: {error.strerror};"
            " --host and --port say where (LANDYARD_HOST, LANDYARD_PORT)"
        ) from error


def _build(  # noqa: PLR0917 - the last two are the worker's
    console: Console,
    flags: dict[str, Any],
    left_out: Mapping[str, str],
    first: bool,
    demo: bool,
    scoreboard: Scoreboard,
    loading: Callable[[str], None],
) -> tuple[Kernel, uvicorn.Config]:
    """Make the kernel of a worker and its server; the `first` does not wait for a database."""
    for folder in () if first else site.getsitepackages():
        site.addsitedir(folder)  # plugins installed since, as editable ones
    try:
        settings = console.settings(**flags)  # again: with a reload, they may have changed
        kernel = Kernel(settings, left_out=left_out, loading=loading, scoreboard=scoreboard)
        try:
            kernel.prepare()
        except (DBAPIError, OverloadLimit) as error:
            if first:
                raise
            log.warning("database_unreachable", error=type(error).__name__)
        if demo:
            _show_demo(console, kernel)
    except (DBAPIError, OverloadLimit) as error:
        raise CannotStart(unusable(error)) from error
    except (click.ClickException, SettingsError, PluginError, SchemaError) as error:
        raise CannotStart(str(error)) from error
    from landyard.web import create_app
    from landyard.web.http_connection import BoundedConnection

    return kernel, uvicorn.Config(
        create_app(kernel),
        http=BoundedConnection,
        lifespan="on",  # a failed start ends the worker
        ws="none",
        access_log=False,  # it would write the secrets that webhooks carry in their paths
        log_config=None,
        server_header=False,
        proxy_headers=False,  # the application looks at them itself
        timeout_graceful_shutdown=settings.shutdown_grace,
        timeout_keep_alive=30,
        ssl_certfile=settings.tls_certificate or None,
        ssl_keyfile=settings.tls_key or None,
    )


def _show_demo(console: Console, kernel: Kernel) -> None:
    if kernel.resolution.demo is None:
        raise click.ClickException("no plugin brings a demo")
    kernel.resolution.demo.show(console, kernel)


def _try_enabled(settings: Settings, suspect: str, seconds: float) -> Mapping[str, str]:
    with closing(open_store(settings)) as store:
        known = known_switches(store)
    rules = plugin_settings(settings)
    on = [each for each in found() if wanted_state(each, settings, rules, known)[0] == "enabled"]
    return try_plugins(on, settings.plugins, suspect, seconds)
