"""`landing.landing.update`: change a page's fields (contract 4.7 and 2.3; P1 to P5)."""

from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from landyard import (
    Call,
    Example,
    MissingParams,
    NeededId,
    Settings,
    SystemFailure,
    WrongType,
)
from landyard_content import blocks, pages
from landyard_landing import errors, events, languages, rights, sites
from landyard_pages.fields import Fields, is_sent, merged, read_fields, unknown_fields
from landyard_pages.group import CantDeleteMain, page_methods
from landyard_pages.originals import read_original
from landyard_pages.page_revisions import require_same_fields
from landyard_pages.placing import put_page, save_page
from landyard_pages.site_elements import has_folder, is_needed_main


class Update(Struct, frozen=True):
    """`lid`: a page's id; `fields`: new values by the fields' names.

    `revision`: the revision of the page that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    fields: Annotated[dict[str, Any], Fields]
    revision: blocks.Revision = None


@page_methods.method(
    "landing.landing.update",
    right="settings; with DELETED also delete, with DATE_PUBLIC also publish,"
    " with SITE_ID also edit on the other site",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.AccessDenied,
        errors.SiteNotFound,
        errors.FolderNotFound,
        *errors.CODE_REFUSALS,
        CantDeleteMain,
        SystemFailure,
        blocks.RevisionConflict,
    ],
    example=Example({"lid": 12, "fields": {"TITLE": "Find us", "CODE": "find-us"}}, result=True),
)
def update(call: Call, params: Update) -> bool:
    """Change fields of a page, in the trash or not: all of them, or none.

    `fields`: `TITLE`, `CODE`, `DESCRIPTION`, `XML_ID`, `SITE_ID`, `SITEMAP`, `FOLDER`, `FOLDER_ID`,
    `TPL_ID`, `DELETED`, `DATE_PUBLIC`, `LANG`, `TRANSLATION_OF` and `ADDITIONAL_FIELDS`. `LANG` is
    the page's language, such as `de` or `pt-BR`; an empty text means the site's language.
    `TRANSLATION_OF` is the id of the page translated here, on any site whose settings the caller
    may change, or 0. Published translations of one page refer to each other for search engines. A
    code in use gets a suffix; an empty one, together with `FOLDER`, is made from the title. Other
    fields are ignored, and named in the answer's header `Landyard-Warning`. `SITE_ID` moves the
    page to the root of another site. `DELETED` makes the page inactive; `Y` moves it to the trash,
    anything else restores it. `ADDITIONAL_FIELDS` are merged; an empty text clears one. Needs the
    right to change settings; with `DELETED` also to delete, with `DATE_PUBLIC` also to publish,
    with `SITE_ID` also to edit the other site.
    """
    page = _hold(call, params)
    # Errors are raised in this order: types, the site, the folder, the code, the deletion.
    fields = read_fields(params.fields, "fields")
    if unknown := unknown_fields(params.fields):
        call.warn(f"unknown fields were ignored: {', '.join(unknown)}")
    values = _values(call, page, fields)
    place = _place(call, page, fields)
    code = _code(page, fields)
    if fields.deleted == "Y" and not page.deleted:
        _require_deletable(call, page)
    if fields == Fields():
        return True
    if params.revision is not None:
        new_values = values | _place_values(page, place, code, fields)
        require_same_fields(call, page.id, params.revision, new_values)
    if place != page.place or fields.code is not UNSET:
        put_page(call, page, place, code)
    if fields.deleted is not UNSET:
        change = pages.trash_page if fields.deleted == "Y" else pages.restore_page
        change(call.connection, page.id, call.now(), call.actor.user_id)
    save_page(
        call, page.id, values
    )  # last, because it locks files, and sites are locked before files
    _announce(call, page, place, fields)
    return True


def _announce(call: Call, page: rights.HeldPage, place: rights.Place, fields: Fields) -> None:
    if place != page.place:
        events.announce_pages(call, "moved", [page.id])
    if fields.deleted is not UNSET and (fields.deleted == "Y") != page.deleted:
        events.announce_pages(call, "restored" if page.deleted else "trashed", [page.id])
    events.announce_pages(call, "changed", [page.id])


def _hold(call: Call, params: Update) -> rights.HeldPage:
    needs = rights.Right.SETTINGS
    if is_sent(params.fields, "DELETED"):  # R4
        needs |= rights.Right.DELETE
    if is_sent(params.fields, "DATE_PUBLIC"):
        needs |= rights.Right.PUBLISH
    try:
        return rights.hold_page(call, params.page_id, None, needs, trash=True, every_type=True)
    except errors.LandingNotExist:
        raise errors.AccessDenied from None  # the contract has no other code for this (R2)


def _values(call: Call, page: rights.HeldPage, fields: Fields) -> dict[str, Any]:
    """Return the new values of the columns that depend on one field only."""
    values: dict[str, Any] = {
        "title": fields.title,
        "description": fields.description,
        "xml_id": fields.xml_id,
    }
    for column, flag in (("sitemap", fields.sitemap), ("folder_flag", fields.folder)):
        if flag is not UNSET:
            values[column] = "Y" if flag == "Y" else "N"
    if fields.tpl_id is not UNSET:
        values["view_template"] = fields.tpl_id or None
    if fields.deleted is not UNSET:
        values["active"] = False
    if not isinstance(fields.date_public, UnsetType):
        zone = call.settings(Settings).zone
        values["date_public"] = sites.Dates(zone).read(
            fields.date_public, "fields.DATE_PUBLIC", page.date_public
        )
    if not isinstance(fields.lang, UnsetType):
        values["language"] = languages.require_language(fields.lang)
    if not isinstance(fields.translation_of, UnsetType):
        values["original_id"] = read_original(call, fields.translation_of, page.id)
    if not isinstance(fields.additional_fields, UnsetType):
        values["additional_fields"] = merged(page.additional_fields, fields.additional_fields)
    return {column: value for column, value in values.items() if value is not UNSET}


def _place(call: Call, page: rights.HeldPage, fields: Fields) -> rights.Place:
    """Return the page's new place; `FOLDER_ID` is on its present site, even with `SITE_ID`."""
    site_id = page.site_id if isinstance(fields.site_id, UnsetType) else fields.site_id
    if site_id != page.site_id:
        site = sites.find_site(call, site_id, None, every_type=True)
        if site is None:
            raise errors.SiteNotFound
        site.require(rights.Right.EDIT)
    folder_id = page.folder_id
    if not isinstance(fields.folder_id, UnsetType):
        folder_id = fields.folder_id or None
        if folder_id and not has_folder(call.connection, page.site_id, folder_id):
            raise errors.FolderNotFound
    return rights.Place(site_id, folder_id if site_id == page.site_id else None)


def _code(page: rights.HeldPage, fields: Fields) -> str:
    if isinstance(fields.code, UnsetType):
        return page.code
    title = page.title if isinstance(fields.title, UnsetType) else fields.title
    return sites.page_code(fields.code, title, may_be_empty=fields.folder is not UNSET)


def _place_values(
    page: rights.HeldPage, place: rights.Place, code: str, fields: Fields
) -> dict[str, Any]:
    """Return the new values of the columns for the page's place and deletion."""
    values: dict[str, Any] = {} if place == page.place else asdict(place)
    if fields.code is not UNSET:
        values["code"] = code
    if fields.deleted is not UNSET:
        values["deleted"] = fields.deleted == "Y"
    return values


def _require_deletable(call: Call, page: rights.HeldPage) -> None:
    if page.area:
        raise errors.AccessDenied("The page is an area of a site's template and cannot be deleted.")
    if is_needed_main(call.connection, page.id, page.site_id):
        raise CantDeleteMain
