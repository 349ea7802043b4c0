"""The scaffold, the example and the tutorial, which authors copy, are strictly typed and
lint-clean.
"""

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clean import PATIENCE, ROOT, copied
from tables import for_each

from landyard_authoring.new_package import PIECES, write_package
from landyard_authoring.trial import examine

pytestmark = pytest.mark.lint

FENCED = re.compile(r"^```python\n# ([\w./]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A plugin without pieces, with each piece, and with all of them, by name.
PLUGINS = {"bare": (), **{f"with_{each}": (each,) for each in PIECES}, "whole": tuple(PIECES)}


def run(folder: Path, *words: str, **more: str) -> None:
    without_ours = {k: v for k, v in os.environ.items() if k not in {"MYPYPATH", "PYTHONPATH"}}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env={**without_ours, "RUFF_NO_CACHE": "true", **more},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def whole(folder: Path) -> Path:
    return write_package("abcdefghij_klmnopqrs", folder, (), PIECES)


def job(folder: Path) -> Path:
    return write_package("a", folder, (), ["job", "setting"])


def example(folder: Path) -> Path:
    return copied(ROOT / "contrib" / "landyard_example", folder / "example")


def tutorial(folder: Path) -> Path:
    package = write_package("greeting", folder, ())
    for path, code in FENCED.findall((ROOT / "docs" / "tutorial.md").read_text()):
        (package / path).parent.mkdir(exist_ok=True)
        (package / path).write_text(code)
    return package


@for_each("make", [whole, job, example, tutorial], ids=lambda make: make.__name__)
def test_the_code_is_typed_and_lint_clean(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """One run of mypy covers all of them, because analysing the libraries takes most of its
    time.
    """
    package = make(tmp_path)

    run(package, "ruff", "format", "--diff", ".")
    run(package, "ruff", "check", ".")
    run(package, "mypy", MYPY_CACHE_DIR=str(tmp_path / "mypy"))


@pytest.mark.parametrize("name", ["a", "abcdefghij_klmnopqrs"])
def test_every_choice_of_pieces_is_typed_and_lint_clean(name: str, tmp_path: Path) -> None:
    for chosen in itertools.product((False, True), repeat=len(PIECES)):
        folder = tmp_path / "".join(str(int(each)) for each in chosen)
        write_package(name, folder, (), list(itertools.compress(PIECES, chosen)))

    run(tmp_path, "ruff", "format", "--diff", ".")
    run(tmp_path, "ruff", "check", ".")


def test_new_plugins_pass_their_own_tests(tmp_path: Path) -> None:
    folders = [write_package(name, tmp_path, (), each) for name, each in PLUGINS.items()]
    config = ["-c", str(folders[-1] / "pyproject.toml")]
    path = os.pathsep.join(str(each / "src") for each in folders)

    run(tmp_path, "pytest", "-q", *config, *(f"{each}/tests" for each in folders), PYTHONPATH=path)


@pytest.mark.parametrize("name", PLUGINS)
def test_a_new_plugin_passes_the_check_without_advice(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_package(name, tmp_path, (), PLUGINS[name]) / "src"
    info = source / f"landyard_{name}-0.1.0.dist-info"
    info.mkdir()
    text = f"Metadata-Version: 2.1\nName: landyard-{name}\nVersion: 0.1.0\n"
    (info / "METADATA").write_text(text)
    (info / "entry_points.txt").write_text(f"[landyard]\n{name} = landyard_{name}\n")
    monkeypatch.syspath_prepend(source)

    assert [each for each in examine(name).findings if each.level != "ok"] == []
