"""Every table is the table of a SQLModel class, and each plugin has a registry of its own."""

from collections import defaultdict
from typing import Any

from sqlalchemy.orm import registry
from sqlmodel import SQLModel
from sqlmodel.main import default_registry

from landyard import table_of
from landyard.plugin_host.loading import import_plugin
from landyard.storage.schema import classes
from landyard.testing import installed


def shipped() -> list[type[Any]]:
    """The table classes of the kernel and of all installed plugins, on or off.

    Plugins that other tests have made in this process are left out.
    """
    packages = {"landyard"}
    for found in installed():
        import_plugin(found)
        packages.add(found.value.partition(":")[0].partition(".")[0])
    return [kind for kind in classes() if kind.__module__.partition(".")[0] in packages]


def test_every_table_is_that_of_a_sqlmodel_class() -> None:
    kinds = shipped()
    declared = {name for name in SQLModel.metadata.tables if not name.startswith("faulty_")}

    assert len({table_of(kind).name for kind in kinds}) > 50
    assert declared == {table_of(kind).name for kind in classes()}
    assert [kind for kind in kinds if not issubclass(kind, SQLModel)] == []


def test_no_two_packages_share_a_registry() -> None:
    packages = defaultdict[registry, set[str]](set)
    for kind in shipped():
        packages[kind.__mapper__.registry].add(kind.__module__.partition(".")[0])

    assert {len(each) for each in packages.values()} == {1}
    assert default_registry not in packages
