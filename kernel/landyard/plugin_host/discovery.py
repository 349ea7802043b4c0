"""Finds the installed plugins by the metadata of their packages, and imports none."""

import ast
import functools
import importlib.util
from contextlib import suppress
from importlib.metadata import (
    Distribution,
    EntryPoint,
    PackageNotFoundError,
    distribution,
    entry_points,
    version,
)
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

if TYPE_CHECKING:
    from packaging.requirements import Requirement

HOST = "landyard"
GROUP = "landyard"
CONTRIB = "landyard.contrib"
"""The entry-point groups: plugins of the second are off until an operator switches them on."""


_LISTS = ("requires", "call_options")


class Found(Struct, frozen=True):
    """An installed plugin, as its metadata tells of it.

    `value` is its module, `distribution` the name of the distribution that ships it. The
    plugin's source lists `requires`, the plugins that it is built on, and `call_options`, the call
    options that it brings. `unfit` is the reason why it cannot be used.
    """

    name: str
    value: str = ""
    distribution: str = HOST
    version: str = ""
    contrib: bool = False
    requires: tuple[str, ...] = ()
    unfit: str = ""
    call_options: tuple[str, ...] = ()

    @property
    def shipped_by(self) -> str:
        """The distribution and its version, e.g. `landyard-guests 1.2`."""
        return f"{self.distribution} {self.version}".strip()


def found() -> list[Found]:
    """List the installed plugins; no package takes a name from one that came with Landyard."""
    installed = entry_points()
    every, listed = list[Found](), list[Found]()
    for group in (GROUP, CONTRIB):
        for entry in installed.select(group=group):
            assert entry.dist is not None  # that of an entry point which was found
            name, version, unfit = _shipped(entry.dist)
            origin = (entry.name, entry.value, name, version, group == CONTRIB)
            listed_names = _lists(entry)
            requires = listed_names.get("requires", ())
            options = listed_names.get("call_options", ())
            every.append(Found(*origin, requires, unfit, options))
    first: dict[str, Found] = {}
    for plugin in sorted(every, key=lambda it: (it.distribution != HOST, it.name, it.distribution)):
        owner = first.setdefault(plugin.name, plugin)
        taken = f"another plugin of this name is brought by {owner.shipped_by}"
        unfit = plugin.unfit if owner is plugin else f"{taken}; uninstall one of the two"
        listed.append(structs.replace(plugin, unfit=unfit))
    return listed


@functools.lru_cache(maxsize=1)  # it brings many one after the other, and is another next time
def _shipped(distribution: Distribution) -> tuple[str, str, str]:
    told: Any = distribution.metadata or {}  # importlib_metadata answers None where there are none
    name = told.get("Name") or "unknown distribution"
    unfit = _refused_by(distribution) if told and name != HOST else ""
    return name, told.get("Version") or "", unfit


def _refused_by(distribution: Distribution) -> str:
    """Say why a distribution does not work with this Landyard; nothing where it does."""
    from packaging.requirements import InvalidRequirement, Requirement  # a stranger's alone
    from packaging.utils import canonicalize_name

    ours = version(HOST)
    try:
        wanted = [Requirement(text) for text in distribution.requires or ()]
    except InvalidRequirement as error:
        return f"its requirements cannot be read: {error}"
    for each in wanted:
        if canonicalize_name(each.name) != HOST or (each.marker and not each.marker.evaluate()):
            continue
        if not each.specifier.contains(ours, prereleases=True):
            return f"it requires landyard {each.specifier}, and this is landyard {ours}"
    return ""


def to_install(plugin: Found) -> str:
    """Name a package that a plugin needs and that is not installed; "" where all are.

    A plugin needs the requirements of its distribution. Of the distribution's extras it needs those
    of its entry point, and the one of its own name. `pip install` takes the answer.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    try:
        shipped = distribution(plugin.distribution)
        wanted = [Requirement(text) for text in shipped.requires or ()]
    except (PackageNotFoundError, InvalidRequirement):  # which its import will tell
        return ""
    entries = shipped.entry_points.select(name=plugin.name)
    its = {canonicalize_name(name) for it in entries for name in (it.name, *it.extras)}
    provided = shipped.metadata.get_all("Provides-Extra") or ()
    extras = [name for name in provided if canonicalize_name(name) in its]
    for each in wanted:
        if _is_there(each):
            continue
        if each.marker is None or each.marker.evaluate({"extra": ""}):
            return f"{each.name}{each.specifier}"
        for extra in extras:
            if each.marker.evaluate({"extra": extra}):
                return f"{plugin.distribution}[{extra}]"
    return ""


def _is_there(wanted: "Requirement") -> bool:
    try:
        return wanted.specifier.contains(version(wanted.name), prereleases=True)
    except PackageNotFoundError:
        return False


def _lists(entry: EntryPoint) -> dict[str, tuple[str, ...]]:
    """Read lists such as `requires = ("landing",)` from a module's source, without running it.

    Lists that are not written out are left out: the import of the module compares.
    """
    lists: dict[str, tuple[str, ...]] = {}
    with suppress(Exception):  # an import will raise what is wrong
        source = _source(entry.module)
        if not any(name.encode() in source for name in _LISTS):
            return lists
        body: list[Any] = ast.parse(source).body
        for each in body:
            for target in getattr(each, "targets", [getattr(each, "target", None)]):
                name = getattr(target, "id", "")
                if name in _LISTS and name not in lists:
                    names = ast.literal_eval(each.value)
                    lists[name] = tuple(map(str, names)) if isinstance(names, tuple | list) else ()
    return lists


def _source(module: str) -> bytes:
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    place = Path((spec and spec.origin) or "")
    if inner:
        place = place.parent.joinpath(*inner)
        place = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return place.read_bytes()
