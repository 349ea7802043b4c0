"""The registry: the methods, settings and hooks that are on at one moment.

A switch makes another registry; calls under way finish on theirs.
"""

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from landyard.core.calls import CallOption
from landyard.core.methods import Hook, MethodTable
from landyard.core.ports import ParamsReader

if TYPE_CHECKING:
    from landyard.core.events import Event


class Registry(Struct, eq=False):
    """Filled by the plugin host. Later on `before_call` may lose hooks, and nothing else changes.

    `settings` are by type, the plugins' beside the kernel's. `hooks` are by the hook's name, those
    of the first plugin first. `options` are the call options by name, those of plugins that are off
    among them: a call with one of these is refused. `records` are by type and key, `subscribers` by
    the type of events. `kept` are the objects of plugins that have one. `waiting` are the methods,
    in lower case, of plugins whose tables are still to be upgraded.
    """

    settings: dict[type[Struct], Any]
    methods: MethodTable = field(default_factory=MethodTable)
    readers: dict[str, ParamsReader] = {}
    hooks: dict[str, list[Hook]] = {}
    options: dict[str, CallOption] = {}
    records: dict[type, dict[str, Any]] = {}
    subscribers: "dict[type[Event], list[Hook]]" = {}
    kept: list[Any] = []
    waiting: set[str] = set()
    __repr__ = object.__repr__  # settings and what was sent have no business in a log
