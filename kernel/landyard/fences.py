"""Fences: hooks of plugins that are called while somebody waits, each behind a fence."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

import structlog
from sqlmodel import Session

from landyard.calls import Actor, Credential, Reply, Request
from landyard.errors import CallError, OverloadLimit
from landyard.faults import Faults
from landyard.hosts import is_host_fault
from landyard.lineup import KERNEL, Hook, Lineup
from landyard.seats import Overrun, here
from landyard.writers import KeptTurn

log = structlog.get_logger()


class Escaped(Exception):
    """What a plugin did that no `Exception` tells of: raise `SystemExit`, answer too much."""


class TooMuch(Escaped):
    """An answer that is larger than any may be."""


class Fences:
    """Calls hooks one by one: what one raises is blamed on its plugin, and the next is asked."""

    def __init__(self, faults: Faults, ours: frozenset[str] = frozenset()) -> None:
        """Blame with `faults`, and leave out who is in quarantine.

        `ours` are plugins that are not blamed for how much they were asked to do.
        """
        self._faults = faults
        self._ours = ours

    def authenticate(
        self, lineup: Lineup, credential: Credential, session: Session, now: datetime
    ) -> Actor | None:
        """Ask who shows a credential; the first answer counts, and so does a `CallError`.

        A plugin that fails has not answered: nobody is let in by it.
        """
        given = {"credential": credential, "session": session, "now": now}
        for hook in lineup.authenticators:
            if self._rests(hook):
                continue
            try:
                actor = _actor(self._called(hook, given))
            except CallError:
                raise
            except Exception as error:
                if not self._blamed(hook, error):
                    raise
                continue
            if actor is not None:
                return actor
        return None

    def map_error(self, lineup: Lineup, error: Exception) -> CallError | None:
        """Ask what a caller is told about an exception; the first answer counts."""
        for hook in lineup.mappers:
            if self._rests(hook):
                continue
            try:
                told = self._called(hook, {"error": error})
            except Exception as fault:  # noqa: BLE001 - see the class
                self._blamed(hook, fault)
                continue
            if isinstance(told, CallError):
                return told
        return None

    def observe(
        self,
        hook: Hook,
        request: Request,
        actor: Actor | None,
        reply: Reply,
        crash: Exception | None,
    ) -> None:
        """Tell one observer of an answered call."""
        if self._rests(hook):
            return
        told = {"request": request, "actor": actor, "reply": reply, "crash": crash}
        try:
            self._called(hook, told)
        except Exception as fault:  # noqa: BLE001 - see the class
            self._blamed(hook, fault)

    def blame(self, plugin: str, what: str, error: BaseException) -> bool:
        """Blame a plugin for an unexpected error, unless it is the host's; tell whether it was.

        `what` was under way, such as a method's name.
        """
        if plugin in {"", KERNEL} or is_host_fault(error) or isinstance(error, KeptTurn):
            return False  # whoever put a call out of its turn has blamed it
        if plugin in self._ours and isinstance(error, TooMuch):
            return False
        said = str(error) if isinstance(error, Escaped) else type(error).__name__
        self._faults.blame(plugin, f"{said} in {what}")
        return True

    def _blamed(self, hook: Hook, error: Exception) -> bool:
        blamed = self.blame(hook.plugin_name, hook.function.__name__, error)
        log.error(
            "hook_failed",
            plugin=hook.plugin_name,
            hook=hook.function.__name__,
            exc_info=error if blamed else None,
            error=type(error).__name__,
        )
        return blamed

    def _rests(self, hook: Hook) -> bool:
        """Tell whether a plugin is in quarantine.

        Where no call ever probes it, a hook of its does once the pause is over.
        """
        if self._faults.quarantined(hook.plugin_name) is None:
            return False
        if hook.alone:
            with suppress(OverloadLimit):
                self._faults.admit(hook.plugin_name)
                return False
        return True

    def _called(self, hook: Hook, given: Mapping[str, object]) -> object:
        if not hook.alone:
            return _called(hook, given)
        try:
            answer = _called(hook, given)
        except CallError:
            self._faults.worked(hook.plugin_name)  # to refuse is an answer
            raise
        except BaseException as error:
            if is_host_fault(error):
                self._faults.undecided(hook.plugin_name)
            raise
        self._faults.worked(hook.plugin_name)
        return answer


def _actor(answer: object) -> Actor | None:
    if answer is None or isinstance(answer, Actor):
        return answer
    raise TypeError(f"authenticate answered {type(answer).__name__}, not an Actor")


def _called(hook: Hook, given: Mapping[str, object]) -> object:
    """Call a hook in its plugin's name; what is no `Exception` becomes one."""
    arguments = [given[name] for name in hook.argnames]
    if hook.plugin_name == KERNEL:
        return hook.function(*arguments)
    try:
        return here().run(hook.plugin_name, hook.function, *arguments)
    except (Exception, Overrun):
        raise
    except BaseException as error:
        raise Escaped(type(error).__name__) from error
