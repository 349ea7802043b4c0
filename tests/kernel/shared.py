"""Results that the services of one test process share, because each would compute the same.

This only saves time. Two kinds of objects are examined each time: objects that a test makes (a
plugin, a changed database), and objects that a plugin makes for each kernel.
"""

import functools
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pluggy
import pytest
import sqlalchemy as sa

from landyard import Kernel, Method, Settings, kernel
from landyard.plugin_host import discovery, lifecycle, loading, switchboard
from landyard.plugin_host.loading import Contribution, Plugin
from landyard.storage import schema
from landyard.storage.schema import Tables
from landyard.storage.store import Store
from landyard_undo import sqlite_triggers
from landyard_undo.rules_in_force import RulesInForce


class Compiled(dict[Any, Any]):
    """Compiled statements of all engines of this test process, keyed by dialect instead of its
    object.

    Each service in a test has an engine of its own and would otherwise compile every statement
    again.
    """

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)


_COMPILED = Compiled()


@sa.event.listens_for(sa.Engine, "engine_connect")
def _share_compiled(connection: sa.Connection) -> None:
    connection.execution_options(compiled_cache=_COMPILED)


def share(patch: pytest.MonkeyPatch) -> None:
    """Make new kernels share these results."""
    for module in (lifecycle, switchboard):
        patch.setattr(module, "found", lambda: _found(tuple(sys.path)))
    patch.setattr(kernel, "contribution", _contribution_once)
    patch.setattr(loading, "_registered", _registered_once)
    patch.setattr(pluggy.PluginManager, "parse_hookimpl_opts", _mark_once)
    patch.setattr(loading, "params_reader", _reader_once)
    patch.setattr(sqlite_triggers, "triggers", _triggers_once)
    # No sync to disk, because tests need not survive a power failure.
    patch.setattr(kernel, "Store", functools.partial(Store, durable=False))


@functools.cache
def _found(_path: tuple[str, ...]) -> list[discovery.Found]:
    """Look for installed plugins once."""
    return discovery.found()


@contextmanager
def tables_known() -> Iterator[None]:
    """Assume that the tables of built-in plugins exist, as they do in a fixture's database."""
    lacking, not_made = schema.lacking, schema.not_made

    def lacked(branch: Tables, made: Mapping[str, str]) -> list[str]:
        return [] if branch.branch in _PREPARED else lacking(branch, made)

    def missing(package: str, store: Store) -> list[str]:
        return [] if package.startswith("landyard_") else not_made(package, store)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "lacking", lacked)
        patch.setattr(schema, "not_made", missing)
        yield


_PREPARED = set[str]()


def installed(args: Sequence[Any]) -> bool:
    """Tell whether a service is to have only installed plugins."""
    (plugins,) = args or (None,)
    return plugins is None or all(map(_is_installed, plugins))


def _is_installed(plugin: Any) -> bool:
    return _is_ours(plugin) and getattr(plugin, "__spec__", None) is not None


_HOUSE = Path(__file__).parents[2]
_TABLES: dict[Path, list[str]] = {}
_upgrade = schema._upgrade


def upgrade_once(branch: Tables, store: Store) -> None:
    """Make the tables of a branch with the statements that Alembic ran for it first in this
    process.

    Only for the branches of this repository, in a SQLite database without their tables.
    """
    ours = any(branch.migrations.is_relative_to(_HOUSE / each) for each in _PARTS)
    if not (ours and store.sqlite and _is_new(branch, store)):
        _upgrade(branch, store)
    elif branch.migrations in _TABLES:
        with store.rebuilding() as connection:
            for statement in _TABLES[branch.migrations]:
                connection.exec_driver_sql(statement)
    else:
        before = _statements(store)
        _upgrade(branch, store)
        after = _statements(store)
        if before.keys() <= after.keys():
            _TABLES[branch.migrations] = [each for each in after if each not in before]


_PARTS = ("kernel", "plugins", "contrib")


def _is_new(branch: Tables, store: Store) -> bool:
    with store.engine.connect() as connection:
        return not sa.inspect(connection).has_table(branch.version_table)


def _statements(store: Store) -> dict[str, None]:
    """Return the statements that make this database."""
    with store.engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        return dict.fromkeys(driver.iterdump())


def migrate(settings: Settings) -> None:
    """Make the tables of the kernel and of all plugins that are on."""
    kernel = Kernel(settings)
    kernel.schema.prepare(kernel.store)
    _PREPARED.update(branch.branch for branch in kernel.schema.branches)
    kernel.close()


_CONTRIBUTIONS: dict[Any, Contribution] = {}
_contribution = loading.contribution


def _contribution_once(plugin: Plugin, written: Any, finished: Any) -> Contribution:
    """Ask a built-in plugin once for its contributions with these settings."""
    if not _is_ours(plugin.module):
        return _contribution(plugin, written, finished)
    settings = finished.func.__self__.settings
    key = (plugin, settings.max_body, _encoded(settings.plugins))
    if key not in _CONTRIBUTIONS:
        _CONTRIBUTIONS[key] = _contribution(plugin, written, finished)
    # An object that the plugin has for each kernel is registered beside it.
    asked = _registered_once(plugin.module, plugin.name)
    return msgspec.structs.replace(_CONTRIBUTIONS[key], asked=asked)


_REGISTERED: dict[Any, Any] = {}
_registered = loading._registered


def _registered_once(module: Any, name: str) -> Any:
    """Examine the hooks of a built-in plugin once, unless it has an object for each kernel."""
    ours = _is_ours(module)
    if ours and module in _REGISTERED:
        return _REGISTERED[module]
    found = _registered(module, name)
    if ours and not found.hook.register_hooks.get_hookimpls():
        _REGISTERED[module] = found
    return found


_MARKS: dict[Any, Any] = {}
_mark = pluggy.PluginManager.parse_hookimpl_opts


def _mark_once(manager: pluggy.PluginManager, holder: Any, name: str) -> Any:
    """Find out once whether an attribute of a built-in plugin, or of its object's class, is a
    hook.
    """
    whole = holder if isinstance(holder, ModuleType) else type(holder)
    key = (whole, name)
    if key in _MARKS:
        return _MARKS[key]
    found = _mark(manager, holder, name)
    if _is_ours(sys.modules.get(getattr(whole, "__module__", whole.__name__))):
        _MARKS[key] = found
    return found


_READERS: dict[Any, Any] = {}
_reader = loading.params_reader


def _reader_once(method: Method) -> Any:
    """Compile the reader of a method's parameters once; it has no state."""
    key = (method.name, method.params, method.errors)
    if key not in _READERS:
        _READERS[key] = _reader(method)
    return _READERS[key]


_TRIGGERS: dict[Any, list[sqlite_triggers.Trigger]] = {}
_triggers = sqlite_triggers.triggers
_TABLES_OF = "SELECT name, sql FROM main.sqlite_master WHERE type = 'table'"


def _triggers_once(driver: Any, rules: RulesInForce) -> list[sqlite_triggers.Trigger]:
    """Write undo's triggers once for the same tables."""
    tables = driver.execute(_TABLES_OF).fetchall()
    key = tuple((name, sql, rules.rows_of(name)) for name, sql in tables)
    if key not in _TRIGGERS:
        _TRIGGERS[key] = list(_triggers(driver, rules))
    return _TRIGGERS[key]


def _is_ours(module: Any) -> bool:
    return isinstance(module, ModuleType) and module.__name__.startswith("landyard_")


def _encoded(settings: Any) -> bytes:
    return msgspec.json.encode(settings, order="deterministic", enc_hook=repr)
