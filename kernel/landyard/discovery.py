"""Discovery: which plugins are installed, told by their metadata. Nothing is imported."""

import ast
import importlib.util
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points, version
from pathlib import Path
from typing import Any

import structlog
from msgspec import Struct, structs
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

log = structlog.get_logger()

HOST = "landyard"
GROUP = "landyard"
CONTRIB = "landyard.contrib"
"""The entry-point groups: plugins of the second are off until an operator switches them on."""

NO_REQUIRES = "its `requires` must be a tuple of plugins' names, such as ('landing',)"


class Found(Struct, frozen=True):
    """An installed plugin, as its metadata tells of it.

    `value` is its module, `distribution` the name of what ships it. `requires` are the plugins it
    is built on, where its source says so in plain words. `unfit` is why it cannot be used.
    """

    name: str
    value: str = ""
    distribution: str = HOST
    version: str = ""
    contrib: bool = False
    requires: tuple[str, ...] = ()
    unfit: str = ""

    @property
    def shipped_by(self) -> str:
        """The distribution and its version, e.g. `landyard-guests 1.2`."""
        return f"{self.distribution} {self.version}".strip()


def found() -> list[Found]:
    """List the installed plugins: ours first, then by name and distribution.

    Of two that have one name the second is unfit, and says of which.
    """
    every = [
        _describe(entry, contrib=group == CONTRIB)
        for group in (GROUP, CONTRIB)
        for entry in _entries(group)
    ]
    listed: dict[str, Found] = {}
    others: list[Found] = []
    for plugin in sorted(every, key=lambda each: (each.distribution != HOST, *_identity(each))):
        first = listed.setdefault(plugin.name, plugin)
        # An editable install beside a wheel lists the same entry twice: that is one plugin.
        if (first.value, first.distribution) != (plugin.value, plugin.distribution):
            taken = f"another plugin of this name is brought by {first.shipped_by}"
            others.append(structs.replace(plugin, unfit=f"{taken}; uninstall one of the two"))
    return [*listed.values(), *others]


def _identity(plugin: Found) -> tuple[str, str, str]:
    return plugin.name, plugin.distribution, plugin.value


def _entries(group: str) -> list[EntryPoint]:
    try:
        return list(entry_points(group=group))
    except Exception:  # noqa: BLE001 - one distribution that cannot be read hides all others
        return [entry for each in distributions() for entry in _of_one(each, group)]


def _of_one(distribution: Distribution, group: str) -> list[EntryPoint]:
    try:
        return list(distribution.entry_points.select(group=group))
    except Exception as error:  # noqa: BLE001 - whatever its files hold
        place = str(getattr(distribution, "_path", ""))
        log.warning("distribution_unreadable", place=place, error=type(error).__name__)
        return []


def _describe(entry: EntryPoint, *, contrib: bool) -> Found:
    plugin = Found(entry.name, entry.value, "unknown distribution", contrib=contrib)
    try:
        plugin = _shipped(plugin, entry.dist)
    except Exception as error:  # noqa: BLE001 - whatever its files hold
        return structs.replace(plugin, unfit=f"its metadata cannot be read: {error}")
    if entry.name == "kernel":
        return structs.replace(plugin, unfit="'kernel' is the name of Landyard's own part")
    module = EntryPoint.pattern.match(entry.value)
    if module is None:
        return structs.replace(plugin, unfit=f"its entry point names no module: '{entry.value}'")
    said = _said(module["module"])
    if _are_names(said):
        return structs.replace(plugin, requires=tuple(said))
    return structs.replace(plugin, unfit=plugin.unfit or NO_REQUIRES)


def _shipped(plugin: Found, distribution: Distribution | None) -> Found:
    # One whose metadata is lost has no name.
    if distribution is None or not distribution.metadata["Name"]:
        return plugin
    shipped = {"distribution": distribution.name, "version": distribution.version or ""}
    return structs.replace(plugin, **shipped, unfit=_gate(distribution))


def _gate(distribution: Distribution) -> str:
    """Say why this Landyard is none that a distribution can be used with; nothing where it is."""
    try:
        wanted = [Requirement(text) for text in distribution.requires or ()]
    except InvalidRequirement as error:
        return f"its requirements cannot be read: {error}"
    ours = version(HOST)
    for requirement in wanted:
        if canonicalize_name(requirement.name) != HOST:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        if not requirement.specifier.contains(ours, prereleases=True):
            return f"it requires landyard {requirement.specifier}, and this is landyard {ours}"
    return ""


def _said(module: str) -> Any:
    """Read `requires = ("landing",)` from a module's source, without running it.

    Nothing where it is not written out; whoever imports the module finds out what it is.
    """
    try:
        tree = ast.parse(_source(module))
        for statement in reversed(tree.body):
            match statement:
                case (
                    ast.Assign(targets=[ast.Name("requires")], value=value)
                    | ast.AnnAssign(target=ast.Name("requires"), value=ast.expr() as value)
                ):
                    return ast.literal_eval(value)
    except Exception:  # noqa: BLE001 - importing it will tell what is wrong
        return ()
    return ()


def _are_names(said: Any) -> bool:
    listed = isinstance(said, tuple | list | set | frozenset)
    return listed and all(isinstance(name, str) for name in said)


def _source(module: str) -> bytes:
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        raise ImportError(module)
    place = Path(spec.origin)
    if inner:
        place = place.parent.joinpath(*inner)
        place = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return place.read_bytes()
