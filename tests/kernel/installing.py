"""Installs distributions with a plugin into a folder, as an installer does."""

from pathlib import Path

import pytest


def install(
    folder: Path, distribution: str, entry: str, body: str = "", *more: str, group: str = "landyard"
) -> None:
    """Install a distribution with one plugin into `folder`; `more` are lines of its metadata."""
    module = entry.partition("=")[2].strip()
    (folder / f"{module}.py").write_text(body)
    info = folder / f"{distribution}-1.0.dist-info"
    info.mkdir()
    metadata = ["Metadata-Version: 2.1", f"Name: {distribution}", "Version: 1.0", *more]
    (info / "METADATA").write_text("\n".join(metadata) + "\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that plugins are installed into."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder
