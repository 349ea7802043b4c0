"""The kernel's own answers to its hooks: credentials, accounts, a busy database, the log."""

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from msgspec import Struct
from sqlmodel import Session

from landyard.accounts import ACCOUNTS
from landyard.audit import AuditSettings, remove_old
from landyard.calls import Actor, Credential, Failure, Reply, Request, Success
from landyard.credentials import who_shows
from landyard.errors import CallError, MethodNotFound, OverloadLimit
from landyard.hookspecs import hookimpl
from landyard.jobs import Job
from landyard.limits import LimitSettings
from landyard.states import PluginSettings
from landyard.world import WorldList
from landyard.writers import Busy

log = structlog.get_logger()


@hookimpl
def register_world() -> Iterable[WorldList]:
    return ACCOUNTS


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"audit": AuditSettings, "limits": LimitSettings, "plugins": PluginSettings}


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [
        Job("landyard.audit", timedelta(hours=1), remove_old),
        Job("landyard.limits", timedelta(hours=1), lambda kernel: kernel.ledger.forget()),
    ]


@hookimpl
def authenticate(credential: Credential, session: Session, now: datetime) -> Actor | None:
    return who_shows(credential, session, now)


@hookimpl
def map_error(error: Exception) -> CallError | None:
    """Say that the database was too busy, also when the call was run again."""
    return OverloadLimit() if isinstance(error, Busy) else None


@hookimpl
def call_finished(
    request: Request, actor: Actor | None, reply: Reply, crash: Exception | None
) -> None:
    """Log what failed, and at the level `debug` what succeeded."""
    if isinstance(reply, Success):
        if log.is_enabled_for(logging.DEBUG):  # describing a call costs more than not logging it
            log.debug("call_answered", **_described(request, actor, reply))
    elif crash is None:
        log.info("call_failed", error=reply.error, **_described(request, actor, reply))
    else:
        log.error(
            "call_crashed", error=reply.error, exc_info=crash, **_described(request, actor, reply)
        )


def _described(request: Request, actor: Actor | None, reply: Reply) -> dict[str, Any]:
    # A name is logged once it is known to be one: at `/rest/<code>` the secret stands in its place.
    known = actor is not None and not (
        isinstance(reply, Failure) and reply.error == MethodNotFound.code
    )
    return {
        "method": request.method if known else None,
        "user": actor.user_id if actor else None,
        "credential": actor.credential if actor else None,
        "address": request.address or None,
        "status": reply.status,
        "seconds": reply.time.duration,
        "request_id": request.id,
    }
