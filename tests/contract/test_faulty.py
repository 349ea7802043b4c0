"""A plugin that is faulty from the start is `failed`, with its distribution and the reason.

Everything else serves.
"""

import os
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
from faulty.kit import Fault, install, names
from faulty.starting import KILLING, STARTING, TWINS
from kernel.processes import PATIENCE, command, environment, free_port, landyard, serving

from landyard import Kernel, PluginError, Settings

BY_THEMSELVES = [fault for fault in STARTING if not (fault.alone or fault.served or fault in TWINS)]
IN_SERVERS = [fault for fault in STARTING if fault.alone or fault.served]
SECONDS = 0.5  # for a plugin to get ready; ours are imported by then
OURS = {"blocks", "landing", "legacy", "pages", "uploads"}


def settings(folder: Path, **more: Any) -> Settings:
    sections = {"plugins": {"import_seconds": SECONDS}}
    return Settings(data=folder / "data", plugins=sections, **more)


@contextmanager
def started(folder: Path, **more: Any) -> Iterator[Kernel]:
    """A kernel with all that is installed."""
    kernel = Kernel(settings(folder, **more))
    try:
        kernel.prepare()
        yield kernel
    finally:
        kernel.close()


def told(fault: Fault, rows: Any) -> Any:
    """What a list of plugins says of the fault's own distribution."""
    return next((row for row in rows if row["distribution"] == fault.distribution), None)


def misnamed(fault: Fault, rows: Any) -> Any:
    """What a list says of a fault; nothing where it is what it must say."""
    row = told(fault, rows)
    expected = row is not None and row["state"] == fault.state and row["version"] == "1.0"
    return None if expected and re.search(fault.reason, row["reason"]) else {"told": row}


@pytest.fixture(params=BY_THEMSELVES, ids=lambda fault: fault.name)
def fault(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fault]:
    """A fault that is installed for as long as the test takes."""
    fault: Fault = request.param
    install(tmp_path, fault)
    monkeypatch.syspath_prepend(tmp_path)
    yield fault
    sys.modules.pop(fault.module, None)


def test_it_fails_by_itself(tmp_path: Path, fault: Fault) -> None:
    with started(tmp_path) as kernel:
        rows = [msgspec.to_builtins(state) for state in kernel.report]
        methods = {method.name for method in kernel.methods}

    assert misnamed(fault, rows) is None
    assert {row["name"] for row in rows if row["state"] == "enabled"} == OURS
    assert {"methods", "landing.block.getlist", "landing.landing.update"} <= methods


def test_a_strict_service_refuses_it_by_name(tmp_path: Path, fault: Fault) -> None:
    with (
        pytest.raises(PluginError, match=f"'{fault.plugin}'.*{fault.distribution}"),
        started(tmp_path, strict=True),
    ):
        pass


def test_a_migration_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = next(fault for fault in STARTING if fault.name == "halfway")
    install(tmp_path, fault)
    monkeypatch.syspath_prepend(tmp_path)

    with started(tmp_path) as kernel:
        tables = sa.inspect(kernel.store.engine).get_table_names()

    assert "landing_page" in tables
    assert [table for table in tables if table.startswith("faulty")] == []


def test_a_distribution_without_metadata_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, Fault("nameless", "", "", files={"/METADATA": "Metadata-Version: 2.1\n"}))
    monkeypatch.syspath_prepend(tmp_path)

    with started(tmp_path) as kernel:
        states = {state.name: state for state in kernel.report}

    assert states["faulty_nameless"].distribution == "unknown distribution"
    assert states["faulty_nameless"].version == ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service's folder, with the whole kit installed."""
    folder = tmp_path_factory.mktemp("faulty")
    install(folder / "installed", *STARTING)
    sections = f"[plugins]\nimport_seconds = {2 * SECONDS}\n"
    (folder / "landyard.toml").write_text(f'log_format = "json"\n{sections}')
    return folder


def installed(folder: Path) -> dict[str, str]:
    """The environment in which the kit is installed."""
    paths = [str(folder / "installed"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def plugins(folder: Path) -> list[Any]:
    """What `landyard plugins list` says."""
    listed = landyard(folder, "plugins", "list", "--json", given=b"", **installed(folder))
    assert listed.status == 0, listed.err
    rows: list[Any] = msgspec.json.decode(listed.out)
    return rows


def test_the_list_imports_none(folder: Path) -> None:
    rows = plugins(folder)

    assert names(STARTING) <= {row["name"] for row in rows}


def test_a_service_starts_with_all_of_them(folder: Path) -> None:
    with serving(folder, "--demo", "--workers", "2", **installed(folder)) as server:
        answers = {server.ask("POST", f"{server.webhook}methods", {})[0] for _ in range(20)}
        seen = server.ask("GET", "/demo/")[0]
        rows = plugins(folder)
    wrong = {fault.name: misnamed(fault, rows) for fault in STARTING}

    assert (answers, seen) == ({200}, 200)
    assert {name: row for name, row in wrong.items() if row} == {}
    assert {row["name"] for row in rows if row["state"] == "enabled"} == {*OURS, "faulty_twin"}


def test_a_strict_service_does_not_start(folder: Path) -> None:
    words = ("serve", "--strict", "--port", str(free_port()))
    refused = landyard(folder, *words, given=b"", **installed(folder))

    assert refused.status == 1
    assert "faulty-syntax 1.0" in refused.err
    assert "Traceback" not in refused.err


def test_a_safe_service_is_the_kernel_alone(folder: Path) -> None:
    with serving(folder, "--safe", **installed(folder)) as server:
        ready = server.ask("GET", "/readyz")[0]
        page = server.ask("GET", "/demo/")[0]
        described = msgspec.json.decode(server.ask("GET", "/openrpc.json")[2])

    assert (ready, page) == (200, 404)
    assert described["methods"] == []


@pytest.mark.parametrize("fault", KILLING, ids=lambda fault: fault.name)
def test_one_that_kills_who_imports_it_takes_no_worker_along(tmp_path: Path, fault: Fault) -> None:
    install(tmp_path / "installed", fault)

    with serving(tmp_path, "--demo", **installed(tmp_path)) as server:
        answered = server.ask("POST", f"{server.webhook}methods", {})[0]
        rows = plugins(tmp_path)
        died = server.err.count('"worker_died"')
    listed = landyard(tmp_path, "methods", given=b"", **installed(tmp_path))

    assert died == 0  # it was rehearsed
    assert answered == 200
    assert listed.status == 0
    assert misnamed(fault, rows) is None


SLOW_BUT_SOUND = Fault(
    "sound",
    "import time\nfrom pathlib import Path\nPath(__file__).with_name('begun').touch()\n"
    "time.sleep(1)\n",
    "",
    "enabled",
)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_while_it_is_imported_is_not_its_fault(tmp_path: Path, sent: int) -> None:
    install(tmp_path / "installed", SLOW_BUT_SOUND)
    begun = tmp_path / "installed" / "begun"
    env = environment(tmp_path, **installed(tmp_path))
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

    with serving(tmp_path, "--demo", **installed(tmp_path)):
        rows = plugins(tmp_path)

    assert misnamed(SLOW_BUT_SOUND, rows) is None
