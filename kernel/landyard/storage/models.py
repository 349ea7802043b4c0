"""Finds the tables that the import of a plugin adds, and checks the plugin's mapped classes.

All plugins of a process share one `MetaData`. Classes with relationships find each other in a
registry, where one wrong class fails all. A plugin with its own base has its own registry.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import getmodule
from typing import Any

from msgspec import Struct
from sqlalchemy import inspect
from sqlalchemy.exc import InvalidRequestError, NoReferencedColumnError, NoReferencedTableError
from sqlalchemy.orm import Mapper, registry
from sqlmodel.main import default_registry

from landyard.storage.schema import METADATA, classes, classes_of, is_in, table_of

_TAKEN = re.compile("Table '(.+?)' is already defined")
_OWN_BASE = (
    "; bare classes of SQLModel share one registry with those of other plugins: derive yours from"
    " a base of your own, class Base(SQLModel, registry=registry(metadata=SQLModel.metadata))"
)


class ModelError(Exception):
    """A plugin's models or tables cannot be used; the text says why and what to do."""


class Declared(Struct, frozen=True):
    """The tables that the import of a plugin has added."""

    plugin: str
    tables: frozenset[str]


_DECLARED: dict[str, Declared] = {}  # by the module that was imported
_UNUSABLE: dict[str, str] = {}  # why, by the module: a module is imported once


@contextmanager
def importing(plugin: str, module: str) -> Iterator[None]:
    """Import a plugin's `module` inside this context; its classes are checked at the end.

    Raises `ModelError`, and then removes the plugin's tables, which the others could not be checked
    with. Where the import fails, the tables of the modules that Python then drops are removed. A
    second attempt runs these modules again.
    """
    if module in sys.modules and module in _UNUSABLE:
        raise ModelError(_UNUSABLE[module])
    before = _columns()
    try:
        yield
    except BaseException:
        _remove_tables_of_dropped_modules(module)
        raise
    finally:
        added = METADATA.tables.keys() - before.keys() - _tables_of_others(module)
        _DECLARED[module] = Declared(plugin, tables_of(module) | added)
    _refuse_changes(before)
    try:
        configure(module)
    except ModelError as error:
        _UNUSABLE[module] = str(error)
        for kind in classes_of(package_of(module)):
            METADATA.remove(table_of(kind))
        raise


def configure(module: str) -> None:
    """Configure the registries of a plugin's classes; `ModelError` where one cannot be."""
    found = classes_of(package_of(module))
    _refuse_missing_targets(found)
    for each in dict.fromkeys(map(_registry, found)):
        try:
            each.configure(cascade=True)
        except Exception as error:
            told = str(error).rpartition("Original exception was: ")[2]
            told = told.partition(". ")[0].partition("\n")[0].rstrip(".")
            advice = _OWN_BASE if each is default_registry else ""
            raise ModelError(f"its models cannot be used: {told}{advice}") from error


def taken(error: BaseException, plugin: str) -> str:
    """Say whose table the import of a plugin has declared once more; "" for any other error."""
    found = _TAKEN.match(str(error)) if isinstance(error, InvalidRequestError) else None
    if found is None:
        return ""
    owner = _owner(found[1])
    if owner == plugin:
        return f"its table {found[1]} is left over from an import that failed: restart the service"
    return f"its table {found[1]} is already brought by {_named(owner)}: choose another name"


def tables_of(module: str) -> frozenset[str]:
    """Name the tables that the import of a plugin's module has declared."""
    declared = _DECLARED.get(module)
    return declared.tables if declared else frozenset()


def bare_classes(module: str) -> list[type[Any]]:
    """List the classes of a plugin's package that are in SQLModel's registry, which all share."""
    found = classes_of(package_of(module))
    return [kind for kind in found if _registry(kind) is default_registry]


def package_of(module: str) -> str:
    """Name the package that holds a plugin: `landyard_guests` for `landyard_guests.plugin`."""
    return module.rpartition(".")[0] or module


def _registry(kind: type[Any]) -> registry:
    mapper: Mapper[Any] = inspect(kind)
    return mapper.registry


def _owner(table: str) -> str:
    """Name the plugin that has declared a table; "" for a table of the kernel."""
    return next((each.plugin for each in _DECLARED.values() if table in each.tables), "")


def _named(owner: str) -> str:
    return f"plugin '{owner}'" if owner else "Landyard or another plugin"


def _columns() -> dict[str, tuple[str, ...]]:
    return {name: tuple(table.columns.keys()) for name, table in METADATA.tables.items()}


def _tables_of_others(module: str) -> set[str]:
    """Name the tables of classes outside a plugin's package: its import may bring them along."""
    package = package_of(module)
    return {table_of(kind).name for kind in classes() if not is_in(kind.__module__, package)}


def _remove_tables_of_dropped_modules(module: str) -> None:
    for kind in classes_of(package_of(module)):
        if getmodule(kind) is None:
            METADATA.remove(table_of(kind))


def _refuse_missing_targets(kinds: Iterable[type[Any]]) -> None:
    for key in (key for kind in kinds for key in table_of(kind).foreign_keys):
        try:
            _ = key.column
        except (NoReferencedTableError, NoReferencedColumnError):
            name, target = key.parent, key.target_fullname
            raise ModelError(
                f"its column {name} refers to {target}, which does not exist"
            ) from None


def _refuse_changes(before: dict[str, tuple[str, ...]]) -> None:
    """Refuse columns that a plugin adds to a table which was there, as `extend_existing` does."""
    now = _columns()
    if changed := next((name for name, columns in before.items() if now[name] != columns), ""):
        owner = _named(_owner(changed))
        raise ModelError(f"it changes the table {changed} of {owner}: choose another name")
