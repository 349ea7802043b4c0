"""`landing.repo.unregister`: remove a registered block; its copies on pages stay."""

from msgspec import Struct

from landyard import Call, Example, MissingParams
from landyard_landing import arguments, errors
from landyard_repository.blocks import remove_block
from landyard_repository.group import repository


class Unregister(Struct, frozen=True):
    """`code`: the caller's code of the block."""

    code: arguments.AnyText


@repository.method(
    "landing.repo.unregister",
    right="access to sites",
    writes=True,
    errors=[MissingParams, arguments.ErrorArgument, errors.AccessDenied],
    example=Example({"code": "opening-hours"}, result=False),
)
def unregister(call: Call, params: Unregister) -> bool:
    """Remove a registered block of the caller; answers false if there is none with this code.

    Its copies on pages stay, but their elements cannot be edited any more. Needs access to sites;
    only administrators can remove another user's block.
    """
    return remove_block(call, arguments.text_argument(params.code, "code"), widget=False)
