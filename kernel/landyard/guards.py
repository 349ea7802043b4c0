"""Guards: what plugins do to the process beyond their own calls, and who it was."""

import sys

import structlog

from landyard.doors import OwnerOf
from landyard.leftovers import Leftovers
from landyard.memory import SLOW, Memory, Weighed
from landyard.patches import Patch, Patches

log = structlog.get_logger()


class Guards:
    """The three together: modules that are patched, threads and memory that are left behind."""

    def __init__(self, owner_of: OwnerOf) -> None:
        """Begin before the first plugin is imported; `owner_of` tells whose a module is."""
        self.patches = Patches(owner_of)
        self.leftovers = Leftovers(owner_of)
        self.memory = Memory()

    def end(self, call: Weighed, seconds: float) -> None:
        """Note that a call which `memory.begin` was told of is over, after `seconds`."""
        patches = self.patches
        if patches.doers or len(sys.modules) != patches.loaded:
            patches.settle(call.plugin)
        if seconds > SLOW or self.memory.weighing:
            self.memory.end(call, seconds)
        call.plugin = ""

    def mended(self, importing: str = "") -> list[tuple[str, str]]:
        """Put back what is patched, and return whose doing it was, with a reason to tell.

        `importing` is the plugin that has just been imported.
        """
        changed = self.patches.changed(importing)
        if changed:
            self.patches.restore()
        found: dict[str, list[Patch]] = {}
        for patch in changed:
            log.warning(
                "patch_undone", module=patch.module, name=patch.name, plugin=patch.owner or None
            )
            found.setdefault(patch.owner, []).append(patch)
        return [(owner, _told(patches)) for owner, patches in found.items() if owner]

    def over(self) -> list[tuple[str, str]]:
        """Look, about once a second, and return who is over a line, with a reason to tell."""
        self.memory.look()
        return [*self.mended(), *self.leftovers.over(), *self.memory.over()]

    def close(self) -> None:
        """Look no more."""
        self.patches.close()
        self.leftovers.close()


def _told(patches: list[Patch]) -> str:
    first = f"it has changed {patches[0].module}.{patches[0].name}"
    return first if len(patches) == 1 else f"{first} and {len(patches) - 1} more"
