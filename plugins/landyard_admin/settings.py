"""`landyard.setting.list`: the settings in force."""

from typing import Any

from msgspec import Struct

from landyard import Call, Example
from landyard_admin.group import Nothing, Operator, admin


class ListedSetting(Struct, frozen=True):
    """A setting; that of a plugin is called `section.name`."""

    name: str
    value: Any


@admin.method(
    "landyard.setting.list",
    right="administrator",
    example=Example({}, result=[{"name": "time_zone", "value": "UTC"}]),
)
def list_settings(call: Call, _params: Nothing) -> list[ListedSetting]:
    """List the settings in force in the worker that answers; passwords and secrets stay hidden.

    They are of `landyard.toml`, variables and flags, as it began with them.
    """
    shown = call.kept(Operator).host.plugins.settings_in_force()
    return [ListedSetting(name, value) for name, value in shown.items()]
