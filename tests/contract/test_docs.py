"""The documentation: its code runs, and the reference lists everything."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from clean import PATIENCE, make_environment
from generate import DESCRIBED
from kernel.processes import free_port
from python_reference import MODULES as PYTHON_MODULES
from python_reference import public_names

from landyard import Job, Kernel, Settings, load_settings
from landyard import hooks as hookspecs
from landyard.plugin_host.discovery import HOST, found

ROOT = Path(__file__).parents[2]
DOCS = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")])
FLAGS = re.DOTALL | re.MULTILINE
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", FLAGS)
NAMED = re.compile(r"# ([\w./]+)\n")
OPERATE = (ROOT / "docs" / "operate.md").read_text()
REFERENCE = (ROOT / "docs" / "reference.md").read_text()
PYTHON_REFERENCE = (ROOT / "docs" / "python.md").read_text()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    kernel = Kernel(Settings(data=tmp_path_factory.mktemp("docs")))
    yield kernel
    kernel.close()


@pytest.mark.lint
def test_the_tutorial_runs(tmp_path: Path) -> None:
    """Every command and file, in order, run beside the installed wheel while the server runs."""
    environment = make_environment(tmp_path)
    port = str(free_port())
    script = "\n".join(["set -eo pipefail", *tutorial_steps()])

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=environment.work,
        env=environment.variables(LANDYARD_PORT=port),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    places = [done.stdout.index(f'"result":"{said}"') for said in TOLD]
    assert places == sorted(places)
    assert re.findall(r"(\d+) passed", done.stdout) == ["1", "4", "5"]
    assert "greeting (landyard-greeting 0.1.0) passes" in done.stdout
    assert list(environment.work.glob("landyard-greeting/dist/*.whl"))


TOLD = ("HELLO, ANN!", "Welcome back, Ann!")
SERVING = """landyard serve 2>serve.log &
trap "kill $!; wait $! || true" EXIT
curl --silent --show-error --retry 60 --retry-connrefused --retry-delay 1 --output /dev/null \\
    "http://127.0.0.1:$LANDYARD_PORT/healthz"
"""


def tutorial_steps() -> Iterator[str]:
    """The tutorial as a script: it runs the commands and writes the files as printed."""
    for language, code in FENCED.findall((ROOT / "docs" / "tutorial.md").read_text()):
        assert language in {"sh", "python"}, language
        if code == "landyard serve\n":
            yield SERVING
        elif language == "sh":
            yield code
        else:
            named = NAMED.match(code)
            assert named, code
            yield f"cat >{named[1]} <<'END OF FILE'\n{code[named.end() :]}END OF FILE"


def test_the_configuration_example_is_read(tmp_path: Path) -> None:
    examples = FENCED.findall(OPERATE)
    (tmp_path / "landyard.toml").write_text(next(code for kind, code in examples if kind == "toml"))

    done = subprocess.run(
        [Path(sys.executable).with_name("landyard"), "settings", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"LANDYARD_DATA": str(tmp_path), "LANDYARD_DATABASE_URL": "sqlite:///x.db"},
    )

    assert done.returncode == 0, done.stderr
    assert "https://pages.example.org" in done.stdout


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_links_resolve(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())

    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_method_is_in_the_reference(kernel: Kernel) -> None:
    assert [
        method.name for method in kernel.methods if f"### `{method.name}`" not in REFERENCE
    ] == []


@pytest.mark.parametrize("module", PYTHON_MODULES)
def test_every_public_name_is_in_the_python_reference_with_a_text(module: str) -> None:
    _, _, section = PYTHON_REFERENCE.partition(f"\n## `{module}`\n")
    parts = dict(
        re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", f"{section}\n##", re.DOTALL | re.MULTILINE)
    )
    names = set(public_names(importlib.import_module(module)))

    assert names
    assert names - parts.keys() == set()
    texts = {name: re.sub(r"```.*?```", "", parts[name], flags=re.DOTALL) for name in names}
    assert [name for name in names if not texts[name].strip()] == []


def test_every_hook_is_in_the_reference() -> None:
    hooks = [name for name, spec in vars(hookspecs).items() if hasattr(spec, "landyard_spec")]

    assert len(hooks) >= 10
    assert [hook for hook in hooks if f"| `{hook}` |" not in REFERENCE] == []


def test_every_job_is_in_the_table_of_jobs() -> None:
    rows = re.findall(r"^\| `([a-z.]+)` \| ([a-z0-9 ]+) \|", OPERATE, re.MULTILINE)
    modules = [importlib.import_module(each.value) for each in found() if each.distribution == HOST]
    hooks = [module.register_jobs for module in modules if hasattr(module, "register_jobs")]
    jobs: list[Job] = [job for hook in hooks for job in hook()]

    assert len(jobs) > 10
    assert sorted((name, OFTEN[often]) for name, often in rows if often in OFTEN) == sorted(
        (job.name, job.every) for job in jobs
    )


OFTEN = {
    "every 10 seconds": timedelta(seconds=10),
    "every 10 minutes": timedelta(minutes=10),
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
}


def test_the_hour_of_reading_covers_every_module_of_the_core() -> None:
    table = (ROOT / "docs" / "code.md").read_text().partition("\n## An hour\n")[2]
    rows = re.findall(r"^\| \d \| (.+?) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row)]
    kernel = ROOT / "kernel" / "landyard"

    core = {path.name for path in kernel.glob("core/*.py")} - {"__init__.py"}
    assert core - set(named) == set()
    assert [name for name in set(named) - core if not (kernel / name).exists()] == []


def test_every_error_is_in_the_reference(kernel: Kernel) -> None:
    codes = {error.code for method in kernel.methods for error in method.errors}

    assert len(codes) >= 8
    assert [code for code in codes if f"| `{code}` |" not in REFERENCE] == []


def test_every_setting_of_the_kernel_is_described() -> None:
    assert set(DESCRIBED) == set(Settings.__struct_fields__)


def test_every_section_of_settings_has_a_heading_and_a_text(kernel: Kernel) -> None:
    found = re.findall(r"^### `\[(\w+)\]`\n\n(.+?)\n\n\| setting", REFERENCE, FLAGS)

    assert {name for name, _ in found} >= kernel.resolution.sections.keys()
    assert [name for name, text in found if "The section" in text or text.startswith("#")] == []


def test_settings_are_read_from_the_environment_as_the_reference_prints_them(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # in an environment without a service's data
    written = dict(
        re.findall(r"^\| `[\w.]+` \| `(LANDYARD_\w+)` \| `(.*?)` \|", REFERENCE, re.MULTILINE)
    )
    read = Kernel(load_settings(written, file=tmp_path / "none"))
    read.close()

    assert len(written) > 30
    assert read.settings == Settings(plugins=read.settings.plugins)
    assert read.resolution.sections == kernel.resolution.sections
