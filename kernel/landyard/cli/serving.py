"""The word `serve`: uvicorn, with one worker process per core."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any

import click
import msgspec
import structlog
from sqlalchemy.exc import DBAPIError

from landyard.app import Kernel
from landyard.cli.accounts import make_webhook
from landyard.console import Console, watched_kernel
from landyard.cores import claim_core
from landyard.credentials import Webhook
from landyard.hookspecs import Demo
from landyard.logs import configure
from landyard.overview import new_plugins
from landyard.plugins import PluginError
from landyard.schema import SchemaError
from landyard.settings import PREFIX, Settings, SettingsError, load_settings
from landyard.watch import Watch

log = structlog.get_logger()

DEMO_TITLE = "landyard serve --demo"
MOST_REHEARSALS = 16
REHEARSED_BADLY = 77
_REFUSED = signal.SIGURG  # one of the few that uvicorn does not take for itself


@click.command()
@click.option("--host", help="The address to listen on; by default 127.0.0.1.")
@click.option("--port", type=click.IntRange(1, 65535), help="By default 8000.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; by default 1.")
@click.option("--demo", is_flag=True, help="Load the demo site once and print how to edit it.")
@click.option("--strict", is_flag=True, help="Refuse to start with a plugin that fails.")
@click.option("--safe", is_flag=True, help="Start without any plugin.")
@click.pass_obj
def serve(  # noqa: PLR0917 - click gives each option its parameter
    console: Console,
    host: str | None,
    port: int | None,
    workers: int | None,
    demo: bool,
    strict: bool,
    safe: bool,
) -> None:
    """Answer calls and serve pages until interrupted.

    A plugin that cannot be used is left out, and named in the log and by `landyard plugins list`.
    """
    flags: dict[str, Any] = {"host": host, "port": port, "workers": workers}
    flags |= {name: True for name, given in (("strict", strict), ("safe", safe)) if given}
    settings = console.settings(**flags)
    _need_free_port(settings)
    with console.store(settings, prepare=True) as store:
        if new_plugins(settings, store):
            _rehearse(settings)
    if demo or (strict and settings.workers > 1):
        with console.kernel(**flags) as kernel:
            if demo:
                _show_demo(console, kernel)
    if settings.workers == 1:
        _run(_worker_app(settings), settings)
        return
    # This process starts workers again that die: it does without whatever could take it along.
    refused = _stop_when_refused()
    # Worker processes start afresh and find the flags where every process finds its settings.
    given = {name: value for name, value in flags.items() if value is not None}
    os.environ.update({f"{PREFIX}{name.upper()}": str(value) for name, value in given.items()})
    _run("landyard.cli.serving:worker", settings)
    if refused:
        sys.exit(1)


def _rehearse(settings: Settings) -> None:
    """Let a process of its own import plugins that no server has had on yet.

    One that kills who imports it kills that process, is left out by the next, and by this one.
    """
    environment = {**os.environ, f"{PREFIX}DATA": str(settings.data.absolute())}
    program = [sys.executable, "-c", "from landyard.cli.serving import rehearse; rehearse()"]
    for _ in range(MOST_REHEARSALS):
        with subprocess.Popen(  # noqa: S603 - ourselves
            program,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # the service says it all once more
            # Who stops the service meanwhile has not killed an import: it goes on to its end.
            start_new_session=True,
        ) as run:
            status = run.wait()
        if status in {0, REHEARSED_BADLY}:
            return


def rehearse() -> None:
    """Import what is on and note how it fared; what else is wrong is told by the service itself."""
    settings = load_settings()
    configure("error", settings.log_format)
    try:
        kernel = watched_kernel(settings)
        try:
            kernel.prepare()
            kernel.assembly.write_report()
        finally:
            kernel.close()
    except Exception:  # noqa: BLE001 - see above
        sys.exit(REHEARSED_BADLY)


def worker() -> Any:
    """Build the application of one worker process; where none can be built, stop the service."""
    try:
        return _worker_app(load_settings(), patient=True)
    except (SettingsError, PluginError, SchemaError) as error:
        click.echo(f"Error: {error}", err=True)
        os.kill(os.getppid(), _REFUSED)
        sys.exit(1)


def _stop_when_refused() -> list[int]:
    """Stop this service on the word of a worker; answer where that is noted."""
    refused: list[int] = []

    def stop(number: int, _frame: object) -> None:
        refused.append(number)
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(_REFUSED, stop)
    return refused


def _worker_app(settings: Settings, *, patient: bool = False) -> Any:
    """Build the application, and keep this process to a core of its own.

    A `patient` one waits for a database that is away, with nothing on but the kernel.
    """
    from landyard.web import web_app  # the web is for servers

    configure(settings.log_level, settings.log_format)
    core = claim_core()
    log.info("worker_started", pid=os.getpid(), core=core)
    # Until the server takes over: a process that is told to stop has not been killed.
    before = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    watch = Watch(settings)
    try:
        kernel = Kernel(settings, watch=watch)
        try:
            kernel.prepare()
            kernel.write_records()  # who killed a worker before this one is blamed before it serves
            kernel.refresh()
        except DBAPIError as error:
            if not patient:
                raise
            log.warning("database_unreachable", error=type(error).__name__)
        return web_app(kernel)
    except BaseException:
        watch.close()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(app: Any, settings: Settings) -> None:
    import uvicorn  # slow to import, and only needed here
    from uvicorn.config import STARTUP_FAILURE

    from landyard.cli.supervising import Supervisor
    from landyard.connection import BoundedConnection

    log.info("service_started", address=settings.base, workers=settings.workers)
    config = uvicorn.Config(
        app,
        factory=isinstance(app, str),
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=BoundedConnection,
        ws="none",
        access_log=False,  # it would write the secrets that webhooks carry in their paths
        log_config=None,
        server_header=False,
        proxy_headers=False,  # the application looks at them itself
        timeout_graceful_shutdown=settings.shutdown_grace,
        timeout_keep_alive=30,
    )
    if settings.workers > 1:
        Supervisor(config, sockets=[config.bind_socket()]).run()
        return
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):  # it has stopped by then
        server.run()
    if not server.started:
        sys.exit(STARTUP_FAILURE)


def _need_free_port(settings: Settings) -> None:
    """Say it before anything is changed for a service that cannot start."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise click.ClickException(
                f"cannot listen on {settings.host}:{settings.port}: {error.strerror};"
                " choose another with --port or LANDYARD_PORT"
            ) from error


