"""What the methods of apps have in common: their group, and which app calls."""

from msgspec import Struct

from landyard import Call, CallError, MethodGroup
from landyard_oauth import app_id_of

group = MethodGroup()


class Nothing(Struct, frozen=True):
    """No parameters."""


class AccessDenied(CallError):
    code = "ACCESS_DENIED"
    text = "Access denied! Application context required"


class WrongAuthType(CallError):
    code = "WRONG_AUTH_TYPE"
    status = 403
    text = "Current authorization type is not allowed: events are for an app's access token."


def calling_app(call: Call) -> int:
    """Return which app calls; raises `WrongAuthType` for a webhook or an operator's token."""
    app_id = app_id_of(call.actor)
    if app_id is None:
        raise WrongAuthType
    return app_id
