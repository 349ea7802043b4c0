"""A Python client generated from `/openapi.json`: type-checked strictly, and used unchanged."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import msgspec
import pytest
from clients.conftest import Demo

pytestmark = pytest.mark.lint

WAIT = 120.0
PROGRAM = """
import json
import sys
from typing import TYPE_CHECKING

from drawn import Client
from drawn.api.landing_block import landing_block_getlist
from drawn.api.methods import methods
from drawn.models import (
    LandingBlockGetlistAnswer,
    LandingBlockGetlistMode,
    LandingBlockGetlistParams,
    LandingBlockGetlistRefused400,
    MethodsAnswer,
    MethodsParams,
)

client = Client(base_url=sys.argv[1])
names = methods.sync(client=client, body=MethodsParams())
assert isinstance(names, MethodsAnswer), names
mode = LandingBlockGetlistMode(edit_mode=True, get_content="Y")
blocks = landing_block_getlist.sync(
    client=client, body=LandingBlockGetlistParams(lid=12, params=mode)
)
assert isinstance(blocks, LandingBlockGetlistAnswer), blocks
ids: list[int] = [block.id for block in blocks.result]
took: float = blocks.time.duration
refused = landing_block_getlist.sync(client=client, body=LandingBlockGetlistParams(lid="999"))
assert isinstance(refused, LandingBlockGetlistRefused400), refused
if TYPE_CHECKING:
    LandingBlockGetlistParams()  # type: ignore[call-arg]  # a page has to be named
    LandingBlockGetlistParams(lid=[{}])  # type: ignore[list-item]
print(json.dumps({"names": names.result, "ids": ids, "took": took, "code": refused.error.value}))
"""
# The only complaint is about a file that the generator writes for every document.
CHECKED = """
[mypy]
strict = True
[mypy-drawn.client]
disable_error_code = arg-type
[mypy-drawn.models.*]
# The generator casts an array of anything to what it is already.
disable_error_code = redundant-cast
"""


def test_4_a_generated_client_calls(demo: Demo, tmp_path: Path) -> None:
    _draw(tmp_path, httpx.get(f"{demo.http}/openapi.json").text)

    _run(tmp_path, "mypy", "-m", "program", "-p", "drawn")
    done = _run(tmp_path, None, "program.py", demo.hook.rstrip("/"))

    came = msgspec.json.decode(done)
    assert {"methods", "landing.block.getlist"} <= {*came["names"]}
    assert came["ids"] == list(range(116, 123))
    assert came["took"] > 0
    assert came["code"] == "LANDING_NOT_EXIST"


def _draw(folder: Path, document: str) -> None:
    """Generate the package `drawn`; a warning of the generator is a failure."""
    (folder / "openapi.json").write_text(document)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "mypy.ini").write_text(CHECKED)
    words = ["--path", "openapi.json", "--output-path", "drawn", "--meta", "none"]
    _run(folder, "openapi_python_client", "generate", *words, "--fail-on-warning")


def _run(folder: Path, module: str | None, *words: str) -> bytes:
    # The generator formats with the linter that is installed beside it.
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    arguments = [*(["-m", module] if module else []), *words]
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, timeout=WAIT, check=False,
        env={**os.environ, "PATH": beside, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()
    return ran.stdout
