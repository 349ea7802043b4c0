"""`landyard.setting.list`: the settings in force."""

from typing import Any

from msgspec import Struct

from landyard import Call, Example
from landyard_admin.group import Nothing, Operator, admin


class ListedSetting(Struct, frozen=True):
    """A setting; a plugin's setting is named `section.name`."""

    name: str
    value: Any


@admin.method(
    "landyard.setting.list",
    right="administrator",
    example=Example({}, result=[{"name": "time_zone", "value": "UTC"}]),
)
def list_settings(call: Call, _params: Nothing) -> list[ListedSetting]:
    """List the settings of the answering worker; passwords and secrets stay hidden.

    They are read at the worker's start from `landyard.toml`, environment variables and flags.
    """
    shown = call.kept(Operator).host.plugins.settings_in_force()
    return [ListedSetting(name, value) for name, value in shown.items()]
