"""Plugins that are faulty from the start: each is `failed` with a reason, and the rest serves."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from contract.containment.scene import paths
from faulty.kit import Fault, install, names
from faulty.starting import STARTING
from kernel.processes import PATIENCE, command, environment, free_port, landyard, serving
from kernel.supervised import until

from landyard import Kernel, PluginError, Settings

# only a server asks these plugins for their parts
ROUTES = {"async_route", "no_routes", "raising_routes"}
BY_THEMSELVES = [fault for fault in STARTING if fault.name not in ROUTES and not fault.entry]
OURS = {
    "accounts",
    "admin",
    "audit",
    "authoring",
    "backup",
    "batch",
    "blocks",
    "catalogue",
    "console",
    "content",
    "demos",
    "describe",
    "events",
    "feed",
    "forms",
    "general",
    "landing",
    "limits",
    "outgoing",
    "pages",
    "pictures",
    "public",
    "redirects",
    "repository",
    "roles",
    "safe_writes",
    "sharing",
    "signin",
    "sitekit",
    "sites",
    "undo",
}
DEMO = {"apps", "oauth"}  # the demo switches these plugins on


@contextmanager
def started(folder: Path, **more: Any) -> Iterator[Kernel]:
    """A kernel with everything that is installed."""
    kernel = Kernel(Settings(data=folder / "data", **more))
    try:
        kernel.prepare()
        yield kernel
    finally:
        kernel.close()


def misnamed(fault: Fault, rows: Any) -> Any:
    """The plugin's row if it differs from the expected one, else None."""
    row = next((row for row in rows if row["distribution"] == fault.distribution), {"state": ""})
    expected = row["state"] == fault.state and row["version"] == "1.0"
    return None if expected and re.search(fault.reason, row["reason"]) else {"told": row}


@pytest.fixture(params=BY_THEMSELVES, ids=lambda fault: fault.name)
def fault(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fault]:
    """A faulty plugin, installed for the length of the test."""
    fault: Fault = request.param
    install(tmp_path, fault)
    monkeypatch.syspath_prepend(tmp_path)
    yield fault
    sys.modules.pop(fault.module, None)


def test_a_faulty_plugin_fails_alone(tmp_path: Path, fault: Fault) -> None:
    with started(tmp_path) as kernel:
        rows = [msgspec.to_builtins(state) for state in kernel.resolution.states]
        methods = {method.name for method in kernel.methods}
        tables = sa.inspect(kernel.store.engine).get_table_names()

    assert misnamed(fault, rows) is None
    assert {row["name"] for row in rows if row["state"] == "enabled"} == OURS
    assert {"methods", "landing.block.getlist", "landing.landing.update"} <= methods
    assert "landing_page" in tables
    assert [table for table in tables if table.startswith("faulty")] == []


def test_a_strict_kernel_refuses_the_faulty_plugin_by_name(tmp_path: Path, fault: Fault) -> None:
    with (
        pytest.raises(PluginError, match=f"'{fault.plugin}'.*{fault.distribution}"),
        started(tmp_path, strict=True),
    ):
        pass


def test_a_distribution_without_metadata_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, Fault("nameless", "", "", files={"/METADATA": "Metadata-Version: 2.1\n"}))
    monkeypatch.syspath_prepend(tmp_path)

    with started(tmp_path) as kernel:
        states = {state.name: state for state in kernel.resolution.states}

    assert states["faulty_nameless"].distribution == "unknown distribution"
    assert states["faulty_nameless"].version == ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service's folder with the whole kit installed."""
    folder = tmp_path_factory.mktemp("faulty")
    install(folder / "installed", *STARTING)
    return folder


def plugins(folder: Path) -> list[Any]:
    """The output of `landyard plugins list`, a command that imports no plugin."""
    listed = landyard(folder, "plugins", "list", "--json", given=b"", **paths(folder))
    assert listed.status == 0, listed.err
    rows: list[Any] = msgspec.json.decode(listed.out)
    return rows


def named(folder: Path) -> bool:
    """Tell whether each failed plugin is listed with its reason."""
    rows = plugins(folder)
    return not any(misnamed(fault, rows) for fault in STARTING)


def test_a_service_starts_with_all_faulty_plugins_installed(folder: Path) -> None:
    assert names(STARTING) <= {row["name"] for row in plugins(folder)}
    with serving(folder, "--demo", "--workers", "2", **paths(folder)) as server:
        answers = {server.ask("POST", f"{server.webhook}methods", {})[0] for _ in range(20)}
        seen = server.ask("GET", "/demo/")[0]
        until(lambda: named(folder))
        rows = plugins(folder)

    assert (answers, seen) == ({200}, 200)
    assert {row["name"] for row in rows if row["state"] == "enabled"} == {
        *OURS,
        *DEMO,
        "faulty_twin",
    }


def test_a_strict_service_does_not_start_with_faulty_plugins(folder: Path) -> None:
    words = ("serve", "--strict", "--port", str(free_port()))
    refused = landyard(folder, *words, given=b"", **paths(folder))

    assert refused.status == 1
    assert "faulty-" in refused.err
    assert "Traceback" not in refused.err


def test_a_safe_service_runs_the_kernel_alone(folder: Path) -> None:
    with serving(folder, "--safe", **paths(folder)) as server:
        ready = server.ask("GET", "/readyz")[0]
        page = server.ask("GET", "/demo/")[0]
        described = server.ask("GET", "/openrpc.json")[0]

    assert (ready, page, described) == (200, 404, 404)


SLOW_BUT_SOUND = Fault(
    "sound",
    "import time\nfrom pathlib import Path\nPath(__file__).with_name('begun').touch()\n"
    "time.sleep(0.3)\n",
    "",
    "enabled",
)


@pytest.mark.parametrize(
    "sent", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)]
)
def test_a_stop_during_a_plugins_import_does_not_count_as_its_failure(
    tmp_path: Path, sent: int
) -> None:
    install(tmp_path / "installed", SLOW_BUT_SOUND)
    begun = tmp_path / "installed" / "begun"
    env = environment(tmp_path, **paths(tmp_path))
    words = [*command(), "serve", "--port", str(free_port())]
    with subprocess.Popen(words, cwd=tmp_path, env=env) as first:
        try:
            until = time.monotonic() + PATIENCE
            while not begun.exists() and first.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            first.send_signal(sent)
            first.wait(PATIENCE / 2)
        finally:
            first.kill()

    with serving(tmp_path, "--demo", **paths(tmp_path)):
        rows = plugins(tmp_path)

    assert misnamed(SLOW_BUT_SOUND, rows) is None
