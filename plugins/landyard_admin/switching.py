"""Switching a plugin or a method by a call, as `landyard plugins enable` and `disable` do."""

from msgspec import Struct

from landyard import Call, CallError, NotSwitched
from landyard_admin.group import Operator

_BACK = ("admin", "landyard.plugin.enable", "landyard.method.enable")
"""What a call could not switch on again: this very plugin, and what switches others on."""


class SwitchRefused(CallError):
    code = "SWITCH_REFUSED"
    text = "It cannot be switched."


class Switched(Struct, frozen=True):
    """What was switched, in its own spelling, and the plugins that went with it."""

    name: str
    also: list[str]


def switch(call: Call, name: str, kind: str, *, is_on: bool) -> Switched:
    """Switch a `plugin` or a `method`, the `kind`; raises `SwitchRefused`.

    What a call could not switch on again stays on.
    """
    host = call.kept(Operator).host
    switchboard, now = host.plugins.switchboard, call.now()
    lines = switchboard.status(now)
    try:
        known = switchboard.find(name, lines, is_on=is_on)
    except NotSwitched as refused:
        raise SwitchRefused(f"Nothing was switched: {refused}.") from refused
    plugins = {line.plugin.name for line in lines}
    if (known in plugins) != (kind == "plugin"):
        raise SwitchRefused(f"Nothing was switched: '{known}' is no {kind}.")
    call.subject = f"{kind}:{known}"
    if not is_on and known in _BACK:
        raise SwitchRefused(
            f"Nothing was switched: no call could switch '{known}' on again; use the command line,"
            f" landyard plugins disable {known}."
        )
    by = f"{call.actor.name} ({call.actor.credential})".strip()
    return Switched(
        known, switchboard.switch(call.connection, known, lines, is_on=is_on, at=now, by=by)
    )
