"""Documentation: the code in it runs, and the reference holds everything there is."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from landyard import Kernel, Settings, hookspecs

ROOT = Path(__file__).parents[2]
DOCS = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")])
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"# ([\w./]+)\n")
REFERENCE = (ROOT / "docs" / "reference.md").read_text()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    kernel = Kernel(Settings(data=tmp_path_factory.mktemp("docs")))
    yield kernel
    kernel.close()


def test_the_tutorial_runs(tmp_path: Path) -> None:
    for language, code in FENCED.findall((ROOT / "docs" / "tutorial.md").read_text()):
        if language in ("python", "toml"):
            named = NAMED.match(code)
            assert named, code
            (tmp_path / named[1]).write_text(code)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_the_configuration_example_is_read(tmp_path: Path) -> None:
    examples = FENCED.findall((ROOT / "docs" / "operate.md").read_text())
    (tmp_path / "landyard.toml").write_text(next(code for kind, code in examples if kind == "toml"))

    done = subprocess.run(
        [sys.executable, "-m", "landyard.cli", "settings", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"LANDYARD_DATA": str(tmp_path), "LANDYARD_DATABASE_URL": "sqlite:///x.db"},
    )

    assert done.returncode == 0, done.stderr
    assert "https://pages.example.org" in done.stdout


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())

    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_method_is_in_the_reference(kernel: Kernel) -> None:
    assert [
        method.name for method in kernel.methods if f"### `{method.name}`" not in REFERENCE
    ] == []


def test_every_hook_is_in_the_reference() -> None:
    hooks = [name for name, spec in vars(hookspecs).items() if hasattr(spec, "landyard_spec")]

    assert len(hooks) >= 10
    assert [hook for hook in hooks if f"| `{hook}` |" not in REFERENCE] == []


def test_every_error_is_in_the_reference(kernel: Kernel) -> None:
    codes = {error.code for method in kernel.methods for error in method.errors}

    assert len(codes) >= 8
    assert [code for code in codes if f"| `{code}` |" not in REFERENCE] == []
