"""`landing.site.markFolderUnDelete`: restore a folder from the trash (P8)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import site_methods
from landyard_sites.places.folder_trash import mark_folder


class MarkFolderUnDelete(Struct, frozen=True):
    """`id`: a folder's id."""

    folder_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.markFolderUnDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"id": 1}, result=True),
)
def mark_folder_undelete(call: Call, params: MarkFolderUnDelete) -> bool:
    """Restore a folder from the trash, with what was trashed together with it; all stay hidden.

    If its parent folder is in the trash, it is moved to the site's root. A folder outside the trash
    is unchanged. Needs the right to delete.
    """
    return mark_folder(call, params.folder_id, params.scope, mark=False)
