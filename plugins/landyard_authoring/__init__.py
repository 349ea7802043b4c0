"""The commands `landyard plugins new` and `landyard plugins check`, for authors of plugins.

- `new_command` and `new_package` write the package of a new plugin.
- `trial` examines a plugin in a child process, which may hang or die.
- `examination` runs the checks in that process, one after the other.
- `source` parses the plugin's files, and finds lines in them.
- `imports` and `handlers` examine the source: imports of internals, writes, blocking code.
- `declared` checks the plugin's hooks and methods.
- `name_clashes` finds names that the kernel or another plugin already has.
- `behaviour` calls methods with their examples and odd values, and runs jobs and pages.
- `migration_runs` migrates up, down and up again, and compares the tables with the models.
- `database` is `landyard db check`: it compares a service's tables with the models.
- `leftovers` finds threads that still run, and hooks that failed.
"""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    # A server needs no commands.
    from landyard_authoring.check_commands import plugins
    from landyard_authoring.database import db
    from landyard_authoring.new_command import plugins as new

    return [plugins, db, new]
