"""`event.bind`, `event.unbind`, `event.get`: the addresses that receive an app's events."""

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import delete, func, select

from landyard import Call, CallError, Example, MissingParams, WrongType, table_of
from landyard_apps.group import Nothing, calling_app, group
from landyard_apps.names import names
from landyard_apps.settings import AppSettings
from landyard_apps.tables import BINDING
from landyard_landing import errors
from landyard_oauth import App, scopes_granted
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
    """`event`: a name from `events`, in upper or lower case. `handler`: the receiving address.

    `auth_type`: the user on whose behalf the event is sent; 0 for the user who causes the event.
    """

    event: str
    handler: str
    auth_type: int = 0
    event_type: str = "online"


class Unbind(Struct, frozen=True):
    """Selects the handlers to remove: those that match every parameter."""

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
        *(errors.AccessDenied, EventNotFound, MissingParams, NotBound, WrongHandler),
        WrongType,
    ],
    example=Example({"event": _EVENT, "handler": _HANDLER}, result=True),
)
def bind(call: Call, params: Bind) -> bool:
    """Send an event to an address of the app from now on.

    An event comes as a form in a POST request: `event`, `event_handler_id`, `data`, `ts`, and in
    `auth` the `application_token` that proves its origin. An event is sent again until the address
    answers 2xx. A user who is no administrator can bind only for itself. An event of a site is sent
    as long as the binding user grants the app access and may view the site. The user of `auth_type`
    must be able to view the site, too.
    """
    app_id, user_id = calling_app(call), call.actor.user_id
    event, auth_type = params.event.upper(), params.auth_type
    if not call.actor.admin:
        if auth_type not in (0, user_id) or params.event_type.lower() == "offline":
            raise errors.AccessDenied("Only an administrator binds for others, or offline events.")
        auth_type = user_id
    _refuse_offline(params.event_type)
    if event not in names(call.actor.scopes):
        raise EventNotFound
    settings = call.settings(AppSettings)
    try:
        check(params.handler, settings.limits)
    except Refused as refused:
        raise WrongHandler from refused
    # Calls of one app take turns here, so that they cannot exceed the limit or bind twice.
    call.connection.execute(select(_APP.c.id).where(_APP.c.id == app_id).with_for_update())
    of_app = BINDING.c.app_id == app_id
    count = select(func.count()).select_from(BINDING).where(of_app)
    row = {"event": event, "handler": params.handler, "auth_type": auth_type}
    same = select(BINDING.c.id, BINDING.c.user_id)
    same = same.where(of_app, *(BINDING.c[name] == row[name] for name in row))
    bound = call.connection.execute(same).first()
    if bound is None:
        if call.connection.execute(count).scalar_one() >= settings.handlers:
            raise NotBound(f"An app has no more than {settings.handlers} handlers of events.")
        inserted = BINDING.insert().values(
            app_id=app_id, created_at=call.now(), **row, user_id=user_id
        )
        call.connection.execute(inserted)
    elif scopes_granted(call.connection, app_id, bound.user_id, call.now()) is None:
        # The user who bound it no longer grants the app access, so this binding sends nothing.
        renewed = BINDING.update().where(BINDING.c.id == bound.id).values(user_id=user_id)
        call.connection.execute(renewed)
    else:
        raise NotBound
    return True


@group.method(
    "event.unbind",
    writes=True,
    errors=[errors.AccessDenied, MissingParams, WrongType],
    example=Example({"event": _EVENT, "handler": _HANDLER}, result={"count": 1}),
)
def unbind(call: Call, params: Unbind) -> Count:
    """Stop sending an event to an address of the app; without a `handler`, to all of them.

    For administrators. Deliveries still waiting for a removed handler are dropped.
    """
    app_id = calling_app(call)
    if not call.actor.admin:
        raise errors.AccessDenied("Only an administrator removes handlers of events.")
    _refuse_offline(params.event_type)
    removed = delete(BINDING).where(BINDING.c.app_id == app_id)
    removed = removed.where(BINDING.c.event == params.event.upper())
    if params.handler:
        removed = removed.where(BINDING.c.handler == params.handler)
    if not isinstance(params.auth_type, UnsetType):
        removed = removed.where(BINDING.c.auth_type == params.auth_type)
    return Count(call.connection.execute(removed).rowcount)


@group.method(
    "event.get",
    errors=[errors.AccessDenied],
    example=Example(
        {},
        result=[{"event": _EVENT, "handler": _HANDLER, "auth_type": "0", "offline": 0}],
    ),
)
def get(call: Call, _params: Nothing) -> list[Handler]:
    """List the event handlers of the app."""
    columns = (BINDING.c.event, BINDING.c.handler, BINDING.c.auth_type)
    query = select(*columns).where(BINDING.c.app_id == calling_app(call)).order_by(BINDING.c.id)
    rows = call.connection.execute(query)
    return [Handler(event, handler, str(auth_type)) for event, handler, auth_type in rows]


def _refuse_offline(event_type: str) -> None:
    if event_type.lower() != "online":
        raise WrongType.of("event_type", "'online': no events are kept to be fetched", event_type)
