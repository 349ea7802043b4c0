"""Plugins that tests of the kernel switch on and off, and the switch."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kernel.sample import Brings, Nothing

from landyard import Call, Kernel, MethodGroup, Plugin
from landyard.plugin_host.switches import State, write_switch


def turn(kernel: Kernel, name: str, *, is_on: bool) -> None:
    """Switch as the command line does; each kernel notices at its `refresh`."""
    with kernel.store.unit(writes=True) as unit:
        write_switch(unit.connection, name, is_on=is_on, at=datetime.now(UTC), by="tester")


def turn_off(kernel: Kernel, name: str) -> None:
    """Switch something off, and have this kernel notice."""
    turn(kernel, name, is_on=False)
    kernel.lifecycle.refresh()


def saying(name: str, *more: str, **brought: Any) -> Plugin:
    """A plugin whose methods `<name>.say`, and those named by `more`, answer its name."""
    group = MethodGroup(scope="sample")
    for word in ("say", *more):

        @group.method(f"{name}.{word}")
        def say(call: Call, params: Nothing) -> str:
            """Answer the name of the plugin."""
            return name

    return _plugin(name, group, brought)


def doing(
    name: str, does: Callable[[Call], object], *, writes: bool = False, **brought: Any
) -> Plugin:
    """A plugin with the one method `<name>.do`, which answers the plugin's name."""
    group = MethodGroup(scope="sample")

    @group.method(f"{name}.do", writes=writes)
    def do(call: Call, params: Nothing) -> str:
        """Answer the name of the plugin."""
        does(call)
        return name

    return _plugin(name, group, brought)


def _plugin(name: str, group: MethodGroup, brought: dict[str, Any]) -> Plugin:
    module = Brings(group)
    vars(module).update(brought)
    return Plugin(name, module, "sayings", "1.0")


def states(kernel: Kernel) -> dict[str, State]:
    return {state.name: state.state for state in kernel.resolution.states}


def reason(kernel: Kernel, name: str) -> str:
    return next(state.reason for state in kernel.resolution.states if state.name == name)
