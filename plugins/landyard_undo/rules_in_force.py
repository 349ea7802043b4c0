"""The rules in force: those of the plugins' tables, of the kernel's, and of the journal itself."""

from landyard import Host
from landyard_undo.rules import LOG, NEVER, REFUSED, UndoRules, never, refused, rules_of

_NEVER_NOTED = ("undo_", "alembic_", "sqlite_")  # names of tables begin so

_NO_RULES = UndoRules()


class RulesInForce:
    """The rules of tables, by their names."""

    def __init__(self) -> None:
        """Start with the kernel's tables, for the kernel knows no undo."""
        self._rules = {
            each.table: each
            for each in (
                *never("landyard_job", "landyard_usage", "landyard_plugin"),
                *refused("landyard_user", "landyard_webhook", "landyard_token"),
                *refused("landyard_switch", "landyard_breaker"),
            )
        }

    def learn(self, host: Host) -> None:
        """Add the rules of plugins. Those of a plugin that was switched off stay, as its tables."""
        self._rules |= rules_of(host)

    def of(self, table: str) -> UndoRules:
        """Return the rules of a table."""
        return self._rules.get(table, _NO_RULES)

    def rows_of(self, table: str) -> str:
        """Tell how the rows of a table are treated: `UNDONE`, `NEVER`, `LOG` or `REFUSED`."""
        if table.startswith(_NEVER_NOTED):
            return NEVER
        return self.of(table).rows

    def are_undone(self, table: str) -> bool:
        """Tell whether an undo changes rows of a table."""
        return self.rows_of(table) not in (NEVER, LOG)

    def noted_kinds(self, table: str) -> tuple[str, ...]:
        """List the changes that are noted of a table's rows."""
        rows = self.rows_of(table)
        if rows == NEVER:
            return ()
        return ("insert", "update") if rows == LOG else ("insert", "update", "delete")

    def are_values_noted(self, table: str) -> bool:
        """Tell whether the values of a table's rows are noted, beside their keys."""
        return self.rows_of(table) not in (LOG, REFUSED)
