"""The database tables of switches, of plugins' states, and of open circuit breakers."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert, structs
from sqlalchemy import JSON, Connection, Row, func, inspect
from sqlalchemy.exc import DBAPIError
from sqlmodel import Field

from landyard.core.errors import OverloadLimit
from landyard.plugin_host.aliases import current_name, former_names
from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.settings import Settings, read_section
from landyard.storage.prepared import Moment
from landyard.storage.schema import Base, table_of, upsert
from landyard.storage.store import Store, UnitOfWork

State = Literal["enabled", "disabled", "failed"]


class PluginSettings(Struct, frozen=True):
    """Plugins. The section `[plugins]`.

    `on` and `off` pin plugins and methods by name, against any switch; `off` wins. A former name
    counts as the current one. A call, a page or a hook may take `seconds`, unless its method says
    otherwise.
    """

    on: list[str] = []
    off: list[str] = []
    seconds: Annotated[float, Meta(gt=0, le=86_400)] = 30.0


def plugin_settings(settings: Settings) -> PluginSettings:
    """Read the section `[plugins]`, with current names; raises `SettingsError`."""
    rules = read_section(PluginSettings, "plugins", settings.plugins.get("plugins", {}))
    on, off = ([*map(current_name, names)] for names in (rules.on, rules.off))
    return structs.replace(rules, on=on, off=off)


class SwitchRow(Base, table=True):
    """A plugin or a method that an operator has switched on or off, with the operator's name."""

    __tablename__ = "landyard_switch"

    name: str = Field(primary_key=True)
    is_on: bool
    changed_at: datetime = Field(sa_type=Moment)
    changed_by: str = ""


class PluginRow(Base, table=True):
    """How a plugin fared when a server last started or changed it."""

    __tablename__ = "landyard_plugin"

    name: str = Field(primary_key=True)
    distribution: str = Field(primary_key=True)
    version: str
    state: str
    reason: str
    methods: list[str] = Field(sa_type=JSON)
    reported_at: datetime = Field(sa_type=Moment)


class BreakerRow(Base, table=True):
    """A method whose calls are refused for a while."""

    __tablename__ = "landyard_breaker"

    method: str = Field(primary_key=True)
    plugin: str
    reason: str
    until: datetime = Field(sa_type=Moment)
    times: int


_SWITCH, _PLUGIN, _BREAKER = table_of(SwitchRow), table_of(PluginRow), table_of(BreakerRow)


class Switches(Struct, frozen=True):
    """The stored switches and open breakers. `switches` are rows, by their current names."""

    switches: Mapping[str, Row[Any]] = {}
    breakers: Mapping[str, OpenBreaker] = {}


class PluginState(Struct, frozen=True):
    """How a plugin stands: `reason` says why, where it is not `enabled`."""

    name: str
    version: str
    distribution: str
    state: State
    reason: str = ""
    methods: tuple[str, ...] = ()


def read_switches(connection: Connection) -> Switches:
    """Read what is switched.

    A row under a former name counts for the current name, unless that has a row of its own. Of
    several former names of one plugin, a row that is off wins.
    """
    rows = [(current_name(row.name), row) for row in connection.execute(_SWITCH.select())]
    # The last row of a name wins: on before off, and both before the one under the current name.
    rows.sort(key=lambda it: (it[0] == it[1].name, not it[1].is_on))
    switches = dict(rows)
    open_breakers = connection.execute(_BREAKER.select())
    breakers = {it.method: convert(it, OpenBreaker, from_attributes=True) for it in open_breakers}
    return Switches(switches, breakers)


def is_prepared(store: Store) -> bool:
    """Tell whether the database has the kernel's tables; where there is no file none is made."""
    if store.sqlite and not Path(store.engine.url.database or "").exists():
        return False
    with store.unit(writes=False) as unit:
        return inspect(unit.connection).has_table("landyard_switch")


def known_switches(store: Store) -> Switches | None:
    """Read the switches of a database that may not be there yet; None where it does not answer."""
    try:
        if not is_prepared(store):
            return Switches()
        with store.unit(writes=False) as unit:
            return read_switches(unit.connection)
    except (DBAPIError, OverloadLimit):
        return None


def known_report(store: Store) -> list[PluginState]:
    """Read what the last serving process said of each plugin, if the database has it."""
    if not is_prepared(store):
        return []
    with store.unit(writes=False) as unit:
        rows = unit.connection.execute(_PLUGIN.select().order_by(func.lower(_PLUGIN.c.name)))
        return [convert(row, PluginState, from_attributes=True) for row in rows]


def write_switch(connection: Connection, name: str, *, is_on: bool, at: datetime, by: str) -> None:
    """Switch a plugin or a method; on also closes the breakers of its methods.

    Rows under former names go: they count no longer, and are not logged again.
    """
    row = {"name": name, "is_on": is_on, "changed_at": at, "changed_by": by}
    connection.execute(upsert(_SWITCH, connection), row)
    if former := former_names(name):
        connection.execute(_SWITCH.delete().where(_SWITCH.c.name.in_(former)))
    if is_on:
        mine = (_BREAKER.c.method == name) | (_BREAKER.c.plugin == name)
        connection.execute(_BREAKER.delete().where(mine))


def keep_breaker(store: Store, method: str, breaker: OpenBreaker | None) -> None:
    """Write that a method is refused, or, with None, that it no longer is."""

    def change(unit: UnitOfWork) -> None:
        if breaker is None:
            unit.connection.execute(_BREAKER.delete().where(_BREAKER.c.method == method))
        else:
            unit.connection.execute(upsert(_BREAKER, unit.connection), structs.asdict(breaker))

    store.run(change, writes=True)


def write_report(store: Store, states: Iterable[PluginState], at: datetime) -> None:
    """Keep how each plugin stands in a serving process, for the command line to read."""
    given = [structs.asdict(state) | {"reported_at": at} for state in states]

    def write(unit: UnitOfWork) -> None:
        # Off or gone since: what it brought when it was last on stays worth knowing.
        for keep in ((), ("methods",)):
            if rows := [row for row in given if bool(row["methods"]) != bool(keep)]:
                unit.connection.execute(upsert(_PLUGIN, unit.connection, keep=keep), rows)

    store.run(write, writes=True)
