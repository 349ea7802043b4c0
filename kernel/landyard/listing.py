"""The names of the methods that are on, as a caller may list them (decisions, section 7)."""

from landyard.calls import Actor
from landyard.methods import MethodTable


class Listing:
    """Answers which methods there are, sorted, in their documented spelling."""

    def __init__(self, table: MethodTable) -> None:
        """List from `table` as it is at each question."""
        self._table = table

    def everything(self) -> list[str]:
        return [method.name for method in self._table]

    def of_scope(self, scope: str) -> list[str]:
        """List the methods of one permission scope; the empty one is that of general methods."""
        return [method.name for method in self._table if method.scope == scope]

    def available(self, actor: Actor) -> list[str]:
        """List the general methods and those whose scope the caller's credential holds."""
        return [
            method.name for method in self._table if method.general or method.scope in actor.scopes
        ]
