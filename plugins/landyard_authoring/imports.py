"""Checks of a plugin's imports from the kernel and from other plugins."""

import ast
from collections.abc import Iterator, Sequence

import landyard
from landyard.testing import Found
from landyard_authoring.findings import Finding, failure, warning
from landyard_authoring.source import Module, Source

_MODULES = ("landyard", "landyard.testing")  # importable by every plugin
_FOR_ANYBODY = ("landyard_undo.rules",)


def imports(source: Source, plugin: Found, every: Sequence[Found]) -> Iterator[Finding]:
    """Find imports of internal modules, and of plugins that this one does not require."""
    owners = {each.value.partition(":")[0].partition(".")[0]: each.name for each in every}
    for module in source.modules:
        for node in ast.walk(module.tree):
            for name in _imported(node):
                top = name.partition(".")[0]
                if top == "landyard":
                    yield from _of_kernel(name, module, node)
                elif top != source.package and top in owners and name not in _FOR_ANYBODY:
                    yield from _of_plugin(name, owners[top], plugin, module.place(node))


def _imported(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports; for `landyard` the imported names."""
    match node:
        case ast.Import(names=names):
            return [each.name for each in names]
        case ast.ImportFrom(module="landyard", names=names, level=0):
            return [f"landyard.{each.name}" for each in names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module]
    return []


def _of_kernel(name: str, module: Module, node: ast.AST) -> Iterator[Finding]:
    public = name in _MODULES or name.removeprefix("landyard.") in landyard.__all__
    if not public:
        yield warning(
            f"{name} is internal to the kernel, and may be gone in the next version: import what"
            " `landyard` itself exports",
            module.place(node),
        )


def _of_plugin(name: str, owner: str, plugin: Found, place: str) -> Iterator[Finding]:
    if owner not in plugin.requires:
        advice = f'say `requires = ("{owner}",)` at the top of your module'
        yield failure(
            f"it imports {name}, of the plugin '{owner}', which may be off: {advice}", place
        )
    package, *modules = name.split(".")
    if len(modules) > 1 or any(each.startswith("_") for each in modules):
        face = f"{package}.{modules[0]}" if not modules[0].startswith("_") else package
        advice = f"import what `{face}` itself exports"
        yield warning(f"{name} is an inside of the plugin '{owner}': {advice}", place)
