"""`landing.site.markFolderUnDelete`: a folder comes out of the trash (P8)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import AccessDenied
from landyard_sites.group import sites
from landyard_sites.places.folder_trash import mark_folder


class MarkFolderUnDelete(Struct, frozen=True):
    """`id`: a folder's id."""

    folder_id: NeededId = field(name="id")
    scope: str | None = None


@sites.method(
    "landing.site.markFolderUnDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied, SystemFailure],
    example=Example({"id": 1}, result=True),
)
def mark_folder_undelete(call: Call, params: MarkFolderUnDelete) -> bool:
    """Take a folder out of the trash, with what went there together with it; all stays hidden.

    It comes to the site's root where the folder around it is in the trash. One that is not in the
    trash stays as it is. Needs the right to delete.
    """
    return mark_folder(call, params.folder_id, params.scope, mark=False)
