"""`landing.site.publicationFolder`: make a folder active or inactive."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import site_methods
from landyard_sites.places.publishing import show_folder


class PublicationFolder(Struct, frozen=True):
    """`folderId`: a folder's id; `mark`: active if true, inactive if false."""

    folder_id: NeededId = field(name="folderId")
    mark: bool = True
    scope: str | None = None


@site_methods.method(
    "landing.site.publicationFolder",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"folderId": 1}, result=True),
)
def publication_folder(call: Call, params: PublicationFolder) -> bool:
    """Make a folder and its parent folders active; with `mark` false make it inactive.

    Visitors see the published pages in an active folder. Needs the right to publish.
    """
    show_folder(call, params.folder_id, params.scope, shown=params.mark)
    return True
