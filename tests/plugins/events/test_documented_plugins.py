"""The plugins of docs/events.md work, and their tests pass."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/events.md"


def test_the_plugins_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, list[str]] = {"landyard_ballot.py": []}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        # A code block without a file name continues the plugin.
        named = re.match(r"# (\w+\.py)\n", block)
        files.setdefault(named[1] if named else "landyard_ballot.py", []).append(block)
    for name, blocks in files.items():
        (tmp_path / name).write_text("\n\n".join(blocks))
    monkeypatch.syspath_prepend(tmp_path)

    tests = [
        each
        for name, each in vars(importlib.import_module("test_ballot")).items()
        if name.startswith("test_")
    ]
    for test in tests:
        test()
    assert len(tests) == 4
