"""Three plugins written by readers who had only the documentation; each has its own settings.

They are a contact list, a poll with a public page, and an exporter fed by events. Texts in them
were edited for clarity.
"""

import sys
from pathlib import Path

import pytest

for _source in Path(__file__).parent.glob("*/src"):
    sys.path.append(str(_source))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder of the test's own, as in a package of its own."""
    monkeypatch.chdir(tmp_path)
