"""The registry: the methods, settings and hooks that are on at one moment.

A switch makes another registry; calls under way finish on theirs.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from landyard.core.methods import MethodTable
from landyard.core.ports import ParamsReader

if TYPE_CHECKING:
    from landyard.core.hook_calls import Hook
    from landyard.core.hooks import Event


class Registry:
    """What a call needs to know, filled by the plugin host; later `before_call` may lose hooks.

    `settings` are by type, a plugin's own beside the kernel's; `hooks` by the hook's name, those
    of the first plugin first; `records` by type and key; `subscribers` by the type of events;
    `kept` are the objects of plugins that have one.
    """

    def __init__(self, settings: Mapping[type[Struct], Struct] | None = None) -> None:
        self.methods = MethodTable()
        self.readers: dict[str, ParamsReader] = {}
        self.settings: dict[type[Struct], Any] = dict(settings or {})
        self.hooks: dict[str, list[Hook]] = {}
        self.records: dict[type, dict[str, Any]] = {}
        self.subscribers: dict[type[Event], list[Hook]] = {}
        self.kept: list[Any] = []
