"""The boundaries between the kernel and all plugins, as one contract of import-linter.

The contract covers a new plugin without naming it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from importlinter import Contract, ContractCheck, fields, output

KERNEL = "landyard"
PREFIX = "landyard_"
FOLDERS = ("plugins", "contrib")
LIBRARIES = frozenset({"landyard_html"})
"""Packages that are no plugins. Every plugin may import them; they import nothing of Landyard."""
FOR_ANYBODY = frozenset({"landyard_undo.rules"})
"""Modules of plugins that every plugin may import, without requiring that plugin."""


class PluginBoundaries(Contract):
    """Holds every root package `landyard_<noun>` to the rules of `refusal`.

    `libraries` has entries `library: module`: only that module, its submodules and modules with
    the same last name import the library. `public` are modules of the
    kernel that every plugin may import.
    """

    type_name = "plugin_boundaries"

    libraries: Any = fields.ListField(subfield=fields.StringField())
    public: Any = fields.SetField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:  # noqa: ARG002 - its signature
        """Check each import of the graph."""
        requires = {name: required(name) for name in packages(graph)}
        owners = dict(each.split(": ") for each in self.libraries)
        broken = sorted(
            f"{importer} -> {imported}: {reason}"
            for importer in graph.modules
            for imported in graph.find_modules_directly_imported_by(importer)
            if imported not in self.public
            if (reason := refusal(importer, imported, requires, owners))
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each refused import with the reason."""
        for line in check.metadata["broken"]:
            output.print_error(line)


def refusal(
    importer: str, imported: str, requires: dict[str, set[str]], owners: dict[str, str]
) -> str:
    """Return the reason of a refusal, or "" for an allowed import."""
    package, target = importer.partition(".")[0], imported.partition(".")[0]
    if target in owners:
        return "" if _owns(importer, owners[target]) else f"only {owners[target]} imports {target}"
    if package == target or target not in {KERNEL, *requires}:
        return ""
    if package == KERNEL:
        return "the kernel knows no plugin"
    if package in LIBRARIES:
        return f"{package} is a library and imports nothing of Landyard"
    if target == KERNEL:
        inside = imported != KERNEL
        return "the modules of landyard are its own; import from landyard" if inside else ""
    return _of_plugin(package, imported, requires[package])


def _of_plugin(package: str, imported: str, required: set[str]) -> str:
    target = imported.partition(".")[0]
    if imported in FOR_ANYBODY:
        return ""
    if is_inside(imported):
        face = ".".join(each for each in imported.split(".")[:2] if not each.startswith("_"))
        return f"it is an inside; import from {face}"
    if target not in {*LIBRARIES, *required}:
        return f"{package} does not require {target}"
    return ""


def is_inside(module: str) -> bool:
    """Return whether a module is private: public are the top modules of a package."""
    parts = module.split(".")[1:]
    return len(parts) > 1 or any(part.startswith("_") for part in parts)


def packages(graph: Any) -> Iterator[str]:
    """Name the plugins of the graph."""
    return (name for name in graph.modules if name.startswith(PREFIX) and "." not in name)


def required(package: str) -> set[str]:
    """Read the packages that a plugin declares in `requires`."""
    (file,) = (file for each in FOLDERS if (file := Path(each, package, "__init__.py")).exists())
    for statement in ast.parse(file.read_text()).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="requires")], value=value):
                return {f"{PREFIX}{name}" for name in ast.literal_eval(value)}
    return set()


def _owns(importer: str, owner: str) -> bool:
    return importer.startswith(owner) or owner.removeprefix("*.") in importer.split(".")[1:]
