"""`landing.repo.unbind`: the removal of placements, which the service does not have."""

import re

from msgspec import Struct

from landyard import Call, CallError, Example, MissingParams
from landyard_landing import arguments, errors, rights
from landyard_repository.group import repository

_PLACEMENT = re.compile(r"LANDING_SETTINGS|LANDING_BLOCK_.+", re.ASCII | re.IGNORECASE)


class PlacementNoExist(CallError):
    code = "PLACEMENT_NO_EXIST"
    text = "There is no such placement: LANDING_SETTINGS and LANDING_BLOCK_<code> are placements."


class Unbind(Struct, frozen=True):
    """`code`: a placement's code; `handler`: an address bound to it, or none for all."""

    code: arguments.AnyText
    handler: arguments.AnyText = None


@repository.method(
    "landing.repo.unbind",
    right="access to sites",
    writes=True,
    errors=[MissingParams, PlacementNoExist, errors.AccessDenied],
    example=Example({"code": "LANDING_SETTINGS"}, result=None),
)
def unbind(call: Call, params: Unbind) -> bool | None:
    """Answer null: the service has no placements, so nothing is bound.

    Needs access to sites.
    """
    rights.require_access(call)
    if not (isinstance(params.code, str) and _PLACEMENT.fullmatch(params.code)):
        raise PlacementNoExist
    return None
