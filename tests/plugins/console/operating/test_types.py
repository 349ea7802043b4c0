"""The JavaScript of the console's shell and screens passes the type check of its JSDoc comments."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.lint

HERE = Path(__file__).parent
TSC = HERE.parents[2] / "clients" / "typescript" / "node_modules" / ".bin" / "tsc"


def test_the_compiler_finds_nothing_in_the_operating_part() -> None:
    if not TSC.is_file():
        pytest.skip("no TypeScript here: `npm ci --ignore-scripts` in tests/clients/typescript")
    run = subprocess.run(
        [str(TSC), "-p", str(HERE)], capture_output=True, text=True, check=False, cwd=HERE
    )
    # Imported libraries and the editor's files are not checked here.
    ours = ("static/parts/", "static/call.js", "static/console.js", "static/rights.js")
    wanted = (*ours, "static/submissions.js", "static/upload.js")
    found = [line for line in run.stdout.splitlines() if any(each in line for each in wanted)]

    assert found == []
    assert "error TS5" not in run.stdout  # an error in the configuration itself
    assert "error TS18003" not in run.stdout
