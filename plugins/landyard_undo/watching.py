"""Installs the triggers while the plugin is on, and notes to which call each change belongs."""

import functools
import itertools
import secrets
import threading
from collections.abc import Iterator
from typing import Any

import structlog
from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    Connection,
    bindparam,
    cast,
    event,
    insert,
    literal_column,
    select,
)

from landyard import (
    ADMIN,
    Actor,
    Call,
    Credential,
    Host,
    Irreversible,
    Method,
    Prepared,
    Store,
    UnitOfWork,
    Write,
    hookimpl,
)
from landyard_undo import on_postgres, on_sqlite
from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.tables import ENTRY

log = structlog.get_logger()

UNDO = "landyard.call.undo"
_NAME = "undo"
_CALL = ("request_id", "at", "user_id", "credential", "method", "subject", "unit", "first")
# Past SQLAlchemy, and past what is prepared for it: it is run at each call that writes.
_ADD_ON_SQLITE = f"INSERT INTO undo_entry ({', '.join(_CALL)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_UNIT = cast(literal_column(on_postgres.UNIT), BigInteger)
_GIVEN = [bindparam(f"undo_{name}", type_=ENTRY[name].type) for name in _CALL[:-2]]
_NAMES = [each.key for each in _GIVEN]
_ADD_ON_POSTGRES = Prepared(
    insert(ENTRY.id.table).from_select(
        _CALL, select(*_GIVEN, _UNIT, _UNIT).where(_UNIT.is_not(None))
    )
)


class _Writer(Struct):
    """The call that writes on SQLite: its turn's number and label, and its count of changes.

    `is_kept` says whether the call's changes may be taken back at all; None until the look-up.
    """

    turn: int
    label: str
    driver: Any
    unit: int
    count: int = 0
    is_kept: bool | None = None


