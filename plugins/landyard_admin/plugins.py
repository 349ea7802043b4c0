"""`landyard.plugin.list`, `get`, `enable` and `disable`: the installed plugins and their switch."""

from datetime import datetime

from msgspec import Struct

from landyard import Call, CallError, Example, Irreversible, MissingParams, PluginStatus, WrongType
from landyard_admin.descriptions import description_of
from landyard_admin.group import Nothing, Operator, admin
from landyard_admin.switching import Switched, SwitchRefused, switch


class PluginNotFound(CallError):
    code = "PLUGIN_NOT_FOUND"
    text = "There is no such plugin; landyard.plugin.list lists them."


class OfPlugin(Struct, frozen=True):
    """`name`: a plugin's name."""

    name: str


class ListedPlugin(Struct, frozen=True):
    """A plugin: `state` is `enabled`, `disabled` or `failed`, with the reason.

    `distribution` ships it; `description` is the first line of its docstring. `calls`, `errors`,
    `p95` and `last_error` cover the last hour in all workers: `errors` counts unexpected ones, and
    95 % of the calls took at most `p95` seconds. `methods` are the plugin's methods, `methods_off`
    those switched off one by one, `methods_refused` those refused for a while. `switched_by` and
    `switched_at` tell of the last switch.
    """

    name: str
    version: str
    distribution: str
    description: str
    state: str
    reason: str
    requires: list[str]
    methods: list[str]
    methods_off: list[str]
    methods_refused: list[str]
    calls: int
    errors: int
    p95: float
    last_error: str
    switched_by: str
    switched_at: datetime | None


_SERVER_TIME = {
    "name": "general",
    "version": "0.1.0",
    "distribution": "landyard",
    "description": "General methods: methods' names, the calling user, scopes, the server's time.",
    "state": "enabled",
    "reason": "",
    "requires": [],
    "methods": ["server.time"],
    "methods_off": [],
    "methods_refused": [],
    "calls": 12,
    "errors": 0,
    "p95": 0.001,
    "last_error": "",
    "switched_by": "",
    "switched_at": None,
}


@admin.method(
    "landyard.plugin.list", right="administrator", example=Example({}, result=[_SERVER_TIME])
)
def list_plugins(call: Call, _params: Nothing) -> list[ListedPlugin]:
    """List the installed plugins, with figures of their calls in the last hour.

    The reason of a failure is the one that the last started worker has met.
    """
    return [_listed(line) for line in _status(call)]


@admin.method(
    "landyard.plugin.get",
    right="administrator",
    errors=[MissingParams, WrongType, PluginNotFound],
    example=Example({"name": "general"}, result=_SERVER_TIME),
)
def get_plugin(call: Call, params: OfPlugin) -> ListedPlugin:
    """Describe one plugin, as `landyard.plugin.list` does."""
    name = call.kept(Operator).host.plugins.switchboard.current_name(params.name)
    for line in _status(call):
        if line.plugin.name == name:
            return _listed(line)
    raise PluginNotFound


@admin.method(
    "landyard.plugin.enable",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, SwitchRefused],
    example=Example({"name": "feed"}, result={"name": "feed", "also": []}),
)
def enable_plugin(call: Call, params: OfPlugin) -> Switched:
    """Switch a plugin on; all workers follow within a second.

    A failed plugin is tried again. `also` names the plugins that are switched on with it.
    """
    return switch(call, params.name, "plugin", is_on=True)


@admin.method(
    "landyard.plugin.disable",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, SwitchRefused],
    example=Example({"name": "pictures"}, result={"name": "pictures", "also": ["forms"]}),
)
def disable_plugin(call: Call, params: OfPlugin) -> Switched:
    """Switch a plugin off; all workers follow within a second.

    Its methods, pages, jobs and hooks disappear; calls under way finish. `also` names the plugins
    that require it and are switched off with it. The plugin of this method can be switched off by
    the command line only.
    """
    return switch(call, params.name, "plugin", is_on=False)


def _status(call: Call) -> list[PluginStatus]:
    return call.kept(Operator).host.plugins.switchboard.status(call.now())


def _listed(line: PluginStatus) -> ListedPlugin:
    plugin, hour, last = line.plugin, line.hour, line.switch
    return ListedPlugin(
        name=plugin.name,
        version=plugin.version,
        distribution=plugin.distribution,
        description=description_of(plugin.value),
        state=line.state.state,
        reason=line.state.reason,
        requires=list(plugin.requires),
        methods=list(line.state.methods),
        methods_off=list(line.off),
        methods_refused=[f"{each.method}: {each.reason}" for each in line.breakers],
        calls=hour.calls,
        errors=hour.errors,
        p95=hour.p95,
        last_error=hour.last_error,
        switched_by=last.changed_by if last else "",
        switched_at=last.changed_at if last else None,
    )
