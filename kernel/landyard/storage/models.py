"""Models: what the import of a plugin declares, namely tables and mapped classes.

All plugins of a process share one `MetaData`, and plain classes of SQLModel share one registry. In
a registry, one class that cannot be configured makes every ORM call fail. So a plugin's classes are
configured when it is imported, and those of a plugin that fails are skipped from then on.
"""

import gc
import importlib
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet

from msgspec import Struct
from sqlalchemy import Table
from sqlalchemy.exc import InvalidRequestError, SAWarning

from landyard.storage.schema import METADATA, classes_of, is_in, table_of

_TAKEN = re.compile("Table '(.+?)' is already defined")
_AGAIN = "This declarative base already contains a class with the same class name"
_OWN_BASE = (
    "two plugins have a class of this name: derive yours from a base of your own,"
    " class Base(SQLModel, registry=registry(metadata=METADATA))"
)


class ModelError(Exception):
    """A plugin's models or tables cannot be used; the text says why and what to do."""


class Declared(Struct, frozen=True):
    """The modules of its package and the tables that the import of a plugin has added."""

    plugin: str
    modules: frozenset[str]
    tables: frozenset[str]


class _Gate(Struct):
    """Decides which mapped classes may be configured, whoever wants it.

    Those of `package`, which is being imported, are not. Once they are all there, `thread` alone
    configures them. Those of a plugin that has failed are `skipped` for good. A class that is met a
    second time has failed the first time: it is skipped as well, so it fails no other ORM call.
    """

    package: str = ""
    thread: int = 0
    fails: bool = False  # classes of `package` that are not configured yet are skipped
    listens: bool = False
    skipped: WeakSet[type] = WeakSet()
    tried: WeakSet[Any] = WeakSet()  # mappers; those that are configured are not met again

    def listen(self) -> None:
        """Begin to decide, if classes can be mapped by now: SQLAlchemy's ORM is slow to import."""
        if self.listens or "sqlalchemy.orm" not in sys.modules:
            return
        from sqlalchemy import event
        from sqlalchemy.orm import EXT_SKIP, Mapper

        def decide(mapper: Any, kind: type) -> object:
            here = bool(self.package) and is_in(kind.__module__, self.package)
            if here and self.fails:
                self.skipped.add(kind)
            waits = here and self.thread != threading.get_ident()
            if waits or kind in self.skipped or mapper in self.tried:
                return EXT_SKIP
            self.tried.add(mapper)
            return None

        event.listen(Mapper, "before_mapper_configured", decide, retval=True)
        self.listens = True

    def close(self) -> None:
        """Let what is not skipped be configured by whoever wants it."""
        self.package, self.thread, self.fails = "", 0, False


_gate = _Gate()  # registries, tables and modules are one for the whole process, and so is this
_one_at_a_time = threading.RLock()
_DECLARED: dict[str, Declared] = {}  # by the module that was imported


@contextmanager
def importing(plugin: str, module: str) -> Iterator[None]:
    """Import a plugin's `module` inside this context; its classes are configured at the end.

    Until then no call of another thread configures them. Raises `ModelError`. Where anything is
    raised nothing stays declared: a mended module can be imported.
    """
    package = package_of(module)
    with _one_at_a_time:
        modules, columns = {*sys.modules}, _columns()
        _gate.package = package
        _gate.listen()
        try:
            try:
                yield
            finally:
                new = {name for name in sys.modules.keys() - modules if is_in(name, package)}
                tables = METADATA.tables.keys() - columns.keys()
                tables -= _tables_of_others(modules, package)
                known = _DECLARED.get(module, Declared(plugin, frozenset(), frozenset()))
                _DECLARED[module] = Declared(plugin, known.modules | new, known.tables | tables)
            _refuse_changes(columns)
            configure(module)
        except BaseException:
            forget(module)
            raise
        finally:
            _gate.close()


def configure(module: str) -> None:
    """Configure the mapped classes of a plugin's package; `ModelError` where one cannot be."""
    if "sqlalchemy.orm" not in sys.modules:
        return
    from sqlalchemy.orm import configure_mappers

    with _one_at_a_time:
        _gate.listen()
        _gate.package, _gate.thread = package_of(module), threading.get_ident()
        try:
            configure_mappers()
        except Exception as error:
            _skip(package_of(module))
            told = str(error).partition(". ")[0].partition("\n")[0].rstrip(".")
            advice = f"; {_OWN_BASE}" if told.startswith("Multiple classes") else ""
            raise ModelError(f"its models cannot be used: {told}{advice}") from error
        finally:
            _gate.close()


def forget(module: str) -> None:
    """Forget what the import of a plugin's module has declared: it may be imported once more."""
    if declared := _DECLARED.pop(module, None):
        if "sqlalchemy.orm" in sys.modules:
            with _one_at_a_time:
                _gate.skipped.update(classes_of(package_of(module)))
                _skip(package_of(module))
            warnings.filterwarnings("ignore", _AGAIN, SAWarning)
        for name in declared.modules:
            sys.modules.pop(name, None)
        for name in declared.tables & METADATA.tables.keys():
            METADATA.remove(METADATA.tables[name])


def collect() -> None:
    """Let go of classes that were forgotten: until they are gone relationships find them by name.

    While an error is handled its traceback keeps them, and a worker freezes what it has begun with.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    importlib.invalidate_caches()


def taken(error: BaseException) -> str:
    """Say whose table an import has declared once more; "" where something else has failed."""
    found = _TAKEN.match(str(error)) if isinstance(error, InvalidRequestError) else None
    if found is None:
        return ""
    return f"its table {found[1]} is already brought by {_owner(found[1])}: choose another name"


def tables_of(module: str) -> frozenset[str]:
    """Name the tables that the import of a plugin's module has declared."""
    declared = _DECLARED.get(module)
    return declared.tables if declared else frozenset()


def package_of(module: str) -> str:
    """Name the package that holds a plugin: `landyard_guests` for `landyard_guests.plugin`."""
    return module.rpartition(".")[0] or module


def _owner(table: str) -> str:
    owner = next((it.plugin for it in _DECLARED.values() if table in it.tables), "")
    return f"plugin '{owner}'" if owner else "Landyard or another plugin"


def _columns() -> dict[str, tuple[str, ...]]:
    return {name: tuple(table.columns.keys()) for name, table in METADATA.tables.items()}


def _tables_of_others(modules: set[str], package: str) -> set[str]:
    """Name the tables in the new modules of other packages: the plugin has imported those first."""
    others = [name for name in sys.modules.keys() - modules if not is_in(name, package)]
    held = [vars(sys.modules[name]).values() for name in others]
    plain = {each.name for values in held for each in list(values) if isinstance(each, Table)}
    return plain | {table_of(each).name for name in others for each in classes_of(name)}


def _refuse_changes(before: dict[str, tuple[str, ...]]) -> None:
    """Refuse columns that a plugin adds to a table which was there, as `extend_existing` does."""
    now = _columns()
    if changed := next((name for name, columns in before.items() if now[name] != columns), ""):
        owner = _owner(changed)
        raise ModelError(f"it changes the table {changed} of {owner}: choose another name")


def _skip(package: str) -> None:
    """Skip the classes of a package that are not configured yet, now and later."""
    from sqlalchemy.orm import configure_mappers

    _gate.package, _gate.thread, _gate.fails = package, 0, True
    with suppress(Exception):  # of another package: whoever loads that one is told
        configure_mappers()
    _gate.close()
