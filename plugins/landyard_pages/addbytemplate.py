"""`landing.landing.addByTemplate`: make a page from a template (contract 4.6; P1 to P3, P12)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, CallError, Example, Id, MissingParams, ParamsReader
from landyard_content import blocks, files, pages
from landyard_landing import errors, events, rights, settings, sites
from landyard_pages.group import page_methods
from landyard_pages.menu_entries import add_to_main_menu, add_to_menu
from landyard_pages.site_elements import find_element, has_folder

_DEFAULT_TYPES = {"STORE": "PAGE", "SMN": "PAGE"}


class SiteError(CallError):
    code = "SITE_ERROR"
    text = "Site not found or access denied"


class LandingError(CallError):
    code = "LANDING_ERROR"
    text = "The site has no page or folder with the id that `fields.ID` gives."


class WrongData(CallError):
    code = "WRONG_DATA"
    text = "There is no such template for this type of site."


class Fields(Struct, frozen=True):
    """`ID`, `FOLDER_ID`: the place of the page; `TITLE`, `DESCRIPTION`: instead of the template's.

    `BLOCK_ID` with `MENU_CODE`, or `ADD_IN_MENU`: the menu that gets a link to the page.
    """

    title: str | None = field(name="TITLE", default=None)
    description: str | None = field(name="DESCRIPTION", default=None)
    element_id: Id | None = field(name="ID", default=None)
    folder_id: int = field(name="FOLDER_ID", default=0)
    site_type: str | None = field(name="SITE_TYPE", default=None)
    prepare: Annotated[
        Any, Meta(description="the boolean true", extra_json_schema={"type": "boolean"})
    ] = field(name="PREPARE_BLOCKS", default=None)
    prepare_data: dict[str, Any] = field(name="PREPARE_BLOCKS_DATA", default_factory=dict)
    add_in_menu: str | None = field(name="ADD_IN_MENU", default=None)
    block_id: Id | None = field(name="BLOCK_ID", default=None)
    menu_code: str | None = field(name="MENU_CODE", default=None)


class AddByTemplate(Struct, frozen=True):
    """`siteId`: the site for the page; `code`: the template's code."""

    site_id: Id = field(name="siteId")
    code: Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
    fields: Fields = Fields()
    scope: str | None = None


class _TemplateCode(Struct, frozen=True):
    code: str = ""


class _Preparation(Struct, frozen=True):
    """A value of `PREPARE_BLOCKS_DATA`: an action and its parameters."""

    action: str = field(name="ACTION", default="")
    params: dict[str, Any] = field(name="PARAMS", default_factory=dict)


_read_code = ParamsReader(_TemplateCode, lenient=True)
_read_preparation = ParamsReader(_Preparation, lenient=True)


@page_methods.method(
    "landing.landing.addByTemplate",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        SiteError,
        LandingError,
        errors.FolderNotFound,
        errors.AccessDenied,
        WrongData,
        *errors.CODE_REFUSALS,
    ],
    example=Example(
        {"siteId": 1, "code": "event", "fields": {"TITLE": "Open day", "ADD_IN_MENU": "Y"}},
        result=13,
    ),
)
def add_by_template(call: Call, params: AddByTemplate) -> int:
    """Make a page of a site from a template, and answer its id.

    The page is inactive, unless `fields.ID` names an active page and the caller may publish: then
    it is published. Its folder is `fields.ID` or the folder of that page, else `fields.FOLDER_ID`
    (0 is the site's root), else the root. `fields` take precedence over the template. With
    `BLOCK_ID` and `MENU_CODE`, or with `ADD_IN_MENU` and `TITLE`, a menu's draft gets a link to the
    page. Needs the right to edit.
    """
    call.subject = f"site:{params.site_id}"
    code = _read_code({"code": params.code}).code
    found = pages.find_site_and_template(call, params.site_id, params.scope, code)
    if found is None:
        raise SiteError
    site, is_locked, template = found
    fields = params.fields
    folder_id, beside_active = _place(call, site, fields)
    site.require(rights.Right.EDIT)
    if template is None or template.type != _template_type(site, fields):
        raise WrongData
    overrides = pages.Overrides(fields.title, fields.description, _prepared(fields))
    try:
        page = pages.create_page(
            call.connection,
            rights.Place(site.id, folder_id),
            template,
            overrides,
            brought=call.records(blocks.BlockType),
            now=call.now(),
            user_id=call.actor.user_id,
            is_locked=is_locked,
            settings=call.settings(settings.BlockSettings),
        )
    except errors.SiteNotFound:  # the site was removed meanwhile
        raise SiteError from None
    _add_link(call, site, page, fields)
    # After the menu's block, because blocks are locked before files.
    files.hold_files(call.connection, page.files)
    events.announce_pages(call, "created", [page.id])
    if beside_active and rights.Right.PUBLISH in site.rights:
        try:
            pages.publish(call.connection, page.id, call.now(), call.actor.user_id)
        except errors.LandingNotExist:  # the site was moved to the trash meanwhile
            raise SiteError from None
        events.announce_pages(call, "published", [page.id])
    call.subject = f"page:{page.id}"
    return page.id


def _place(call: Call, site: sites.ViewedSite, fields: Fields) -> tuple[int | None, bool]:
    """Return the page's folder, and whether the page or folder `fields.ID` is active."""
    active = False
    if fields.element_id is not None:
        element = find_element(call.connection, fields.element_id, site.id)
        if element is None:
            raise LandingError
        if element.folder_id is not None:
            return element.folder_id, element.active
        active = element.active
    if not fields.folder_id:
        return None, active
    if not has_folder(call.connection, site.id, fields.folder_id):
        raise errors.FolderNotFound
    return fields.folder_id, active


def _template_type(site: sites.ViewedSite, fields: Fields) -> str:
    """Return the type that the template must have; others count as missing (P12)."""
    site_type = fields.site_type
    return _DEFAULT_TYPES.get(site.type, site.type) if site_type is None else site_type.upper()


def _prepared(fields: Fields) -> dict[str, dict[str, Any]]:
    """Return the component parameters for blocks, by block code (C6: only for `true`)."""
    if fields.prepare is not True:
        return {}
    preparations = {
        code: _read_preparation(value)
        for code, value in fields.prepare_data.items()
        if isinstance(value, dict)
    }
    return {
        code: preparation.params
        for code, preparation in preparations.items()
        if preparation.action == "changeComponentParams"
    }


def _add_link(call: Call, site: sites.ViewedSite, page: pages.CreatedPage, fields: Fields) -> None:
    if fields.block_id is not None and fields.menu_code is not None:
        add_to_menu(call, site.id, fields.block_id, fields.menu_code, page)
    elif fields.add_in_menu == "Y" and fields.title is not None:
        add_to_main_menu(call, site.id, site.main_page_id, page)
