"""`landyard plugins check`: does an installed plugin keep the contract, and how does it behave?

- `trial` starts a child process for the plugin, and survives what the plugin does to it;
- `examination` is what that process does: one check after the other;
- `source` reads the plugin's files, and says where in them a thing stands;
- `imports` and `handlers` look at the source: imports of insides, writes, code that blocks;
- `declared` checks what the plugin declares: hooks and methods;
- `taken` finds names that the kernel or another plugin has already;
- `behaving` calls it: its examples, odd values, its jobs and pages;
- `migrating` runs its migrations up, down and up again, and compares the tables with the models;
- `database` compares a service's tables with the models: `landyard db check`;
- `leaving` finds what it leaves behind: threads, failed hooks.
"""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_checks.commands import plugins  # a server needs no words
    from landyard_checks.database import db

    return [plugins, db]
