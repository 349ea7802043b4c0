"""The switch of a plugin or method by a call, as `landyard plugins enable` and `disable` do."""

from msgspec import Struct

from landyard import Call, CallError, NotSwitched
from landyard_admin.group import Operator

_BACK = ("admin", "landyard.plugin.enable", "landyard.method.enable")
"""Names that no call could switch on again: this plugin, and the methods that switch on."""


class SwitchRefused(CallError):
    code = "SWITCH_REFUSED"
    text = "It cannot be switched."


class Switched(Struct, frozen=True):
    """`name`: the plugin or method, in its own spelling; `also`: plugins switched with it."""

    name: str
    also: list[str]


def switch(call: Call, name: str, kind: str, *, is_on: bool) -> Switched:
    """Switch a plugin or method on or off; `kind` is `plugin` or `method`.

    A former name switches what has the current name: a method where a plugin became one. Raises
    `SwitchRefused` if it cannot be switched, or if no call could switch it on again.
    """
    host = call.kept(Operator).host
    switchboard, now = host.plugins.switchboard, call.now()
    lines = switchboard.status(now)
    try:
        target = switchboard.find(name, lines, is_on=is_on)
    except NotSwitched as refused:
        raise SwitchRefused(f"Nothing was switched: {refused}.") from refused
    found = "plugin" if target in {line.plugin.name for line in lines} else "method"
    if found != kind and switchboard.current_name(name) == name:
        raise SwitchRefused(f"Nothing was switched: '{target}' is no {kind}.")
    call.subject = f"{found}:{target}"
    if not is_on and target in _BACK:
        raise SwitchRefused(
            f"Nothing was switched: no call could switch '{target}' on again; use the command line,"
            f" landyard plugins disable {target}."
        )
    by = f"{call.actor.name} ({call.actor.credential})".strip()
    return Switched(
        target, switchboard.switch(call.connection, target, lines, is_on=is_on, at=now, by=by)
    )