class Watch:
    """Keeps the triggers in step with the plugins that are on, and writes a row for each call."""

    def __init__(self, host: Host) -> None:
        """Take the kernel, for its database and its plugins."""
        self._host = host
        self._seen: object = None  # the plugins for whose tables there are triggers
        self._watched: object = None  # the same, once each new connection has them
        self._following = False
        self._watching = threading.Lock()
        self._operator = ""  # the secret of the command line's own calls, in its process alone
        self._rules = RulesInForce()
        self._ruled: object = None  # the registry whose plugins' rules are among them
        self._turns = host.store.group_commit
        self._writer = _Writer(0, "", None, 0, is_kept=True)
        self.database = on_sqlite if host.store.sqlite else on_postgres
        self._text_of: Any = ENTRY["at"].type.bind_processor(host.store.engine.dialect)
        on_connect = self._watch_also if host.store.sqlite else _tell_session
        event.listen(host.store.engine, "connect", on_connect)
        host.store.close()  # those that are open know nothing of it

    def serve(self) -> None:
        """Watch soon: calls then skip `before_call`, also where every call only reads."""
        self._watch()

    @hookimpl
    def before_call(self, method: Method | None) -> str | None:
        """See that the tables of all plugins are watched, before the first call that writes."""
        if method is not None and method.writes:
            self._watch()
        return "not again" if self._watched is self._host.plugins.revision else None

    @property
    def rules(self) -> RulesInForce:
        """The rules of tables, also of plugins that were switched on meanwhile."""
        if self._ruled is not self._host.plugins.revision:
            self._rules.learn(self._host)
            self._ruled = self._host.plugins.revision
        return self._rules

    def let_operator_in(self) -> str:
        """Make a secret that lets the command line's own calls in, in this process alone."""
        self._operator = secrets.token_urlsafe(32)
        return self._operator

    @hookimpl
    def authenticate(self, credential: Credential) -> Actor | None:
        """Let the command line's calls in."""
        if not self._operator or not secrets.compare_digest(credential.secret, self._operator):
            return None
        scopes = {method.scope for method in self._host.methods}
        return Actor(0, "operator", frozenset({*scopes, ADMIN}), "operator", admin=True)

    @hookimpl
    def before_commit(self, call: Call, method: Method, again: bool) -> list[Write]:  # noqa: ARG002 - each time
        """Note whose the changes of this transaction are; an undo has done so itself."""
        return [] if method.name == UNDO else self.note(call, method.name)

    def note(self, call: Call, method: str) -> list[Write]:
        """Note whose the changes of this transaction are, if there are any; see `before_commit`."""
        writer, of_postgres = self._writer, self.database is on_postgres
        request_id = call.request.id
        # One without an id came by no wire, and has no name.
        if not request_id or not (of_postgres or writer.turn == self._turns.turn.number):
            return []
        at, actor = call.now(), call.actor
        who = (actor.user_id, actor.credential, method, call.subject)
        if of_postgres:
            return [(_ADD_ON_POSTGRES, dict(zip(_NAMES, (request_id, at, *who), strict=True)))]
        row = (request_id, self._text_of(at), *who, writer.unit, -writer.count)
        writer.driver.execute(_ADD_ON_SQLITE, row).close()
        return []

    def unit_of(self, connection: Connection) -> int:
        """Tell the unit of the changes of this transaction; 0 where there are none."""
        if not self._host.store.sqlite:
            return on_postgres.unit_of(connection)
        return self._writer.unit if self._writer.turn == self._turns.turn.number else 0

    def _unit(self, driver: Any, units: Iterator[int]) -> int:
        """Number the writer that has its turn; SQLite asks for each change."""
        writer, turn = self._writer, self._turns.turn
        if writer.turn != turn.number:
            if not turn.number:
                return 0
            writer = self._writer = _Writer(turn.number, turn.label, driver, next(units))
        writer.count += 1
        return writer.unit

    def _is_kept(self) -> bool:
        """Tell whether what the writer writes may be taken back; SQLite asks after the unit."""
        writer = self._writer
        if writer.is_kept is None:
            method = self._host.methods.find(writer.label)
            writer.is_kept = method is not None and Irreversible not in method.notes
        return writer.is_kept

    def _watch(self) -> None:
        with self._watching:
            revision = self._host.plugins.revision
            if self._seen is revision:
                return

            try:
                self._watch_tables(self._host.store)
            except Exception as error:  # noqa: BLE001 - the call is done; the next one tries again
                log.warning("undo_not_watching", error=type(error).__name__)
                return
            self._seen = revision
            if not self._following:
                self._following = True
                self._host.plugins.follow(self._follow)
            self._watched = revision

    def _watch_tables(self, store: Store) -> None:
        if store.sqlite:
            store.run(lambda unit: self._watch_with(_driver_of(unit)), writes=True)
        else:
            on_postgres.watch(store, self.rules)

    def _watch_with(self, driver: Any) -> None:
        # Each connection counts from a place of its own, so that no two writers have one number.
        units = itertools.count(secrets.randbits(62) + 1)
        unit = functools.partial(self._unit, driver, units)
        on_sqlite.watch(driver, self.rules, unit, self._is_kept)

    def _watch_also(self, driver: Any, _record: object) -> None:
        """Watch another connection of SQLite, as the one before it."""
        if self._seen is not None:
            self._watch_with(driver)

    def _follow(self, names: frozenset[str]) -> None:
        """Take the triggers away where the plugin is switched off."""
        store = self._host.store
        if store.sqlite:
            store.close()  # idle connections have triggers for the plugins of before
        if _NAME not in names and self._seen is not None:
            self._seen = self._watched = None
            if store.sqlite:
                store.run(lambda unit: on_sqlite.unwatch(_driver_of(unit)), writes=True)
            else:
                on_postgres.unwatch(store)


def _driver_of(unit: UnitOfWork) -> Any:
    return unit.connection.connection.driver_connection


def _tell_session(connection: Any, _record: object) -> None:
    connection.execute(on_postgres.SESSION)
