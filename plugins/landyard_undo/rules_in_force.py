"""Tells how an undo treats each table: by the rules of plugins, of the kernel, of the journal."""

from landyard import Host
from landyard_undo.rules import LOG, NEVER, REFUSED, UndoRules, never, refused, rules_of

_NEVER_NOTED = ("undo_", "alembic_", "sqlite_")  # names of tables begin so

_NO_RULES = UndoRules()


class RulesInForce:
    """The undo rules of all tables, of the kernel and of plugins."""

    def __init__(self) -> None:
        """Begin with the rules of the kernel's tables, which the kernel itself does not declare."""
        self._rules = {
            each.table: each
            for each in (
                *never("landyard_job", "landyard_usage", "landyard_plugin"),
                *refused("landyard_user", "landyard_webhook", "landyard_token"),
                *refused("landyard_switch", "landyard_breaker"),
            )
        }

    def learn(self, host: Host) -> None:
        """Add the rules of the enabled plugins; rules of plugins that were switched off stay."""
        self._rules |= rules_of(host)

    def of(self, table: str) -> UndoRules:
        """Return the rules of a table."""
        return self._rules.get(table, _NO_RULES)

    def rows_of(self, table: str) -> str:
        """Return how an undo treats the rows of a table: `UNDONE`, `NEVER`, `LOG` or `REFUSED`."""
        if table.startswith(_NEVER_NOTED):
            return NEVER
        return self.of(table).rows

    def are_undone(self, table: str) -> bool:
        """Tell whether an undo changes rows of a table."""
        return self.rows_of(table) not in (NEVER, LOG)

    def noted_kinds(self, table: str) -> tuple[str, ...]:
        """Return the kinds of changes of a table's rows that triggers record."""
        rows = self.rows_of(table)
        if rows == NEVER:
            return ()
        return ("insert", "update") if rows == LOG else ("insert", "update", "delete")

    def are_values_noted(self, table: str) -> bool:
        """Tell whether triggers record the values of a table's rows, not only the primary keys."""
        return self.rows_of(table) not in (LOG, REFUSED)
