"""The plugin of docs/block-types.md, written into a folder that it can be imported from."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clean import ROOT

_FILES = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PACKAGE, TESTS = "landyard_reviews", "test_reviews"
BLOCK = f"{PACKAGE}/blocks/reviews.quote"


def write_reviews(folder: Path) -> Path:
    """Write the page's files into `folder`; return the folder of its block type."""
    for name, text in _FILES.findall((ROOT / "docs" / "block-types.md").read_text()):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / BLOCK


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The tests of the page, with the plugin that they import."""
    write_reviews(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(TESTS)
    for name in [*sys.modules]:
        if name.partition(".")[0] in {PACKAGE, TESTS}:
            del sys.modules[name]
