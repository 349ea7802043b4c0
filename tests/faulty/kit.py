"""The kit of faulty plugins, and their installation where plugins are found."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

PLUGINS = Path(__file__).with_name("plugins")
"""Modules that load well and fail while they serve."""


class Fault(Struct, frozen=True):
    """A plugin with one fault, and the entry that the list of plugins must show for it.

    `body` is its module; `state` and `reason`, a regular expression, are the expected entry.
    `files` are installed beside the module; a name that begins with a slash belongs to the
    distribution's own folder. `entry` is the plugin's name where it differs from the fault's.
    """

    name: str
    body: str
    reason: str
    state: str = "failed"
    requirement: str = "landyard>=0.1"
    entry: str = ""
    files: Mapping[str, str] = {}

    @property
    def plugin(self) -> str:
        """The name of the entry point."""
        return self.entry or f"faulty_{self.name}"

    @property
    def module(self) -> str:
        return f"faulty_{self.name}"

    @property
    def distribution(self) -> str:
        return f"faulty-{self.name.replace('_', '-')}"


def running() -> list[Fault]:
    """Return the plugins that fail while they serve."""
    return [Fault(each.stem, each.read_text(), "", "enabled") for each in PLUGINS.glob("*.py")]


def install(folder: Path, *faults: Fault) -> None:
    """Put each plugin's distribution into `folder`, as an installer does."""
    for fault in faults:
        info = f"{fault.distribution.replace('-', '_')}-1.0.dist-info"
        metadata = (
            f"Metadata-Version: 2.1\nName: {fault.distribution}\nVersion: 1.0\n"
            f"Requires-Dist: {fault.requirement}\n"
        )
        files = {
            f"{fault.module}.py": fault.body,
            "/METADATA": metadata,
            "/entry_points.txt": f"[landyard]\n{fault.plugin} = {fault.module}\n",
            **fault.files,
        }
        for name, text in files.items():
            path = folder / (info + name if name.startswith("/") else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def names(faults: Iterable[Fault]) -> set[str]:
    """The plugins' names."""
    return {fault.plugin for fault in faults}
