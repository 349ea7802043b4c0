"""The editor's JavaScript passes the type check of its JSDoc comments."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.lint

HERE = Path(__file__).parent
TSC = HERE.parents[2] / "clients" / "typescript" / "node_modules" / ".bin" / "tsc"


def test_the_compiler_finds_nothing_in_the_editor() -> None:
    if not TSC.is_file():
        pytest.skip("no TypeScript here: `npm ci --ignore-scripts` in tests/clients/typescript")
    run = subprocess.run(
        [str(TSC), "-p", str(HERE)], capture_output=True, text=True, check=False, cwd=HERE
    )
    found = [line for line in run.stdout.splitlines() if "static/editor/" in line]

    assert found == []
    assert "error TS5" not in run.stdout  # an error in the configuration itself
    assert "error TS18003" not in run.stdout
