"""`landyard.method.list`, `enable` and `disable`: the methods, their state and its switch."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from landyard import Call, Example, Irreversible, MissingParams, WrongType
from landyard_admin.group import Nothing, Operator, admin
from landyard_admin.switching import Switched, SwitchRefused, switch


class OfMethod(Struct, frozen=True):
    """`name`: a method's name, in upper or lower case."""

    name: str


class ListedMethod(Struct, frozen=True):
    """A method; its `state` is `on`, `off` (by a switch, a setting or its plugin) or `refused`.

    `reason` says why it is not `on`; `until` is the end of a refusal. `scope` and `writes` are null
    if this worker has not loaded the method. `calls`, `errors` and `p95` cover the last hour, as in
    `landyard.plugin.list`.
    """

    name: str
    plugin: str
    state: Literal["on", "off", "refused"]
    reason: str
    until: datetime | None
    scope: str | None
    writes: bool | None
    calls: int
    errors: int
    p95: float


@admin.method(
    "landyard.method.list",
    right="administrator",
    example=Example(
        {},
        result=[
            {
                "name": "server.time",
                "plugin": "general",
                "state": "on",
                "reason": "",
                "until": None,
                "scope": "",
                "writes": False,
                "calls": 12,
                "errors": 0,
                "p95": 0.001,
            }
        ],
    ),
)
def list_methods(call: Call, _params: Nothing) -> list[ListedMethod]:
    """List by name the methods of all plugins that a server has ever run, whether on or off."""
    host = call.kept(Operator).host
    by_name = host.plugins.methods
    rows = []
    for line in host.plugins.switchboard.status(call.now()):
        refused = {each.method: each for each in line.breakers}
        for name in line.state.methods:
            method, breaker = by_name.get(name), refused.get(name)
            state: Literal["on", "off", "refused"] = "on"
            reason = ""
            if line.state.state != "enabled":
                state, reason = "off", f"its plugin is {line.state.state}"
            elif name in line.off:
                state, reason = "off", "switched off itself"
            elif breaker is not None and breaker.until > call.now():
                state, reason = "refused", breaker.reason
            until = breaker.until if breaker is not None and state == "refused" else None
            hour = line.hours[name]
            rows.append(
                ListedMethod(
                    name,
                    line.plugin.name,
                    state,
                    reason,
                    until,
                    method.scope if method else None,
                    method.writes if method else None,
                    hour.calls,
                    hour.errors,
                    hour.p95,
                )
            )
    return sorted(rows, key=lambda each: each.name)


@admin.method(
    "landyard.method.enable",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, SwitchRefused],
    example=Example(
        {"name": "landing.landing.delete"}, result={"name": "landing.landing.delete", "also": []}
    ),
)
def enable_method(call: Call, params: OfMethod) -> Switched:
    """Switch a method on, or end its refusal; all workers follow within a second."""
    return switch(call, params.name, "method", is_on=True)


@admin.method(
    "landyard.method.disable",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, SwitchRefused],
    example=Example(
        {"name": "landing.landing.delete"}, result={"name": "landing.landing.delete", "also": []}
    ),
)
def disable_method(call: Call, params: OfMethod) -> Switched:
    """Switch a method off; all workers follow within a second, and calls under way finish.

    The methods that switch others on can be switched off by the command line only.
    """
    return switch(call, params.name, "method", is_on=False)
