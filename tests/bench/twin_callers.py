"""The twin's look-up of the webhook's user, once per call."""

import hmac
from typing import Annotated

from bench.twin_models import Caller
from bench.twin_tables import User, Webhook, digest, get_session
from fastapi import Depends, HTTPException
from sqlmodel import Session, col, select

PREFIX = "/rest/{user_id}/{code}"
DatabaseSession = Annotated[Session, Depends(get_session)]


def get_caller(user_id: int, code: str, session: DatabaseSession) -> Caller:
    hashed = digest(code)
    found = session.exec(
        select(Webhook, User).join(User).where(col(Webhook.digest) == hashed)
    ).first()
    if found is None:
        raise HTTPException(401, "INVALID_CREDENTIALS")
    webhook, user = found
    if not hmac.compare_digest(webhook.digest, hashed) or webhook.user_id != user_id:
        raise HTTPException(401, "INVALID_CREDENTIALS")
    if not webhook.active or not user.active:
        raise HTTPException(403, "user_access_error")
    return Caller(user_id=user.id, sites_access=user.sites_access, scopes=webhook.scopes.split())


CurrentCaller = Annotated[Caller, Depends(get_caller)]
