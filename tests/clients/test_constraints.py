"""Clients generated from the published schema refuse wrong values, and so does the service.

The Python client uses pydantic models and the TypeScript client zod; the generated code is not
changed.
"""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from clients.test_generated_typescript import FOLDER, run_program
from kernel.plugin_host.test_params_typed import Kinds
from kernel.sample import Brings

import landyard_describe
from landyard import Call, MethodGroup, MissingParams, Plugin, WrongType
from landyard.testing import Service

pytestmark = pytest.mark.lint

GROUP = MethodGroup()
RIGHT: list[tuple[str, Any]] = [
    ("few", 5),
    ("even", -2),
    ("share", 0.5),
    ("code", "abcd"),
    ("own", 100),
    ("numbers", [1, 2]),
    ("pair", [1, 2]),
    ("counts", {"x": [1]}),
    ("choice", "b"),
    ("size", 2),
    ("colour", "blue"),
    ("aware", "2026-01-31T12:00:00Z"),
    ("day", "2026-01-31"),
    ("price", "1.50"),
    ("key", "12345678-1234-4678-9234-567812345678"),
    ("mixed", True),
    ("mixed", [3]),
    ("shape", {"shape": "circle", "radius": 7}),
    ("shapes", [{"radius": 1}]),
]
WRONG: list[tuple[str, Any]] = [
    ("few", -5),
    ("few", 6),
    ("few", "x"),
    ("few", 1.5),
    ("share", 0),
    ("share", 1),
    ("code", "ab"),
    ("code", "abcdef"),
    ("code", "ABCD"),
    ("own", 101),
    ("numbers", ["a", {}]),
    ("numbers", 1),
    ("pair", [1]),
    ("pair", [1, 2, 3]),
    ("counts", {"x": ["q"]}),
    ("choice", "c"),
    ("size", 3),
    ("colour", []),
    ("at", "soon"),
    ("day", "2026-02-30"),
    ("key", 1),
    ("mixed", "q"),
    ("either", {}),
    ("shape", {"shape": "circle", "radius": 0}),
    ("shape", {"shape": "square"}),
    ("shape", {}),
    ("shapes", [{"radius": 1}, {"radius": 0}]),
    ("shapes", [{}]),
]
# Constraints that zod's generator omits or zod does not check, and those that pydantic's generator
# omits.
MULTIPLES: list[tuple[str, Any]] = [("even", 3), ("price", "much")]
PROGRAM = """
import { zSampleKindsParams } from './drawn/zod.gen.js'

declare const process: { argv: string[] }
const sent: unknown[] = JSON.parse(process.argv[2] ?? '')
console.log(JSON.stringify(sent.map(each => zSampleKindsParams.safeParse(each).success)))
"""


@GROUP.method("sample.kinds", errors=[WrongType, MissingParams])
def kinds(call: Call, params: Kinds) -> bool:
    """Take a parameter of any kind."""
    return True


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service([Plugin("sample", Brings(GROUP)), landyard_describe]) as service:
        yield service


@pytest.fixture(scope="module")
def folder(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published schema."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "openapi.json").write_text(service.get("/openapi.json").text)
    return folder


def test_the_service_accepts_right_values_and_refuses_wrong_ones(service: Service) -> None:
    answers = [
        service.call("sample.kinds", {name: value}).error
        for name, value in [*RIGHT, *WRONG, *MULTIPLES]
    ]

    assert answers[: len(RIGHT)] == [None] * len(RIGHT)
    assert set(answers[len(RIGHT) :]) <= {"TYPE_ERROR", "MISSING_PARAMS"}


def test_a_client_in_Python_refuses_the_same_values(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--input", "openapi.json", "--input-file-type", "openapi", "--formatters", "builtin"]
    model = ["--output", "drawn_models.py", "--output-model-type", "pydantic_v2.BaseModel"]
    generator = [sys.executable, "-m", "datamodel_code_generator", *words, *model]
    ran = subprocess.run(generator, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    monkeypatch.syspath_prepend(folder)
    model_class = importlib.import_module("drawn_models").SampleKindsParams

    def takes(name: str, value: Any) -> bool:
        try:
            model_class.model_validate({name: value})
        except ValueError:
            return False
        return True

    assert [each for each in RIGHT if not takes(*each)] == []
    assert [each for each in [*WRONG, *MULTIPLES] if takes(*each)] == []


def test_a_client_in_TypeScript_refuses_the_same_values(folder: Path) -> None:
    if not (FOLDER / "node_modules").is_dir():
        pytest.skip("no generator here: `npm ci` in tests/clients/typescript")
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(FOLDER / name, folder / name)
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    (folder / "program.ts").write_text(PROGRAM)

    run_program(
        folder, "openapi-ts", "-i", "openapi.json", "-o", "drawn", "-p", "zod", "--no-log-file"
    )
    run_program(folder, "tsc", "--noCheck")
    sent = msgspec.json.encode([{name: value} for name, value in [*RIGHT, *WRONG]]).decode()
    taken = msgspec.json.decode(run_program(folder, "node", "built/program.js", sent))

    assert taken == [True] * len(RIGHT) + [False] * len(WRONG)
