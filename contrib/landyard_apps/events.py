"""The method `events`: lists the names of the events that an app may subscribe to."""

from msgspec import Struct

from landyard import Call, Example, WrongType
from landyard_apps.group import calling_app, group
from landyard_apps.names import names
from landyard_landing import errors


class Events(Struct, frozen=True, rename=str.upper):
    """`SCOPE`: events of this scope; `FULL`: all events, also in scopes that the app lacks."""

    scope: str = ""
    full: bool = False


@group.method(
    "events",
    errors=[errors.AccessDenied, WrongType],
    example=Example(
        {"SCOPE": "landing"},
        result=[
            *("ONLANDINGBLOCKEDITED", "ONLANDINGFOLDERCHANGED", "ONLANDINGFOLDERCREATED"),
            *("ONLANDINGFOLDERDELETED", "ONLANDINGFOLDERPUBLISHED", "ONLANDINGFOLDERRESTORED"),
            *("ONLANDINGFOLDERTRASHED", "ONLANDINGFOLDERUNPUBLISHED", "ONLANDINGPAGECHANGED"),
            *("ONLANDINGPAGECREATED", "ONLANDINGPAGEDELETED", "ONLANDINGPAGEMOVED"),
            *("ONLANDINGPAGEPUBLISHED", "ONLANDINGPAGERESTORED", "ONLANDINGPAGETRASHED"),
            *("ONLANDINGPAGEUNPUBLISHED", "ONLANDINGSITECHANGED", "ONLANDINGSITECREATED"),
            *("ONLANDINGSITEDELETED", "ONLANDINGSITEPUBLISHED", "ONLANDINGSITERESTORED"),
            *("ONLANDINGSITETRASHED", "ONLANDINGSITEUNPUBLISHED"),
        ],
    ),
)
def events(call: Call, params: Events) -> list[str]:
    """List events by name: without parameters those in the scopes of the access token.

    An event's name is that of its topic: `landing.page.published` is `ONLANDINGPAGEPUBLISHED`.
    """
    calling_app(call)
    if params.scope:
        return sorted(set(names(frozenset([params.scope]))))
    return sorted(set(names(None if params.full else call.actor.scopes)))
