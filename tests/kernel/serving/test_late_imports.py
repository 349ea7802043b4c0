"""Imports that a service avoids until it needs them, to start sooner and to take less memory."""

import os
import subprocess
import sys
from pathlib import Path

LATER = (
    *("PIL", "alembic", "dns", "mako", "nh3", "opentelemetry.sdk", "packaging.requirements"),
    *("psycopg", "pytest", "re2", "sqlalchemy.dialects.postgresql", "turbohtml", "urllib3"),
)
"""Modules that a command, a job, a page with a rule, an edit or an upload imports; add new ones."""
ANSWERING = """
import sys

import landyard
from landyard.cli import main
from landyard.cli.serving import preload
from landyard.core.timing import NO_DEADLINE
from landyard.web import create_app
from landyard.web.wire import Incoming, answer, split

preload()
kernel = landyard.Kernel(landyard.load_settings())
kernel.prepare()
if sys.argv[1:]:
    sys.exit(kernel.close())
create_app(kernel)
incoming = Incoming("POST", "/1/some-code-0123456789/methods.json", body=b"{}")
path, bounds = split(incoming.path), kernel.usual_bounds
told = answer(kernel.dispatch, incoming, path, bounds, NO_DEADLINE, options={})
assert told.status == 401, told
kernel.close()
print(*sys.modules)
"""


def run(folder: Path, *words: str) -> list[str]:
    # A fresh process, because a forked one has all imports already.
    clean = {name: value for name, value in os.environ.items() if name != "LANDYARD_CONFIG"}
    done = subprocess.run(
        [sys.executable, "-c", ANSWERING, *words],
        cwd=folder,
        env={**clean, "LANDYARD_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_first_answer_needs_no_more_imports(tmp_path: Path) -> None:
    run(tmp_path, "make the tables")

    assert not {*LATER} & {*run(tmp_path)}
