"""The command `landyard plugins new`, which writes the package of a new plugin."""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_scaffold.commands import plugins  # imported late: a server needs no commands

    return [plugins]
