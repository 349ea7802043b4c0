"""Watching: the triggers are there while the plugin is on, and each call's changes are its own."""

import random
import secrets
import threading
from collections.abc import Iterable
from typing import Any

import structlog
from sqlalchemy import Connection, bindparam, event, text
from sqlalchemy.exc import DBAPIError

from landyard import (
    ADMIN,
    Actor,
    Call,
    Credential,
    Kernel,
    Method,
    Moment,
    OverloadLimit,
    Prepared,
    UnitOfWork,
    hookimpl,
)
from landyard_undo import on_postgres, on_sqlite

log = structlog.get_logger()

_NAME = "undo"
_NAMES = ("unit", "request_id", "at", "user_id", "credential", "methods", "subject")
_ADD = (
    f"INSERT INTO undo_call ({', '.join(_NAMES)}) SELECT {{unit}}, :request_id, :at, :user_id,"
    " :credential, :methods, :subject WHERE {noted} ON CONFLICT (unit) DO UPDATE"
    " SET methods = undo_call.methods || excluded.methods, subject = excluded.subject"
)
_UNIT = "CAST(nullif(current_setting('landyard.undo_unit', true), '') AS bigint)"


class Watch:
    """Keeps the triggers in step with the plugins that are on, and writes a row for each call."""

    def __init__(self, kernel: Kernel) -> None:
        """Take the kernel, for its database and its plugins."""
        self._kernel = kernel
        self._seen: object = None  # the registry for whose tables there are triggers
        self._following = False
        self._watching = threading.Lock()
        self._operator = ""  # the secret of the command line's own calls, in its process alone
        self._noted: tuple[float | None, int] = (None, 0)  # SQLite's writer, and its number
        self.database = on_sqlite if kernel.store.sqlite else on_postgres
        if not kernel.store.sqlite:
            event.listen(kernel.store.engine, "connect", _tell_session)
            kernel.store.close()  # those that are open know nothing of it

    @hookimpl
    def before_call(self, method: Method | None) -> None:
        """See that the tables of all plugins are watched, before the first call that writes."""
        if method is not None and method.writes and self._seen is not self._kernel.registry:
            self._watch()

    @hookimpl
    def register_commands(self) -> Iterable[object]:
        from landyard_undo.command import undo_command  # a server needs no words

        def secret() -> str:
            self._operator = secrets.token_urlsafe(32)
            return self._operator

        return [undo_command(secret)]

    @hookimpl
    def authenticate(self, credential: Credential) -> Actor | None:
        """Let the command line's calls in."""
        if not self._operator or not secrets.compare_digest(credential.secret, self._operator):
            return None
        scopes = {method.scope for method in self._kernel.methods}
        return Actor(0, "operator", frozenset({*scopes, ADMIN}), "operator", admin=True)

    @hookimpl
    def before_commit(self, call: Call, again: bool) -> None:  # noqa: ARG002 - each time
        """Note whose the changes of this transaction are, if there are any."""
        self.note(call)

    def note(self, call: Call) -> int:
        """Note whose the changes of this transaction are; returns its number, 0 without any."""
        if not call.request.id:  # a call that came by no wire, and has no name
            return 0
        values = {
            "request_id": call.request.id,
            "at": call.now(),
            "user_id": call.actor.user_id,
            "credential": call.actor.credential,
            "methods": f"{call.method},",
            "subject": call.subject,
        }
        if not self._kernel.store.sqlite:
            return _ADD_ON_POSTGRES.first(call.connection, **values) or 0
        if unit := self.unit_of(call.connection):
            _ADD_ON_SQLITE.run(call.connection, unit=unit, **values)
        return unit

    def unit_of(self, connection: Connection) -> int:
        """Tell the number of this transaction, or savepoint on SQLite; 0 without any changes."""
        if not self._kernel.store.sqlite:
            return on_postgres.unit_of(connection)
        since, number = self._noted
        return number if since == self._kernel.store.write_lock.held_since else 0

    def _number(self) -> int:
        """Number the writer that has its turn; SQLite calls this for each change."""
        since, number = self._noted
        now = self._kernel.store.write_lock.held_since
        if now is None:
            return 0
        if since != now:
            number = random.getrandbits(62) + 1
            self._noted = now, number
        return number

    def _watch(self) -> None:
        with self._watching:
            registry = self._kernel.registry
            if self._seen is registry:
                return

            def work(unit: UnitOfWork) -> None:
                self.database.watch(unit.connection, self._number)

            try:
                self._kernel.store.run(work, writes=True)
            except (DBAPIError, OverloadLimit) as error:  # tried again with the next call
                log.warning("undo_not_watching", error=type(error).__name__)
                return
            self._seen = registry
            if not self._following:
                self._following = True
                self._kernel.lifecycle.follow(self._follow)

    def _follow(self, resolution: Any) -> dict[str, str]:
        """Take the triggers away where the plugin is switched off."""
        is_on = any(each.plugin.name == _NAME for each in resolution.contributions)
        if not is_on and self._seen is not None:
            self._seen = None
            self._kernel.store.run(lambda unit: self.database.unwatch(unit.connection), writes=True)
        return {}


def _tell_session(connection: Any, _record: object) -> None:
    connection.autocommit = True
    connection.execute(on_postgres.SESSION)
    connection.autocommit = False


def _adding(unit: str, noted: str, more: str = "") -> Prepared[Any]:
    statement = text(_ADD.format(unit=unit, noted=noted) + more)
    return Prepared(statement.bindparams(bindparam("at", type_=Moment)), int)


_ADD_ON_SQLITE = _adding(":unit", "true")
_ADD_ON_POSTGRES = _adding(_UNIT, f"{_UNIT} IS NOT NULL", " RETURNING unit")
