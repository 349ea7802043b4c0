"""Plans which rows an undo has to write, and finds the later changes that block it."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from landyard import Call, Irreversible
from landyard_undo.excerpts import LOST
from landyard_undo.journal import Later
from landyard_undo.later_changes import PLANNED, UNKNOWN, Change, LaterChanges, voids_of
from landyard_undo.merging import merge_of
from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.steps import Noted, Row, Step, is_same
from landyard_undo.values import Values


class Watched(Struct, frozen=True):
    """A row, as it is now, and all changes of it that are looked at, also those of `others`."""

    now: Values | None
    notes: Sequence[Noted]
    others: Sequence[Later]


class Blocked(Struct, frozen=True):
    """A row that was changed since: its columns, none where the row came or went."""

    step: Step
    columns: list[str]
    later: Sequence[Later]


class Planned(Struct, frozen=True):
    """A row that is to be written: `values` of columns, or a whole row that comes back."""

    step: Step
    now: Values | None
    values: Values

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.step.table

    @property
    def then(self) -> Values | None:
        """The row when it is written."""
        return None if self.step.made else {**(self.now or {}), **self.values}


class Planner:
    """Plans to take steps back, the last one first: each sees what is planned of its row."""

    def __init__(
        self,
        call: Call,
        database: Any,
        rules: RulesInForce,
        rows: Mapping[Row, Watched],
        units: Collection[int],
    ) -> None:
        """Take the rows, and the units of the calls that are taken back."""
        self._call, self._database, self._rules, self._rows = call, database, rules, rows
        self._written: dict[Row, list[tuple[Values | None, Values | None]]] = {}
        later = [each for row in rows.values() for each in row.others]
        self._voids = voids_of(call.connection, later)
        self._ours = {*units, PLANNED}

    def now(self, step: Step) -> Values | None:
        """Return the row as it is when this step is taken back; None where there is none."""
        written = self._written.get(step.id)
        return written[-1][1] if written else self._rows[step.id].now

    def plan(self, step: Step) -> Planned | Blocked | None:
        """Plan to take back what became of a row; None where nothing is to be done."""
        now = self.now(step)
        planned = self._plan(step, now, self._since(step))
        if isinstance(planned, Planned):
            self._written.setdefault(step.id, []).append((now, planned.then))
        return planned

    def _since(self, step: Step) -> LaterChanges:
        notes = [
            (each, *self._database.values(each))
            for each in self._rows[step.id].notes
            if each.id > step.last
        ]
        voids = [each.units for each in self._voids if each.begins.get(step.id, 0) > step.last]
        written = self._written.get(step.id, ())
        return LaterChanges(notes, self._rows[step.id].now, written, [*voids, self._ours])

    def _plan(
        self, step: Step, now: Values | None, since: LaterChanges
    ) -> Planned | Blocked | None:
        own = {each.id for each, *_ in since.notes}
        later = [
            each
            for each in self._rows[step.id].others
            if each.noted.id in own and not since.is_void(each.noted.unit)
        ]
        if now is None and not step.gone:
            is_done = step.made and not self._comes_back(later)
            return None if is_done else Blocked(step, [], later)
        if lost := [name for name, value in step.before.items() if value == LOST]:
            return Blocked(step, lost, later)
        if now is None:
            return Planned(step, None, step.before)
        if step.gone:
            return Blocked(step, [], later)
        if step.made:
            changed = self._changed(step, now, since)
            return Blocked(step, changed, later) if changed else Planned(step, now, {})
        return self._plan_values(step, now, since, later)

    def _comes_back(self, later: Sequence[Later]) -> bool:
        """Tell whether a row comes back where the call is undone that has removed it."""
        found = (each.call for each in later if each.call and each.noted.kind == "delete")
        methods = (self._call.listing.find(each.method) for each in found)
        return any(each is not None and Irreversible not in each.notes for each in methods)

    def _plan_values(
        self, step: Step, now: Values, since: LaterChanges, later: Sequence[Later]
    ) -> Planned | Blocked | None:
        """Plan to give columns of a row their values back."""
        values: Values = {}
        changed = []
        rules = self._rules.of(step.table)
        for name in filter(now.__contains__, step.before):
            value = step.before[name]
            changes = self._changes(step, name, since)
            if since.counts(changes):
                if name in rules.latest:
                    continue
                merge = merge_of(self._call, step.table, name, now, rules.merges.get(name))
                try:
                    value = since.carry(changes, value, merge)
                except ValueError:
                    changed.append(name)
            if not is_same(now[name], value):
                values[name] = value
        if changed:
            return Blocked(step, changed, later)
        return Planned(step, now, values) if values else None

    def _changed(self, step: Step, now: Values, since: LaterChanges) -> list[str]:
        """List the columns of a new row that were changed since by what counts."""
        return [
            name
            for name in now
            if name not in self._rules.of(step.table).latest
            and since.counts(self._changes(step, name, since))
        ]

    def _changes(self, step: Step, name: str, since: LaterChanges) -> list[Change]:
        digest = partial(self._database.digest, self._call.connection, step.table, step.key)
        return since.changes(name, step.after.get(name, UNKNOWN), digest)
