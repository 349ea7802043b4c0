"""docs/events.md is a plugin that works, and its test passes."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/events.md"


def test_the_plugin_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "landyard_poll.py").write_text("\n\n".join(blocks[:-1]))
    (tmp_path / "test_poll.py").write_text(blocks[-1])
    monkeypatch.syspath_prepend(tmp_path)

    importlib.import_module("test_poll").test_votes_are_counted_and_told()
