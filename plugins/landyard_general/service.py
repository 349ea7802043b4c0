"""`server.time`, `scope`, `method.get` and `feature.get`: questions about the service."""

from msgspec import Struct

from landyard import Call, CallError, Example, MissingParams, Settings, WrongType
from landyard_general.groups import Nothing, general


class CodeEmpty(CallError):
    code = "CODE_EMPTY"
    text = "CODE can't be empty"


class Scope(Struct, frozen=True):
    """`full`: answer the scopes of all methods instead of the credential's scopes."""

    full: bool = False


class MethodGet(Struct, frozen=True):
    """`name`: a method's name, in upper or lower case."""

    name: str


class MethodState(Struct, frozen=True, rename="camel"):
    """Whether the method exists, and whether this credential may call it."""

    is_existing: bool
    is_available: bool


class FeatureGet(Struct, frozen=True, rename=str.upper):
    """`CODE`: a feature's name."""

    code: str = ""


class Feature(Struct, frozen=True):
    """`value`: `Y` or `N`."""

    value: str


@general.method("server.time", quick=True, example=Example({}, result="2026-11-23T09:30:00+00:00"))
def server_time(call: Call, _params: Nothing) -> str:
    """Answer the current time: ISO 8601, in the service's time zone."""
    return call.now().astimezone(call.settings(Settings).zone).isoformat(timespec="seconds")


@general.method(
    "scope", quick=True, example=Example({}, result=["landing", "user"]), errors=[WrongType]
)
def scope(call: Call, params: Scope) -> list[str]:
    """List the scopes of the caller's credential, or with `full` the scopes of all methods."""
    if not params.full:
        return sorted(call.actor.scopes)
    methods = (call.listing.find(name) for name in call.listing.everything())
    return sorted({method.scope for method in methods if method and method.scope})


@general.method(
    "method.get",
    quick=True,
    errors=[MissingParams, WrongType],
    example=Example(
        {"name": "landing.block.getlist"}, result={"isExisting": True, "isAvailable": True}
    ),
)
def method_get(call: Call, params: MethodGet) -> MethodState:
    """Answer whether a method exists, and whether the credential has its scope."""
    method = call.listing.find(params.name)
    if method is None:
        return MethodState(is_existing=False, is_available=False)
    return MethodState(True, method.general or method.scope in call.actor.scopes)


@general.method(
    "feature.get",
    quick=True,
    errors=[CodeEmpty, WrongType],
    example=Example({"CODE": "rest_offline_extended"}, result={"value": "N"}),
)
def feature_get(_call: Call, params: FeatureGet) -> Feature:
    """Answer whether the service has a feature of the platform.

    The answer is always `N`: the service has no named feature such as `rest_offline_extended`.
    """
    if not params.code:
        raise CodeEmpty
    return Feature("N")
