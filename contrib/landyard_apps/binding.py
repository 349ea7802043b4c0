"""`event.bind`, `event.unbind` and `event.get`: where events go for an app."""

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import delete, func, select

from landyard import Call, CallError, Example, MissingParams, WrongType, table_of
from landyard_apps.group import Nothing, calling_app, group
from landyard_apps.names import names
from landyard_apps.settings import AppSettings
from landyard_apps.tables import BINDING
from landyard_landing import AccessDenied
from landyard_oauth import App, scopes_let
from landyard_outgoing import Refused, check

_APP = table_of(App)
_EVENT, _HANDLER = "ONLANDINGPAGEPUBLISHED", "https://app.example/handler/"


class EventNotFound(CallError):
    code = "ERROR_EVENT_NOT_FOUND"
    text = "Event not found: `events` lists those that the app may have."


class WrongHandler(CallError):
    code = "ERROR_WRONG_HANDLER_URL"
    text = "The handler must be an http or https address on a public host, at port 80 or 443."


class NotBound(CallError):
    code = "ERROR_CORE"
    text = "Unable to set event handler: it is bound already."


class Bind(Struct, frozen=True):
    """`event`: one that `events` lists, in any case. `handler`: the address that it is sent to.

    `auth_type`: the user on whose behalf it is told, 0 for whoever brings it about.
    """

    event: str
    handler: str
    auth_type: int = 0
    event_type: str = "online"


class Unbind(Struct, frozen=True):
    """The handlers that go are those that have all that is given."""

    event: str
    handler: str = ""
    auth_type: int | UnsetType = UNSET
    event_type: str = "online"


class Count(Struct, frozen=True):
    """`count`: how many handlers were removed."""

    count: int


class Handler(Struct, frozen=True):
    """A handler of an event; `auth_type` is a user's id as text, and `offline` always 0."""

    event: str
    handler: str
    auth_type: str
    offline: int = 0


@group.method(
    "event.bind",
    writes=True,
    errors=[
        *(AccessDenied, EventNotFound, MissingParams, NotBound, WrongHandler),
        WrongType,
    ],
    example=Example({"event": _EVENT, "handler": _HANDLER}, result=True),
)
def bind(call: Call, params: Bind) -> bool:
    """Have an event sent to an address of the app from now on.

    An event comes as a form in a POST request: `event`, `event_handler_id`, `data`, `ts`, and in
    `auth` the `application_token` that proves where it comes from. An event that is not answered
    2xx comes again. A user who is no administrator binds on its own behalf alone. An event of a
    site is told as long as the user lets the app in and may view the site, and so may the one of
    `auth_type`.
    """
    app_id, user_id = calling_app(call), call.actor.user_id
    event, auth_type = params.event.upper(), params.auth_type
    if not call.actor.admin:
        if auth_type not in (0, user_id) or params.event_type.lower() == "offline":
            raise AccessDenied("Only an administrator binds for others, or offline events.")
        auth_type = user_id
    _refuse_offline(params.event_type)
    if event not in names(call.actor.scopes):
        raise EventNotFound
    settings = call.settings(AppSettings)
    try:
        check(params.handler, settings.limits)
    except Refused as refused:
        raise WrongHandler from refused
    # Two calls of one app wait for each other here: neither may pass the limit, nor bind twice.
    call.connection.execute(select(_APP.c.id).where(_APP.c.id == app_id).with_for_update())
    ours = BINDING.c.app_id == app_id
    count = select(func.count()).select_from(BINDING).where(ours)
    row = {"event": event, "handler": params.handler, "auth_type": auth_type}
    same = select(BINDING.c.id, BINDING.c.user_id)
    same = same.where(ours, *(BINDING.c[name] == row[name] for name in row))
    found = call.connection.execute(same).first()
    if found is None:
        if call.connection.execute(count).scalar_one() >= settings.handlers:
            raise NotBound(f"An app has no more than {settings.handlers} handlers of events.")
        made = BINDING.insert().values(app_id=app_id, created_at=call.now(), **row, user_id=user_id)
        call.connection.execute(made)
    elif scopes_let(call.connection, app_id, found.user_id, call.now()) is None:
        # The one who had it bound lets the app in no more: nothing is told by it.
        renewed = BINDING.update().where(BINDING.c.id == found.id).values(user_id=user_id)
        call.connection.execute(renewed)
    else:
        raise NotBound
    return True


@group.method(
    "event.unbind",
    writes=True,
    errors=[AccessDenied, MissingParams, WrongType],
    example=Example({"event": _EVENT, "handler": _HANDLER}, result={"count": 1}),
)
def unbind(call: Call, params: Unbind) -> Count:
    """Have an event sent no more to an address of the app; without a `handler`, to none.

    For administrators. What waits to be delivered there is not delivered.
    """
    app_id = calling_app(call)
    if not call.actor.admin:
        raise AccessDenied("Only an administrator removes handlers of events.")
    _refuse_offline(params.event_type)
    gone = delete(BINDING).where(BINDING.c.app_id == app_id)
    gone = gone.where(BINDING.c.event == params.event.upper())
    if params.handler:
        gone = gone.where(BINDING.c.handler == params.handler)
    if not isinstance(params.auth_type, UnsetType):
        gone = gone.where(BINDING.c.auth_type == params.auth_type)
    return Count(call.connection.execute(gone).rowcount)


@group.method(
    "event.get",
    errors=[AccessDenied],
    example=Example(
        {},
        result=[{"event": _EVENT, "handler": _HANDLER, "auth_type": "0", "offline": 0}],
    ),
)
def get(call: Call, _params: Nothing) -> list[Handler]:
    """List the handlers of events that the app has."""
    columns = (BINDING.c.event, BINDING.c.handler, BINDING.c.auth_type)
    query = select(*columns).where(BINDING.c.app_id == calling_app(call)).order_by(BINDING.c.id)
    rows = call.connection.execute(query)
    return [Handler(event, handler, str(auth_type)) for event, handler, auth_type in rows]


def _refuse_offline(event_type: str) -> None:
    if event_type.lower() != "online":
        raise WrongType.of("event_type", "'online': no events are kept to be fetched", event_type)
