"""The registry: the methods, settings and hooks that are on at one moment.

A switch makes another registry; calls under way finish on theirs.
"""

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from landyard.core.methods import Hook, MethodTable
from landyard.core.ports import ParamsReader

if TYPE_CHECKING:
    from landyard.core.events import Event


class Registry(Struct, eq=False):
    """What a call needs to know, filled by the plugin host; later `before_call` may lose hooks.

    `settings` are by type, a plugin's own beside the kernel's; `hooks` by the hook's name, those
    of the first plugin first; `records` by type and key; `subscribers` by the type of events;
    `kept` are the objects of plugins that have one. `waiting` are the methods, in lower case, of
    plugins whose tables are still to be upgraded.
    """

    settings: dict[type[Struct], Any]
    methods: MethodTable = field(default_factory=MethodTable)
    readers: dict[str, ParamsReader] = {}
    hooks: dict[str, list[Hook]] = {}
    records: dict[type, dict[str, Any]] = {}
    subscribers: "dict[type[Event], list[Hook]]" = {}
    kept: list[Any] = []
    waiting: set[str] = set()
    __repr__ = object.__repr__  # settings and what was sent have no business in a log
