"""The screen of plugins and their methods: state with reason, figures of calls, and switches."""

from typing import Any

from landyard_console.view import Shown, View

_COUNTED = ("calls", "errors", "p95")
_WORST_FIRST = {"failed": 0, "off_by_dependency": 1, "disabled": 2}


def show(view: View) -> Shown:
    """Return the list of plugins, or the one in the address."""
    if view.path:
        return _one(view, view.path[0])
    plugins = view.call("landyard.plugin.list")
    plugins.sort(key=lambda each: (_WORST_FIRST.get(each["state"], 3), each["name"]))
    main = view.html("plugins.html", plugins=plugins)
    return Shown(title=view.text("plugins.title"), main=main)


def _one(view: View, name: str) -> Shown:
    plugin = view.call("landyard.plugin.get", name=name)
    name = plugin["name"]  # the address may have a former one
    methods: list[dict[str, Any]] = [
        each for each in view.call("landyard.method.list") if each["plugin"] == name
    ]
    by = view.query.get("by", "")
    by = by if by in _COUNTED else ""
    if by:  # the highest first; equal ones stay sorted by name
        methods.sort(key=lambda each: -each[by])
    stopped = _stopped(view.call("landyard.plugin.list"), name)
    main = view.html("plugin.html", plugin=plugin, methods=methods, by=by, stopped=stopped)
    return Shown(title=name, main=main)


def _stopped(plugins: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the active plugins that require a plugin, directly or not."""
    stopped = {name}
    while more := [
        each for each in plugins if each["name"] not in stopped and stopped & {*each["requires"]}
    ]:
        stopped |= {each["name"] for each in more}
    return [
        each for each in plugins if each["name"] in stopped - {name} and each["state"] == "enabled"
    ]
