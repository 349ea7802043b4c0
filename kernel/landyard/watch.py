"""The watch of a serving process: who kills it, and what plugins do to it beside their calls."""

import hashlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import structlog

from landyard.discovery import HOST, Found, found
from landyard.faults import KILLED, Faults
from landyard.guards import Guards
from landyard.plugins import PluginError
from landyard.recorder import Death, Recorder, suspects
from landyard.settings import Settings

log = structlog.get_logger()

DEADLY = "it killed the process that imported it"
_IMPORT = "import "
_SUSPECT = "suspect-"
_SHORTLY = 60.0  # seconds


class Watch:
    """Looks at this process and after those that died; made before the first plugin is imported.

    `deadly` are the plugins that an earlier process was importing when it died.
    """

    def __init__(
        self,
        settings: Settings,
        plugins: Iterable[Found] | None = None,
        *,
        serves: bool = True,
    ) -> None:
        """Begin a record of this process, and read those of the dead.

        One that does not serve will blame nobody: it reads of deaths by an import alone.
        """
        self._folder = settings.data.absolute() / "workers"
        self._deaths = suspects(self._folder, of="" if serves else _IMPORT)
        self.deadly = _imported(self._deaths)
        self._deadly_beside: set[str] = set()
        self.recorder = Recorder(self._folder)
        installed = found() if plugins is None else plugins
        self._owners = _owners(installed)
        # What these leave behind is what they were asked to do: one caller with large calls must
        # not take them from everybody.
        self._ours = frozenset(each.name for each in installed if each.distribution == HOST)
        self.guards = Guards(self.owner_of)

    def owner_of(self, module: str) -> str | None:
        """Name the plugin that a module belongs to."""
        while module not in self._owners:
            module, dot, _ = module.rpartition(".")
            if not dot:
                return None
        return self._owners[module]

    @contextmanager
    def importing(self, plugin: str) -> Iterator[None]:
        """Surround the import of a plugin; raises `PluginError` where it changes what all use."""
        if plugin in self._deadly_beside:
            self._deadly_beside.remove(plugin)  # who switches it on again wants it tried again
            raise PluginError(DEADLY)
        with self.recorder.during(f"{_IMPORT}{plugin}"):
            yield
        if told := [reason for owner, reason in self.guards.mended(plugin) if owner == plugin]:
            raise PluginError(told[0])

    def look(self, faults: Faults, points: int) -> None:
        """Blame who is to blame, about once a second; `points` are a quarantine's."""
        for plugin, reason in self.guards.over():
            if plugin in self._ours:
                log.warning("process_harmed", plugin=plugin, reason=reason)
            else:
                faults.blame(plugin, reason, points)
        self.note_deaths(faults, points)

    def note_deaths(self, faults: Faults, points: int) -> None:
        """Blame who has killed a process, as soon as can be: the same call may be here next."""
        before, self._deaths, beside = self._deaths, [], suspects(self._folder)
        self._deadly_beside.update(_imported(beside))
        for death in [*before, *beside]:
            log.error(
                "worker_died", pid=death.pid, plugin=death.likeliest or None, running=death.suspects
            )
            if not death.likeliest.startswith(_IMPORT):
                self._blame(death, faults, points)

    def _blame(self, death: Death, faults: Faults, points: int) -> None:
        # The count of points dies with its worker: where there is no doubt, one death is enough,
        # and the second of the same cause else.
        sure = death.sure or self._suspected_before(death.likeliest)
        faults.blame(death.likeliest, f"it killed worker {death.pid}", points if sure else KILLED)

    def _suspected_before(self, plugin: str) -> bool:
        """Tell whether a death of the last minute was put down to `plugin`, in any process."""
        mark = self._folder / f"{_SUSPECT}{hashlib.sha256(plugin.encode()).hexdigest()[:16]}"
        try:
            before = mark.exists() and time.time() - mark.stat().st_mtime < _SHORTLY
            if before:
                mark.unlink(missing_ok=True)
            else:
                mark.touch()
        except OSError as error:
            log.warning("suspect_not_kept", plugin=plugin, error=type(error).__name__)
            return False
        return before

    def close(self) -> None:
        """End well: nobody is to blame for it."""
        self.guards.close()
        self.recorder.close()


def _imported(deaths: Iterable[Death]) -> set[str]:
    """Name the plugins that processes were importing when they died."""
    names = (death.likeliest for death in deaths)
    return {name.removeprefix(_IMPORT) for name in names if name.startswith(_IMPORT)}


def _owners(installed: Iterable[Found]) -> dict[str, str]:
    """Name the plugin of each module, and of its package where no other plugin is in it."""
    modules: dict[str, str] = {}
    packages: dict[str, set[str]] = {}
    for plugin in installed:
        module = plugin.value.partition(":")[0].strip()
        modules.setdefault(module, plugin.name)
        packages.setdefault(module.partition(".")[0], set()).add(plugin.name)
    alone = {package: names.pop() for package, names in packages.items() if len(names) == 1}
    return {**alone, **modules}
