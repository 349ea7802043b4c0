"""`landing.site.updateFolder`: change a folder's fields."""

from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType, field

from landyard import Call, Example, Id, MissingParams, NeededId, ParamsReader
from landyard_landing import errors, events, rights, sites
from landyard_sites.group import FolderIsNotUnique, site_methods
from landyard_sites.places.folders import (
    ViewedFolder,
    folder_of,
    folders_inside,
    is_free_address,
    save_folder,
)
from landyard_sites.places.sites import HeldSite, hold_seen, own_page, read_segment, require_site


class Fields(Struct, frozen=True, rename="upper"):
    """`PARENT_ID`: its new parent folder; 0, or left out, means the site's root.

    `INDEX_ID`: the page at the folder's own address, 0 for none.
    """

    title: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    parent_id: Id = 0
    index_id: Id | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class UpdateFolder(Struct, frozen=True):
    """`siteId`: a site's id; `folderId`: a folder of it; `fields`: values by the fields' names."""

    site_id: NeededId = field(name="siteId")
    folder_id: NeededId = field(name="folderId")
    fields: Annotated[dict[str, Any], Fields]
    scope: str | None = None


_read_fields = ParamsReader(Fields, lenient=True)


@site_methods.method(
    "landing.site.updateFolder",
    right="edit",
    writes=True,
    errors=[MissingParams, errors.AccessDenied, FolderIsNotUnique, errors.SlashIsNotAllowed],
    example=Example(
        {"siteId": 1, "folderId": 1, "fields": {"TITLE": "Services", "ACTIVE": True}}, result=True
    ),
)
def update_folder(call: Call, params: UpdateFolder) -> bool:
    """Change fields of a folder: all of them, or none.

    Without `PARENT_ID` the folder is moved to the site's root. An empty `CODE` is made from the
    title. Needs the right to edit.
    """
    require_site(call, params.site_id, params.scope, rights.Right.EDIT)
    fields = _read_fields(params.fields, "fields")
    sites.lock_referenced_pages(call.connection, [fields.index_id], params.site_id)
    site = hold_seen(call, params.site_id)
    folder = folder_of(call.connection, site.id, params.folder_id)
    save_folder(call, folder.id, _values(call, site, folder, fields))
    events.announce_folders(call, "changed", site.id, [folder.id])
    return True


def _values(call: Call, site: HeldSite, folder: ViewedFolder, fields: Fields) -> dict[str, Any]:
    values: dict[str, Any] = {"title": fields.title, "parent_id": _parent(call, folder, fields)}
    if not isinstance(fields.active, UnsetType):
        values["active"] = fields.active
    if not isinstance(fields.index_id, UnsetType):
        if fields.index_id and not own_page(call.connection, site.id, fields.index_id):
            raise errors.AccessDenied("fields.INDEX_ID: the site has no such page.")
        values["index_page_id"] = fields.index_id or None
    values["code"] = _code(folder, fields)
    place = (values["parent_id"], values["code"])
    if place != (folder.parent_id, folder.code) and not is_free_address(
        call.connection, site, *place, folder.id
    ):
        raise FolderIsNotUnique
    return {column: value for column, value in values.items() if value is not UNSET}


def _parent(call: Call, folder: ViewedFolder, fields: Fields) -> int | None:
    if not fields.parent_id:
        return None
    parent = folder_of(call.connection, folder.site_id, fields.parent_id)
    if parent.id in folders_inside(call.connection, folder.site_id, folder.id):
        raise errors.AccessDenied("fields.PARENT_ID: the folder would contain itself.")
    return parent.id


def _code(folder: ViewedFolder, fields: Fields) -> str:
    if isinstance(fields.code, UnsetType):
        return folder.code
    title = folder.title if isinstance(fields.title, UnsetType) else fields.title
    return read_segment(fields.code, title, "folder")
