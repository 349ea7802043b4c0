"""`landing.site.unPublicFolder`: make a folder inactive, which hides its pages."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import site_methods
from landyard_sites.places.publishing import show_folder


class UnpublicFolder(Struct, frozen=True):
    """`folderId`: a folder's id."""

    folder_id: NeededId = field(name="folderId")
    scope: str | None = None


@site_methods.method(
    "landing.site.unPublicFolder",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"folderId": 1}, result=True),
)
def unpublic_folder(call: Call, params: UnpublicFolder) -> bool:
    """Make a folder inactive: visitors cannot see its content. Needs the right to publish."""
    show_folder(call, params.folder_id, params.scope, shown=False)
    return True