def _show_demo(console: Console, kernel: Kernel) -> None:
    """Load the demo once, renew its webhook, and print how to use it."""
    demo = kernel.demo()
    if demo is None:
        raise click.ClickException("no plugin brings a demo")
    _load_once(kernel, demo)
    code = make_webhook(kernel, demo.user, demo.scopes, DEMO_TITLE)
    base = kernel.settings.base
    hook = f"{base}/rest/{demo.user}/{code}/"
    data = msgspec.json.encode(demo.params).decode()
    program = "landyard" if shutil.which("landyard") else os.path.relpath(sys.argv[0])
    if program.endswith("__main__.py"):
        program = f"{os.path.relpath(sys.executable)} -m landyard.cli"
    console.say(
        f"\n  Page     {base}{demo.page}\n"
        f"  Webhook  {hook}\n\n"
        f"  Edit the page's draft:\n\n"
        f"    curl -s {hook}{demo.method}.json \\\n"
        f"      -H 'Content-Type: application/json' \\\n"
        f"      -d {shlex.quote(data)}\n\n"
        f"  Show the change to visitors, then reload the page:\n\n"
        f"    {program} {demo.then}\n"
    )
    sys.stdout.flush()


def _load_once(kernel: Kernel, demo: Demo) -> None:
    """Revoke the last demo's webhook, and load the demo world into an empty service.

    Into an empty one only: it must not overwrite anybody's rows.
    """
    with kernel.store.session(writes=True) as session:
        hooks: Any = Webhook.__table__  # type: ignore[attr-defined]
        old = hooks.c.title == DEMO_TITLE
        loaded = session.execute(hooks.select().where(old)).first() is not None
        session.execute(hooks.update().where(old).values(active=False))
    if loaded:
        return
    if kernel.inhabited():
        raise click.ClickException(
            "this service is in use; --demo wants a data directory of its own (LANDYARD_DATA)"
        )
    kernel.load(demo.world)
