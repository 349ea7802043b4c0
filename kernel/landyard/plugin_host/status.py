"""The status of an installed plugin, read from metadata and database without any import."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Row

from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.plugin_host.discovery import Found
from landyard.plugin_host.switches import PluginState
from landyard.plugin_host.usage import Hour


class PluginStatus(Struct, frozen=True):
    """One plugin: how it stands, what it requires, how its calls of the last hour went.

    `off` are methods that are off by themselves; `breakers` are those refused for a while.
    """

    plugin: Found
    state: PluginState
    hour: Hour = Hour()
    hours: Mapping[str, Hour] = {}  # those of its methods
    off: tuple[str, ...] = ()
    breakers: tuple[OpenBreaker, ...] = ()
    switch: Row[Any] | None = None
