"""The group and errors of the account methods, and the check that an administrator remains."""

from datetime import datetime

from sqlalchemy import ColumnElement, Table, exists, literal, or_, select

from landyard import ADMIN, Call, CallError, MethodGroup, credentials

accounts = MethodGroup(scope=ADMIN)

_USER = credentials.USER.c
_ADMINS = _USER.admin & _USER.active
# Ordered by id: when two administrators revoke each other at once, one of them is refused.
_HELD = select(_USER.id).where(_USER.admin).order_by(_USER.id).with_for_update()


class CredentialNotFound(CallError):
    code = "CREDENTIAL_NOT_FOUND"
    text = "There is no such webhook or token; landyard.webhook.list and .token.list list them."


class AccountRefused(CallError):
    code = "ACCOUNT_REFUSED"
    text = "The user cannot be stored like this, or the credential cannot be replaced."


class LastAdministrator(CallError):
    code = "LAST_ADMINISTRATOR"
    text = (
        "Nothing was changed: nobody could call these methods any more. Give another administrator"
        " a webhook or token with the scope admin first, or use the command line."
    )


def hold_administrators(call: Call) -> None:
    """Lock the rows of administrators; call it before a change that `require_way_back` checks."""
    call.connection.execute(_HELD).all()


def require_way_back(call: Call) -> None:
    """Raise `LastAdministrator` if nobody could take back the change just made.

    Required is an active administrator with a working webhook or token of scope `admin`. If the
    caller was authenticated by a plugin, an active administrator is enough, because credentials of
    plugins cannot be checked here.
    """
    if call.actor.credential.partition(":")[0] not in {"webhook", "token"}:
        remains: ColumnElement[bool] = exists().where(_ADMINS)
    else:
        now = call.now()
        remains = or_(_works(credentials.WEBHOOK, now), _works(credentials.TOKEN, now))
    if not call.connection.execute(select(remains)).scalar_one():
        raise LastAdministrator


def _works(table: Table, now: datetime) -> ColumnElement[bool]:
    row = table.c
    has_scope = (literal(" ") + row.scopes + literal(" ")).like(f"% {ADMIN} %")
    in_time = row.expires_at.is_(None) | (row.expires_at > now)
    return exists().where(row.user_id == _USER.id, _ADMINS, row.active, has_scope, in_time)
