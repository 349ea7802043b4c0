"""The cookbook: every recipe runs as printed, and passes the linter."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clean import make_environment

COOKBOOK = (Path(__file__).parents[2] / "docs" / "cookbook.md").read_text()
FLAGS = re.DOTALL | re.MULTILINE
RECIPES = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", COOKBOOK, FLAGS))
FILE = re.compile(r"^```python\n# ([\w/]+\.py)\n(.*?)^```$", FLAGS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path; modules imported from it are forgotten afterwards."""
    before = {*sys.modules}
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == tmp_path:
            del sys.modules[name]


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs(title: str, folder: Path) -> None:
    ran = 0
    for name, code in FILE.findall(RECIPES[title]):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code)
    for path in sorted(folder.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for each in [each for name, each in vars(module).items() if name.startswith("test_")]:
            each()
            ran += 1

    assert ran > 0


@pytest.mark.lint
def test_a_recipe_is_installed_as_its_introduction_says(tmp_path: Path) -> None:
    environment = make_environment(tmp_path)
    title, recipe = next(iter(RECIPES.items()))
    written = re.search(
        r"^```toml\n# (pyproject\.toml)\n(.*?)^```$", COOKBOOK, re.DOTALL | re.MULTILINE
    )
    assert written is not None
    (environment.work / written[1]).write_text(written[2])
    for name, code in FILE.findall(recipe):
        (environment.work / name).write_text(code)

    environment.run("python", "-m", "pytest", "-q")
    environment.run("pip", "install", "--quiet", ".")
    for name, _ in FILE.findall(recipe):
        (environment.work / name).unlink()

    assert title == "A word of the command line"
    assert "Kiel" in environment.run("landyard", "port", "list")
    assert "passes" in environment.run("landyard", "plugins", "check", "ports")


@pytest.mark.lint
def test_recipes_pass_the_linter(tmp_path: Path) -> None:
    for name, code in FILE.findall(COOKBOOK):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code)

    words = [
        str(Path(sys.executable).with_name("ruff")),
        "check",
        "--select",
        "E,F,B,UP",
        "--line-length",
        "110",
    ]
    ran = subprocess.run([*words, "."], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stdout
