"""The method group of this plugin, and a look-up of the app behind a call."""

from msgspec import Struct

from landyard import Call, MethodGroup
from landyard_landing import errors
from landyard_oauth import app_id_of

group = MethodGroup()


class Nothing(Struct, frozen=True):
    """No parameters."""


def calling_app(call: Call) -> int:
    """Return the id of the calling app; raises `AccessDenied` for a webhook or operator's token."""
    app_id = app_id_of(call.actor)
    if app_id is None:
        raise errors.AccessDenied("Access denied! Application context required")
    return app_id
