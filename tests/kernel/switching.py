"""Plugins that tests of the kernel switch on and off, and the switch."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kernel.sample import Brings, Nothing

from landyard import Call, Kernel, MethodGroup, Plugin
from landyard.audit import OK, Entry
from landyard.states import State, switch


def turn(kernel: Kernel, name: str, *, is_on: bool, kind: str = "plugin") -> None:
    """Switch as the command line does; each kernel comes to know by its `refresh`."""
    switch(kernel.store, name, is_on=is_on, entry=entry(name, is_on=is_on, kind=kind))


def entry(name: str, *, is_on: bool, kind: str = "plugin") -> Entry:
    return Entry(
        at=datetime.now(UTC),
        user_id=0,
        credential="command line:tester",
        address="",
        method=f"plugins.{'enable' if is_on else 'disable'}",
        plugin="kernel",
        version="",
        subject=f"{kind}:{name}",
        outcome=OK,
        seconds=0.0,
        request_id="",
    )


def saying(name: str, *more: str, **brought: Any) -> Plugin:
    """A plugin whose methods `<name>.say`, and what `more` names, answer its name."""
    group = MethodGroup(scope="sample")
    for word in ("say", *more):

        @group.method(f"{name}.{word}")
        def say(call: Call, params: Nothing) -> str:
            """Say whose method this is."""
            return name

    module = Brings(group)
    vars(module).update(brought)
    return Plugin(name, module, "sayings 1.0")


def doing(name: str, does: Callable[[], object], **brought: Any) -> Plugin:
    """A plugin with the one method `<name>.do`."""
    group = MethodGroup(scope="sample")

    @group.method(f"{name}.do")
    def do(call: Call, params: Nothing) -> str:
        """Do it."""
        does()
        return name

    module = Brings(group)
    vars(module).update(brought)
    return Plugin(name, module, "sayings 1.0")


def states(kernel: Kernel) -> dict[str, State]:
    return {state.name: state.state for state in kernel.report}


def reason(kernel: Kernel, name: str) -> str:
    return next(state.reason for state in kernel.report if state.name == name)
