"""A TypeScript client generated from `/openapi.json`: compiled strictly, and used unchanged.

The generator is installed by `npm ci` in the folder `typescript`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import httpx
import msgspec
import pytest
from clients.conftest import Demo

pytestmark = pytest.mark.lint

FOLDER = Path(__file__).parent / "typescript"
WAIT = 120.0
# A parameter with a default may be left out.
OPTIONS = ["--default-non-nullable=false"]


def test_4_a_generated_client_calls(demo: Demo, tmp_path: Path) -> None:
    project = _project(tmp_path, httpx.get(f"{demo.http}/openapi.json").text)

    run_program(project, "openapi-typescript", "openapi.json", "-o", "schema.d.ts", *OPTIONS)
    run_program(project, "tsc")
    done = run_program(project, "node", "built/program.js", demo.hook.rstrip("/"))

    came = msgspec.json.decode(done)
    assert {"methods", "landing.block.getlist"} <= {*came["names"]}
    assert came["ids"] == list(range(116, 123))
    assert came["took"] > 0
    assert came["code"] == "LANDING_NOT_EXIST"


def _project(folder: Path, document: str) -> Path:
    if shutil.which("node") is None:
        pytest.skip("no node here")
    if not (FOLDER / "node_modules").is_dir():
        pytest.skip("no generator here: `npm ci` in tests/clients/typescript")
    for name in ("package.json", "tsconfig.json", "program.ts"):
        shutil.copy(FOLDER / name, folder / name)
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    (folder / "openapi.json").write_text(document)
    return folder


def run_program(project: Path, program: str, *words: str) -> bytes:
    programs = f"{FOLDER / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    found = shutil.which(program, path=programs)
    assert found is not None, program
    ran = subprocess.run(
        [found, *words], cwd=project, capture_output=True, timeout=WAIT, check=False,
        env={**os.environ, "PATH": programs},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()
    return ran.stdout
