"""`landing.site.markFolderDelete`: folders go into the trash and come back (P8, P9)."""

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import AccessDenied
from landyard_sites.group import sites
from landyard_sites.places.folder_trash import mark_folder


class FolderContainsAreas(CallError):
    code = "FOLDER_CONTAINS_AREAS"
    text = "The folder contains included areas and cannot be deleted."


class MarkFolderDelete(Struct, frozen=True):
    """`id`: a folder's id; `mark`: into the trash, or out of it."""

    folder_id: NeededId = field(name="id")
    mark: bool = True
    scope: str | None = None


@sites.method(
    "landing.site.markFolderDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied, FolderContainsAreas, SystemFailure],
    example=Example({"id": 1}, result=True),
)
def mark_folder_delete(call: Call, params: MarkFolderDelete) -> bool:
    """Put a folder into the trash with all that is in it, or with `mark` false take it out.

    A restored folder brings back the pages and folders that were trashed with it, all hidden.
    Where the folder around it is in the trash, it goes to the site's root. Needs the right to
    delete.
    """
    if not mark_folder(call, params.folder_id, params.scope, mark=params.mark):
        raise FolderContainsAreas
    return True
