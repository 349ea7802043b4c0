"""`landing.site.addFolder`: make a folder on a site."""

from typing import Annotated, Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, ParamsReader
from landyard_landing import errors, events, rights
from landyard_sites.group import FolderIsNotUnique, site_methods
from landyard_sites.places.folders import add_folder as add
from landyard_sites.places.folders import folder_of, is_free_address
from landyard_sites.places.sites import hold_site, read_segment


class Fields(Struct, frozen=True):
    """`TITLE`: the folder's title; `CODE`: its address, made from the title if empty.

    `PARENT_ID`: its parent folder, 0 for the site's root; `ACTIVE`: Y to make it active.
    """

    title: str = field(name="TITLE", default="")
    code: str = field(name="CODE", default="")
    parent_id: Id = field(name="PARENT_ID", default=0)
    active: bool = field(name="ACTIVE", default=False)


class AddFolder(Struct, frozen=True):
    """`siteId`: a site's id; `fields`: the folder's values by the fields' names."""

    site_id: NeededId = field(name="siteId")
    fields: Annotated[dict[str, Any], Fields]
    scope: str | None = None


_read_fields = ParamsReader(Fields, lenient=True)


@site_methods.method(
    "landing.site.addFolder",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        errors.EmptyRequired,
        FolderIsNotUnique,
        errors.SlashIsNotAllowed,
    ],
    example=Example({"siteId": 1, "fields": {"TITLE": "Services", "ACTIVE": True}}, result=2),
)
def add_folder(call: Call, params: AddFolder) -> int:
    """Make a folder on a site, and answer its id.

    It is inactive unless `ACTIVE` is `Y`, and becomes active when a page in it is published. Needs
    the right to edit.
    """
    site = hold_site(call, params.site_id, params.scope, rights.Right.EDIT)
    fields = _read_fields(params.fields, "fields")
    parent_id = fields.parent_id or None
    if parent_id:
        folder_of(call.connection, site.id, parent_id)
    title = fields.title.strip()
    if not title:
        raise errors.EmptyRequired("A folder needs a `TITLE`.")
    code = read_segment(fields.code, title, "folder")
    if not is_free_address(call.connection, site, parent_id, code):
        raise FolderIsNotUnique
    values = {"parent_id": parent_id, "code": code, "title": title, "active": fields.active}
    folder_id = add(call, site.id, values)
    events.announce_folders(call, "created", site.id, [folder_id])
    return folder_id
