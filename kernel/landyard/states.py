"""States: what is switched on or off, and how each plugin fares, in the database."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, structs
from sqlalchemy import (
    JSON,
    BigInteger,
    Connection,
    bindparam,
    delete,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError
from sqlmodel import Field, SQLModel

from landyard.audit import Audit, Entry
from landyard.faults import Quarantine
from landyard.settings import Settings, read_section
from landyard.store import Moment, Store, UnitOfWork

T = TypeVar("T")

State = Literal["enabled", "disabled", "failed", "quarantined"]


class PluginSettings(Struct, frozen=True):
    """Plugins. The section `[plugins]`.

    `on` and `off` pin plugins and methods by name, against any switch. A call may take `seconds`,
    unless its method says otherwise; a plugin has `import_seconds` to get ready. `faults` within
    `within` seconds put it in quarantine for `pause` seconds, twice as long each time it goes on.
    """

    on: list[str] = []
    off: list[str] = []
    seconds: Annotated[float, Meta(gt=0, le=86_400)] = 30.0
    import_seconds: Annotated[float, Meta(gt=0, le=3_600)] = 10.0
    faults: Annotated[int, Meta(ge=1)] = 5
    within: Annotated[float, Meta(gt=0)] = 60.0
    pause: Annotated[float, Meta(gt=0)] = 10.0

    def __post_init__(self) -> None:
        """Refuse with `ValueError` what is pinned both ways."""
        both = set(map(str.lower, self.on)).intersection(map(str.lower, self.off))
        if both:
            raise ValueError(f"'{min(both)}' is both in plugins.on and in plugins.off")


def plugin_settings(settings: Settings) -> PluginSettings:
    """Read the section `[plugins]`; raises `SettingsError`."""
    return read_section(PluginSettings, "plugins", settings.plugins.get("plugins", {}))


class SwitchRow(SQLModel, table=True):
    """What an operator has switched: a plugin, or one method."""

    __tablename__ = "landyard_switch"

    name: str = Field(primary_key=True)
    is_on: bool
    changed_at: datetime = Field(sa_type=Moment)


class PluginRow(SQLModel, table=True):
    """How a plugin fared when a server last started or changed it."""

    __tablename__ = "landyard_plugin"

    name: str = Field(primary_key=True)
    distribution: str = Field(primary_key=True)
    version: str
    state: str
    reason: str
    methods: list[str] = Field(sa_type=JSON)
    reported_at: datetime = Field(sa_type=Moment)


class QuarantineRow(SQLModel, table=True):
    """A plugin whose calls are refused for a while."""

    __tablename__ = "landyard_quarantine"

    name: str = Field(primary_key=True)
    reason: str
    level: int
    since: datetime = Field(sa_type=Moment)
    until: datetime = Field(sa_type=Moment)


class ChangeRow(SQLModel, table=True):
    """Counts the changes of the other tables, so that who looks often reads one number."""

    __tablename__ = "landyard_change"

    id: int = Field(primary_key=True)
    counter: int = Field(sa_type=BigInteger)


class Switch(Struct, frozen=True):
    """A switch as an operator left it."""

    is_on: bool
    changed_at: datetime


class Switches(Struct, frozen=True):
    """All that the database says about what is on, as of change number `counter`."""

    counter: int = 0
    switches: Mapping[str, Switch] = {}
    quarantines: Mapping[str, Quarantine] = {}


class PluginState(Struct, frozen=True):
    """How a plugin stands: `reason` says why, where it is not `enabled`.

    `distribution` ships it; `methods` are those that it brings.
    """

    name: str
    version: str
    distribution: str
    state: State
    reason: str = ""
    methods: tuple[str, ...] = ()


_SWITCH: Any = SwitchRow.__table__.c  # type: ignore[attr-defined]
_PLUGIN: Any = PluginRow.__table__.c  # type: ignore[attr-defined]
_QUARANTINE: Any = QuarantineRow.__table__.c  # type: ignore[attr-defined]
_COUNTER = select(ChangeRow.__table__.c.counter)  # type: ignore[attr-defined]
_SET_SWITCH = text(
    "INSERT INTO landyard_switch (name, is_on, changed_at) VALUES (:name, :is_on, :changed_at)"
    " ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, changed_at = excluded.changed_at"
).bindparams(bindparam("changed_at", type_=Moment))
_SET_QUARANTINE = text(
    "INSERT INTO landyard_quarantine (name, reason, level, since, until)"
    " VALUES (:name, :reason, :level, :since, :until)"
    " ON CONFLICT (name) DO UPDATE SET reason = excluded.reason, level = excluded.level,"
    " since = excluded.since, until = excluded.until"
).bindparams(bindparam("since", type_=Moment), bindparam("until", type_=Moment))
_SET_REPORT = text(
    "INSERT INTO landyard_plugin"
    " (name, distribution, version, state, reason, methods, reported_at)"
    " VALUES (:name, :distribution, :version, :state, :reason, :methods, :reported_at)"
    " ON CONFLICT (name, distribution) DO UPDATE SET version = excluded.version,"
    " state = excluded.state, reason = excluded.reason, reported_at = excluded.reported_at,"
    # Off or gone since: what it brought when it was last on stays worth knowing.
    " methods = CASE WHEN :keeps THEN landyard_plugin.methods ELSE excluded.methods END"
).bindparams(bindparam("methods", type_=JSON), bindparam("reported_at", type_=Moment))
_COUNT = text(
    "INSERT INTO landyard_change (id, counter) VALUES (1, 1)"
    " ON CONFLICT (id) DO UPDATE SET counter = landyard_change.counter + 1"
)


def counter(connection: Connection) -> int:
    """Read the number of the last change."""
    return connection.execute(_COUNTER).scalar() or 0


def read_switches(connection: Connection) -> Switches:
    """Read what is switched, and who is in quarantine."""
    number = counter(connection)  # first: what changes meanwhile is read again
    rows = connection.execute(select(_SWITCH.name, _SWITCH.is_on, _SWITCH.changed_at))
    switches = {row.name: Switch(row.is_on, row.changed_at) for row in rows}
    held = connection.execute(select(QuarantineRow.__table__))  # type: ignore[attr-defined]
    quarantines = {
        row.name: Quarantine(row.name, row.reason, row.since, row.until, row.level) for row in held
    }
    return Switches(number, switches, quarantines)


def known_switches(store: Store) -> Switches | None:
    """Read the switches of a database that may not be there yet; None where it does not answer."""
    try:
        return _read_if_there(store, read_switches, Switches())
    except DBAPIError:
        return None


def known_tables(store: Store) -> bool:
    """Tell whether the database has the tables of this version."""
    return _read_if_there(store, lambda _: True, False)


def _read_if_there(store: Store, read: Callable[[Connection], T], otherwise: T) -> T:
    if store.sqlite and not Path(store.engine.url.database or "").exists():
        return otherwise  # looking would make the file
    with store.unit(writes=False) as unit:
        # An earlier version's database has none, until it is upgraded.
        there = inspect(unit.connection).has_table("landyard_change")
        return read(unit.connection) if there else otherwise


def switch(store: Store, name: str, *, is_on: bool, entry: Entry) -> None:
    """Switch a plugin or a method, and keep the audit's `entry`. On is also out of quarantine."""

    def change(unit: UnitOfWork) -> None:
        row = {"name": name, "is_on": is_on, "changed_at": entry.at}
        unit.connection.execute(_SET_SWITCH, row)
        if is_on:
            _drop_quarantine(unit.connection, name)
        unit.connection.execute(_COUNT)
        Audit().keep(unit.connection, entry)

    store.run(change, writes=True)


