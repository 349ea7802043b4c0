"""The kernel's own answers to its hooks: credentials, accounts and the log of calls."""

from collections.abc import Iterable
from datetime import UTC, datetime

import structlog
from sqlmodel import Session

from landyard.accounts import ACCOUNTS
from landyard.calls import Actor, Credential, Failure, Reply, Request
from landyard.credentials import who_shows
from landyard.hookspecs import hookimpl
from landyard.world import WorldList

log = structlog.get_logger()


@hookimpl
def register_world() -> Iterable[WorldList]:
    return ACCOUNTS


@hookimpl
def authenticate(credential: Credential, session: Session) -> Actor | None:
    return who_shows(credential, session, datetime.now(UTC))


@hookimpl
def call_finished(
    request: Request, actor: Actor | None, reply: Reply, crash: Exception | None
) -> None:
    """Log what failed, and at the level `debug` what succeeded."""
    if crash is not None:
        level, event = log.error, "call_crashed"
    elif isinstance(reply, Failure):
        level, event = log.info, "call_failed"
    else:
        level, event = log.debug, "call_answered"
    level(
        event,
        method=request.method[:100],
        user=actor.user_id if actor else None,
        credential=actor.credential if actor else None,
        status=reply.status,
        error=reply.error if isinstance(reply, Failure) else None,
        ms=round(reply.time.duration * 1000, 2),
        request_id=request.id,
        exc_info=crash,
    )
