"""Plugins are found by entry point, and what cannot be used is named."""

from pathlib import Path

import pytest

from landyard import PluginError
from landyard.plugins import installed


def install(folder: Path, distribution: str, entry: str, body: str = "") -> None:
    """Put a distribution with one plugin into `folder`, as an installer does."""
    module = entry.partition("=")[2].strip()
    (folder / f"{module}.py").write_text(body)
    info = folder / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[landyard]\n{entry}\n")


def test_installed_plugins_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "strange-aardvark", "aardvark = strange_aardvark")
    monkeypatch.syspath_prepend(tmp_path)

    assert [plugin.name for plugin in installed()][:2] == ["aardvark", "blocks"]


def test_two_entry_points_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "strange-blocks", "blocks = strange_blocks")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(PluginError, match=r"'blocks'.*landyard.*strange-blocks 1\.0"):
        installed()


@pytest.mark.parametrize("body", ["import there_is_no_such_module", "1 +", "raise OSError"])
def test_a_plugin_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    install(tmp_path, "strange-broken", "broken = strange_broken", body)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(PluginError, match=r"'broken' \(strange-broken 1\.0\)"):
        installed()
