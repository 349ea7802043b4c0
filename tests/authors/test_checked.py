"""The three plugins pass `landyard plugins check`, installed as an author's tools would do it."""

from pathlib import Path

import pytest
from faulty.kit import Fault, install
from kernel.processes import landyard

HERE = Path(__file__).parent


@pytest.mark.lint
@pytest.mark.parametrize("name", ["contacts", "poll", "exporter"])
def test_the_plugin_passes_the_checks(name: str, tmp_path: Path) -> None:
    entry = {"/entry_points.txt": f"[landyard]\n{name} = landyard_{name}\n"}
    install(tmp_path, Fault(name, "", "", entry=name, files=entry))
    path = f"{tmp_path}:{HERE / name / 'src'}"

    checked = landyard(tmp_path, "plugins", "check", name, given=b"", PYTHONPATH=path)

    assert checked.status == 0, checked.out
    assert " passes" in checked.out
