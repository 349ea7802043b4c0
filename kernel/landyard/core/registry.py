"""The registry: the methods, settings and hooks that are on at one moment.

A switch makes another registry; calls under way finish on theirs.
"""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from landyard.core.calls import Actor
from landyard.core.methods import Method, MethodTable
from landyard.core.ports import ParamsReader

if TYPE_CHECKING:
    from landyard.core.hook_calls import Hook
    from landyard.core.hooks import Event


class Listing:
    """Lists the names that methods answer to, sorted, in their documented spelling."""

    def __init__(self, table: MethodTable) -> None:
        """List from `table`, which does not change once the first question is asked."""
        self._table = table
        self._available: dict[frozenset[str], list[str]] = {}  # by a caller's scopes

    def find(self, name: str) -> Method | None:
        return self._table.find(name)

    def everything(self) -> list[str]:
        return self._names({method.scope for method in self._table})

    def available(self, actor: Actor) -> list[str]:
        """List the general methods and those whose scope the caller's credential holds."""
        known = self._available.get(actor.scopes)
        if known is None:
            known = self._available[actor.scopes] = self._names({"", *actor.scopes})
        return list(known)

    def suggest(self, name: str, actor: Actor) -> str | None:
        """Say which name is most like an unknown one, of those that are available to the caller."""
        from difflib import get_close_matches  # slow to import

        names = {each.lower(): each for each in self.available(actor)}
        close = get_close_matches(name[:100].lower(), names, 1, cutoff=0.75)
        return f"There is no such method; did you mean `{names[close[0]]}`?" if close else None

    def _names(self, scopes: Container[str]) -> list[str]:
        return sorted(name for each in self._table if each.scope in scopes for name in each.named)


class Registry:
    """What a call needs to know, filled by the plugin host; later `before_call` may lose hooks.

    `settings` are by type, a plugin's own beside the kernel's; `hooks` by the hook's name, those
    of the first plugin first; `records` by type and key; `subscribers` by the type of events;
    `kept` are the objects of plugins that have one.
    """

    def __init__(self, settings: Mapping[type[Struct], Struct] | None = None) -> None:
        self.methods = MethodTable()
        self.readers: dict[str, ParamsReader] = {}
        self.listing = Listing(self.methods)
        self.settings: dict[type[Struct], Any] = dict(settings or {})
        self.hooks: dict[str, list[Hook]] = {}
        self.records: dict[type, dict[str, Any]] = {}
        self.subscribers: dict[type[Event], list[Hook]] = {}
        self.kept: list[Any] = []

    def add(self, method: Method, reader: ParamsReader) -> None:
        """Take a method in; raises `ValueError` where its name is taken."""
        self.methods.add(method)
        self.readers[method.name] = reader
