"""`landyard.method.list`, `enable` and `disable`: which methods there are, and which are on."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from landyard import Call, Example, Irreversible, MissingParams, WrongType
from landyard_admin.group import Nothing, Operator, admin
from landyard_admin.switching import Switched, SwitchRefused, switch


class OfMethod(Struct, frozen=True):
    """`name`: a method's name, in any spelling."""

    name: str


class ListedMethod(Struct, frozen=True):
    """A method: `off` by a switch, a setting or with its plugin, or `refused` for a while.

    `reason` says why it is not `on`, `until` how long it is refused. `scope` and `writes` are null
    where this worker has not loaded it. `calls`, `errors` and `p95` are those of the last hour, as
    in `landyard.plugin.list`.
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
                "plugin": "basic",
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
    """List the methods of all plugins that a server has run, on or not, by their names."""
    host = call.kept(Operator).host
    known = host.plugins.methods
    listed = []
    for line in host.plugins.switchboard.status(call.now()):
        refused = {each.method: each for each in line.breakers}
        for name in line.state.methods:
            method, breaker = known.get(name), refused.get(name)
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
            listed.append(
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
    return sorted(listed, key=lambda each: each.name)


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
    """Switch a method on, also one that is refused for a while; all workers follow in a second."""
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

    `landyard.plugin.enable` and its like are switched by the command line.
    """
    return switch(call, params.name, "method", is_on=False)
