"""The plugins of a kernel: the parts that they bring, the state of each, and their switches."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from sqlalchemy import make_url

from landyard.core.events import Event
from landyard.core.methods import Hook, Method
from landyard.hooks import Job
from landyard.logs import SECRET_KEYS, without_secrets
from landyard.plugin_host.failures import Failures
from landyard.plugin_host.lifecycle import Lifecycle
from landyard.plugin_host.resolution import Resolution
from landyard.plugin_host.switchboard import Switchboard
from landyard.plugin_host.switches import PluginState
from landyard.storage.schema import Schema

_T = TypeVar("_T")


class Plugins:
    """The plugins of a kernel, as far as plugins themselves may know of them.

    `switchboard` says how all installed plugins stand, in all processes, and switches them.
    """

    def __init__(self, lifecycle: Lifecycle, switchboard: Switchboard, failures: Failures) -> None:
        """Take the parts of the kernel."""
        self._lifecycle = lifecycle
        self._failures = failures
        self.switchboard = switchboard

    @property
    def states(self) -> Sequence[PluginState]:
        """How each installed plugin stands in this process."""
        return self._lifecycle.resolution.states

    @property
    def jobs(self) -> Mapping[str, tuple[str, Job]]:
        """The jobs of the plugins that are on, each with its plugin's name, by the job's name."""
        return self._lifecycle.resolution.jobs

    @property
    def subscribers(self) -> Mapping[type[Event], Sequence[Hook]]:
        """The subscribers of the plugins that are on, by the type of events."""
        return self._lifecycle.resolution.registry.subscribers

    @property
    def methods(self) -> Mapping[str, Method]:
        """The methods of all plugins that were loaded, by name; some may be off now."""
        loaded = list(self._lifecycle.loaded.values())
        return {method.name: method for each in loaded for method in each.methods}

    @property
    def schema(self) -> Schema:
        """The tables of the plugins that are on."""
        return Schema([it.tables for it in self._lifecycle.resolution.contributions if it.tables])

    @property
    def revision(self) -> object:
        """Stands for what is on now: another object after each switch."""
        return self._lifecycle.resolution.registry

    def settings_in_force(self) -> dict[str, Any]:
        """Return the settings by name, a plugin's as `section.name`; secrets are hidden."""
        settings = self.switchboard.settings
        shown: dict[str, Any] = msgspec.to_builtins(settings, enc_hook=str)
        shown["database_url"] = make_url(settings.database).render_as_string(hide_password=True)
        del shown["plugins"], shown["file_sections"]
        for name, section in self._lifecycle.resolution.sections.items():
            plain = _shown(msgspec.to_builtins(section))
            shown |= {f"{name}.{key}": value for key, value in plain.items()}
        return shown

    def kept(self, kind: type[_T]) -> _T:
        """Return what a plugin's `register_hooks` answered, by its type; or `LookupError`."""
        for each in self._lifecycle.resolution.registry.kept:
            if isinstance(each, kind):
                return each
        raise LookupError(f"no plugin that is on keeps a {kind.__name__}")

    def keeps(self, kept: object) -> bool:
        """Tell whether the plugin is on whose `register_hooks` answered this object."""
        return any(each.keeper is kept for each in self._lifecycle.resolution.contributions)

    def follow(self, follower: Callable[[frozenset[str]], object]) -> None:
        """Call `follower` with the names of the plugins that are on, now and at each switch.

        It is called before the switch counts.
        """

        def tell(resolution: Resolution) -> Mapping[str, str]:
            follower(frozenset(each.plugin.name for each in resolution.contributions))
            return {}

        self._lifecycle.follow(tell)

    def refresh(self) -> None:
        """Take up at once what was switched; servers do so twice a second."""
        self._lifecycle.refresh()

    def note_failure(self, plugin: str, where: str, seconds: float, error: BaseException) -> None:
        """Count what a plugin's code has raised outside of a call, after so many seconds.

        `where` is such as `subscriber poll.count`.
        """
        self._failures.note(plugin, where, seconds, error)


def _shown(values: Any) -> Any:
    """Hide the values of `SECRET_KEYS`, also in tables inside of a section, and secrets of URLs."""
    if isinstance(values, dict):
        return {
            key: "…" if key in SECRET_KEYS and value else _shown(value)
            for key, value in values.items()
        }
    is_url = isinstance(values, str) and "://" in values
    return without_secrets(values) if is_url else values
