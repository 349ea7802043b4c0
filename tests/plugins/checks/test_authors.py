"""What authors start from is typed strictly, and clean: the scaffold, the example, the tutorial."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clean import PATIENCE, ROOT, copied

from landyard_scaffold.package import write_package

pytestmark = pytest.mark.lint

FENCED = re.compile(r"^```python\n# ([\w./]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def short(folder: Path) -> Path:
    return write_package("a", folder, ())


def long(folder: Path) -> Path:
    return write_package("abcdefghij_klmnopqrs", folder, ())


def example(folder: Path) -> Path:
    return copied(ROOT / "contrib" / "landyard_example", folder / "example")


def tutorial(folder: Path) -> Path:
    package = write_package("greeting", folder, ())
    for path, code in FENCED.findall((ROOT / "docs" / "tutorial.md").read_text()):
        (package / path).write_text(code)
    return package


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of the libraries, which is most of its work."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize("make", [short, long, example, tutorial], ids=lambda make: make.__name__)
def test_it_is_typed_and_clean(make: Callable[[Path], Path], cache: Path, tmp_path: Path) -> None:
    package = make(tmp_path)
    without_ours = {k: v for k, v in os.environ.items() if k not in {"MYPYPATH", "PYTHONPATH"}}
    environment = {**without_ours, "MYPY_CACHE_DIR": str(cache), "RUFF_NO_CACHE": "true"}
    typed = [] if make is short else [["mypy"]]  # the long one differs by its line breaks alone
    for words in (["ruff", "format", "--diff", "."], ["ruff", "check", "."], *typed):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=package,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
