"""A plugin lies where its entry point says: in `contrib` if it starts switched off."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"landyard": "plugins", "landyard.contrib": "contrib"}


@pytest.mark.parametrize("group", FOLDERS)
def test_each_plugin_lies_in_the_folder_of_its_group(group: str) -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][group]
    folder = ROOT / FOLDERS[group]
    packages = {each.parent.name for each in folder.glob("landyard_*/__init__.py")}
    own_projects = {each.parent.name for each in folder.glob("*/pyproject.toml")}

    assert entries == {name: f"landyard_{name}" for name in entries}
    assert set(entries.values()) <= packages
    # A library of plugins, without hooks, needs no entry point.
    unnamed = packages - own_projects - set(entries.values())
    assert {each for each in unnamed if has_hooks(folder / each)} == set()


def has_hooks(package: Path) -> bool:
    return any("hookimpl" in module.read_text() for module in package.rglob("*.py"))