def keep_quarantine(store: Store, name: str, quarantine: Quarantine | None) -> None:
    """Write that a plugin is in quarantine, or, with None, that it no longer is."""

    def change(unit: UnitOfWork) -> None:
        if quarantine is None:
            _drop_quarantine(unit.connection, name)
        else:
            row = {**structs.asdict(quarantine), "name": name}
            unit.connection.execute(_SET_QUARANTINE, row)
        unit.connection.execute(_COUNT)

    store.run(change, writes=True)


def write_report(store: Store, states: Iterable[PluginState], at: datetime) -> None:
    """Keep how each plugin stands in a serving process, for the command line to read."""
    rows = [
        {
            "name": state.name,
            "distribution": state.distribution,
            "version": state.version,
            "state": state.state,
            "reason": state.reason,
            "methods": list(state.methods),
            "reported_at": at,
            "keeps": not state.methods,
        }
        for state in states
    ]

    if rows:
        store.run(lambda unit: unit.connection.execute(_SET_REPORT, rows), writes=True)


def known_report(store: Store) -> list[PluginState]:
    """Read what the last serving process said of each plugin, if the database has it."""
    return _read_if_there(store, _read_report, [])


def _read_report(connection: Connection) -> list[PluginState]:
    rows = connection.execute(select(PluginRow.__table__).order_by(func.lower(_PLUGIN.name)))  # type: ignore[attr-defined]
    return [
        PluginState(
            row.name, row.version, row.distribution, row.state, row.reason, tuple(row.methods)
        )
        for row in rows
    ]


def failed_by(store: Store, reason: str) -> list[tuple[str, str, datetime]]:
    """List the plugins that a serving process noted to have failed by `reason`.

    Each with its version and when that was.
    """
    rows = select(_PLUGIN.name, _PLUGIN.version, _PLUGIN.reported_at).where(
        _PLUGIN.state == "failed", _PLUGIN.reason == reason
    )

    def read(connection: Connection) -> list[tuple[str, str, datetime]]:
        return [(row.name, row.version, row.reported_at) for row in connection.execute(rows)]

    try:
        return _read_if_there(store, read, [])
    except DBAPIError:
        return []


def _drop_quarantine(connection: Connection, name: str) -> None:
    connection.execute(delete(_QUARANTINE.name.table).where(_QUARANTINE.name == name))
