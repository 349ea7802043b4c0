"""`landing.site.markFolderDelete`: move a folder to the trash or restore it (P8, P9)."""

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import site_methods
from landyard_sites.places.folder_trash import mark_folder


class FolderContainsAreas(CallError):
    code = "FOLDER_CONTAINS_AREAS"
    text = "The folder contains included areas and cannot be deleted."


class MarkFolderDelete(Struct, frozen=True):
    """`id`: a folder's id; `mark`: into the trash if true, out of it if false."""

    folder_id: NeededId = field(name="id")
    mark: bool = True
    scope: str | None = None


@site_methods.method(
    "landing.site.markFolderDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, FolderContainsAreas, SystemFailure],
    example=Example({"id": 1}, result=True),
)
def mark_folder_delete(call: Call, params: MarkFolderDelete) -> bool:
    """Move a folder to the trash with its content, or with `mark` false restore it.

    Restoring a folder also restores the pages and folders trashed with it, all hidden. If its
    parent folder is in the trash, it is moved to the site's root. Needs the right to delete.
    """
    if not mark_folder(call, params.folder_id, params.scope, mark=params.mark):
        raise FolderContainsAreas
    return True
