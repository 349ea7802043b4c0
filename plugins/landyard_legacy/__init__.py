"""The legacy system methods: `methods`, the list of method names (contract 4.12, decisions 7)."""

from msgspec import Struct

from landyard import Call, Example, MethodGroup, hookimpl

legacy = MethodGroup()


class Methods(Struct, frozen=True):
    """Without parameters: what the caller's credential may call, and the general methods."""

    full: bool = False
    scope: str | None = None


_EVERYTHING_BUILT_IN = Example(
    {"scope": "landing"},
    result=[
        "landing.block.getlist",
        "landing.block.removecard",
        "landing.block.updateattrs",
        "landing.block.updatenodes",
        "landing.block.uploadfile",
        "landing.landing.addByTemplate",
        "landing.landing.delete",
        "landing.landing.getpublicurl",
        "landing.landing.markDelete",
        "landing.landing.move",
        "landing.landing.update",
    ],
)


@legacy.method("methods", example=_EVERYTHING_BUILT_IN)
def methods(call: Call, params: Methods) -> list[str]:
    """List the names of the methods that are on, sorted.

    Without parameters: those whose scope the credential holds, and the general ones. With
    `full` every one of them; with `scope` those of that scope, and with an empty `scope` the
    general ones. Deprecated: kept for the clients that still ask.
    """
    if params.full:
        return call.listing.everything()
    if params.scope is not None:
        return call.listing.of_scope(params.scope)
    return call.listing.available(call.actor)


@hookimpl
def register_methods() -> MethodGroup:
    return legacy
