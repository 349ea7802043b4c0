"""`landing.repo.unregister`: a registered block is removed from the repository."""

from msgspec import Struct

from landyard import Call, Example, MissingParams
from landyard_landing import AccessDenied, AnyText, ErrorArgument, text_argument
from landyard_repository.blocks import remove_block
from landyard_repository.group import repository


class Unregister(Struct, frozen=True):
    """`code`: what the block was registered as."""

    code: AnyText


@repository.method(
    "landing.repo.unregister",
    right="access to sites",
    writes=True,
    errors=[MissingParams, ErrorArgument, AccessDenied],
    example=Example({"code": "opening-hours"}, result=False),
)
def unregister(call: Call, params: Unregister) -> bool:
    """Remove a block that the caller has registered; false where there is none of this code.

    Blocks of it stay on their pages as they are, and cannot be edited by their elements any more.
    Needs access to sites; to remove another user's block is for administrators.
    """
    return remove_block(call, text_argument(params.code, "code"), widget=False)
