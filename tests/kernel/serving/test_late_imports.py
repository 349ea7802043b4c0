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
ORM = {"sqlalchemy.orm", "sqlmodel"}
"""Modules that only plugins with SQLModel classes or sessions import."""

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
WORKING = """
import asyncio
import json
import sys

import landyard
from landyard.core.timing import NO_DEADLINE
from landyard.web import create_app
from landyard.web.wire import Incoming, answer, split

TOKEN = "a-token-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": ["admin", "landing", "user"]}],
}
NODES = {"lid": 10, "block": 101, "data": {".landing-block-node-title": "Hello"}}
BATCH = {"cmd": {"one": "landing.block.getlist?lid=10", "two": "landyard.user.add?name=Eve"}}

kernel = landyard.Kernel(landyard.load_settings())
kernel.prepare()
kernel.load(kernel.resolution.demo.world)
kernel.load(json.dumps(WORLD).encode())
app = create_app(kernel)


def call(method, params, status=200, token=TOKEN):
    body = json.dumps({**params, "auth": token}).encode()
    incoming = Incoming("POST", f"/{method}.json", body=body, content_type="application/json")
    path = split(incoming.path)
    bounds, options = kernel.usual_bounds, kernel.registry.options
    told = answer(kernel.dispatch, incoming, path, bounds, NO_DEADLINE, options=options)
    assert told.status == status, told
    return told.body.decode()


async def page(path):
    told = []

    async def send(message):
        told.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
    scope |= {"query_string": b"", "headers": [], "client": None, "root_path": ""}
    await app(scope, receive, send)
    assert told[0]["status"] == 200, told


call("methods", {}, 401, "another-token-0123456789")
call("landing.block.getlist", {"lid": 10})
call("landing.block.updatenodes", NODES)
call("landing.block.updatenodes", {**NODES, "dry_run": True})
assert "error" not in json.loads(call("batch", BATCH))["result"]["result_error"]
call("landing.landing.publication", {"lid": 10})
issued = json.loads(call("landyard.webhook.add", {"user_id": 1}))["result"]
call("landyard.webhook.update", {"id": issued["id"], "title": "a"})
call("landyard.webhook.rotate", {"id": issued["id"]})
call("landyard.user.update", {"id": 2, "name": "Eva"})
asyncio.run(page("/demo/"))
kernel.write_records()
for plugin, job in kernel.resolution.jobs.values():
    job.work(kernel)
kernel.close()
print(*sys.modules)
"""


def run(folder: Path, *words: str, script: str = ANSWERING) -> list[str]:
    # A fresh process, because a forked one has all imports already.
    clean = {name: value for name, value in os.environ.items() if name != "LANDYARD_CONFIG"}
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=folder,
        env={**clean, "LANDYARD_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_first_answer_needs_no_more_imports(tmp_path: Path) -> None:
    run(tmp_path, "make the tables")

    assert not {*LATER, *ORM} & {*run(tmp_path)}


def test_calls_pages_and_jobs_of_built_in_plugins_import_no_orm(tmp_path: Path) -> None:
    assert not ORM & {*run(tmp_path, script=WORKING)}
