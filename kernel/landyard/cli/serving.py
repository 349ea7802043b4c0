"""The word `serve`: uvicorn, with one worker process per core."""

import os
import shlex
import shutil
import socket
import sys
from typing import Any

import click
import msgspec
import structlog

from landyard.app import Kernel
from landyard.cli.accounts import make_webhook
from landyard.console import Console
from landyard.cores import claim_core
from landyard.credentials import Webhook
from landyard.hookspecs import Demo
from landyard.logs import configure
from landyard.settings import PREFIX, Settings, load_settings

log = structlog.get_logger()

DEMO_TITLE = "landyard serve --demo"


@click.command()
@click.option("--host", help="The address to listen on; by default 127.0.0.1.")
@click.option("--port", type=click.IntRange(1, 65535), help="By default 8000.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; by default 1.")
@click.option("--demo", is_flag=True, help="Load the demo site once and print how to edit it.")
@click.pass_obj
def serve(
    console: Console, host: str | None, port: int | None, workers: int | None, demo: bool
) -> None:
    """Answer calls and serve pages until interrupted."""
    flags: dict[str, Any] = {"host": host, "port": port, "workers": workers}
    with console.kernel(**flags) as kernel:
        settings = kernel.settings
        _need_free_port(settings)
        if demo:
            _show_demo(console, kernel)
    if settings.workers == 1:
        _run(_worker_app(settings), settings)
        return
    # Worker processes start afresh and find the flags where every process finds its settings.
    given = {name: value for name, value in flags.items() if value is not None}
    os.environ.update({f"{PREFIX}{name.upper()}": str(value) for name, value in given.items()})
    _run("landyard.cli.serving:worker", settings)


def worker() -> Any:
    """Build the application of one worker process."""
    return _worker_app(load_settings())


def _worker_app(settings: Settings) -> Any:
    """Build the application, and keep this process to a core of its own."""
    from landyard.web import web_app  # the web is for servers

    configure(settings.log_level, settings.log_format)
    core = claim_core()
    log.info("worker_started", pid=os.getpid(), core=core)
    return web_app(Kernel(settings))


def _run(app: Any, settings: Settings) -> None:
    import uvicorn  # slow to import, and only needed here

    from landyard.connection import BoundedConnection

    log.info("service_started", address=settings.base, workers=settings.workers)
    uvicorn.run(
        app,
        factory=isinstance(app, str),
        host=settings.host,
        port=settings.port,
        workers=settings.workers if settings.workers > 1 else None,
        http=BoundedConnection,
        ws="none",
        access_log=False,  # it would write the secrets that webhooks carry in their paths
        log_config=None,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=settings.shutdown_grace,
        timeout_keep_alive=30,
    )


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
