"""What the methods of accounts share: their group, errors and the way back."""

from datetime import datetime

from sqlalchemy import ColumnElement, Table, exists, literal, or_, select

from landyard import ADMIN, Call, CallError, MethodGroup, credentials

accounts = MethodGroup(scope=ADMIN)

_USER = credentials.USER.c
_ADMINS = _USER.admin & _USER.active
# By their ids, so that of two administrators who lock each other out at once one is refused.
_HELD = select(_USER.id).where(_USER.admin).order_by(_USER.id).with_for_update()


class CredentialNotFound(CallError):
    code = "CREDENTIAL_NOT_FOUND"
    text = "There is no such webhook or token; landyard.webhook.list and .token.list list them."


class AccountRefused(CallError):
    code = "ACCOUNT_REFUSED"
    text = "There cannot be such a user, or such a successor of a credential."


class LastAdministrator(CallError):
    code = "LAST_ADMINISTRATOR"
    text = (
        "Nothing was changed: nobody could call these methods any more. Give another administrator"
        " a webhook or token with the scope admin first, or use the command line."
    )


def hold_administrators(call: Call) -> None:
    """Lock the administrators, before a change that `require_way_back` looks at."""
    call.connection.execute(_HELD).all()


def require_way_back(call: Call) -> None:
    """Raise `LastAdministrator` where nobody is left who can take back a change that was made.

    That takes an active administrator with a webhook or token that works and has the scope
    `admin`. What plugins let in is not counted; who came so needs an administrator to be left.
    """
    if call.actor.credential.partition(":")[0] not in {"webhook", "token"}:
        left: ColumnElement[bool] = exists().where(_ADMINS)
    else:
        now = call.now()
        left = or_(_works(credentials.WEBHOOK, now), _works(credentials.TOKEN, now))
    if not call.connection.execute(select(left)).scalar_one():
        raise LastAdministrator


def _works(table: Table, now: datetime) -> ColumnElement[bool]:
    row = table.c
    named = (literal(" ") + row.scopes + literal(" ")).like(f"% {ADMIN} %")
    in_time = row.expires_at.is_(None) | (row.expires_at > now)
    return exists().where(row.user_id == _USER.id, _ADMINS, row.active, named, in_time)
